#include "model/spec/gpu_overlay.h"

#include <fmt/format.h>

#include <algorithm>

namespace tilecast {
namespace {

[[noreturn]] void fail(const YamlNode& node, std::string_view why) {
  fail_at(node, node.key_path, why);
}

bool is_quantity(const YamlNode& node) { return node.find("value") != nullptr; }

/// Keys that `base` lacks are copied; the reader checks whether the GPU can have them.
void replace_in_map(YamlNode& base, const YamlNode& overlay) {
  if (overlay.kind != YamlNode::Kind::kMap) {
    fail(overlay, "expected a map with keys of " + *base.file + " to replace");
  }
  for (const auto& [name, replacement] : overlay.entries) {
    const auto target = std::ranges::find(base.entries, name, &YamlEntry::name);
    const bool lacking = target == base.entries.end();
    if ((lacking ? replacement : target->node).kind != YamlNode::Kind::kMap) {
      fail(replacement, "an overlay can replace only numbers");
    }
    if (lacking) {
      base.entries.push_back({name, replacement});
    } else if (!is_quantity(target->node)) {
      replace_in_map(target->node, replacement);
    } else if (is_quantity(replacement)) {
      target->node = replacement;
    } else {
      fail(replacement, "expected a complete quantity: value, unit, source, ref and confidence");
    }
  }
}

}  // namespace

void apply_overlay(YamlNode& base, const YamlNode& overlay) {
  YamlNode numbers = overlay;
  const YamlNode* base_name = base.find("name");
  if (base_name != nullptr) {
    const YamlNode* name = overlay.find("name");
    if (name == nullptr || name->scalar != base_name->scalar) {
      fail(name == nullptr ? overlay : *name,
           fmt::format("expected `name: {}`, as in {}", base_name->scalar, *base.file));
    }
    std::erase_if(numbers.entries, [](const YamlEntry& entry) { return entry.name == "name"; });
  }
  replace_in_map(base, numbers);
}

}  // namespace tilecast
