#include "model/spec/gpu_overlay.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/base/text.h"

namespace tilecast {
namespace {

[[noreturn]] void fail(const YamlNode& node, std::string_view why) {
  fail_at(node, node.key_path, why);
}

bool is_quantity(const YamlNode& node) { return node.find("value") != nullptr; }

/// Keys, each of which is a quantity.
bool is_section(const YamlNode& node) {
  return node.kind == YamlNode::Kind::kMap && !is_quantity(node) && !node.entries.empty() &&
         std::ranges::all_of(node.entries,
                             [](const auto& entry) { return is_quantity(entry.second); });
}

/// `sections`: those that the base lacks are added.
void replace_in_map(YamlNode& base, const YamlNode& overlay, bool sections = false) {
  if (overlay.kind != YamlNode::Kind::kMap) {
    fail(overlay, "expected keys of " + *base.file + " to replace");
  }
  for (const auto& [name, replacement] : overlay.entries) {
    YamlNode* target = nullptr;
    std::vector<std::string> known;
    for (auto& [base_name, node] : base.entries) {
      known.push_back(base_name);
      target = base_name == name ? &node : target;
    }
    if (target == nullptr && sections && is_section(replacement)) {
      base.entries.emplace_back(name, replacement);
      continue;
    }
    if (target == nullptr) {
      fail(replacement, "unknown key, an overlay only replaces keys of " + *base.file +
                            did_you_mean(name, known));
    }
    if (target->kind != YamlNode::Kind::kMap) {
      fail(replacement, "an overlay replaces numbers only");
    }
    if (!is_quantity(*target)) {
      replace_in_map(*target, replacement);
    } else if (is_quantity(replacement)) {
      *target = replacement;
    } else {
      fail(replacement, "expected a whole quantity with value, unit, source, ref, confidence");
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
           fmt::format("expected name: {}, the GPU of {}", base_name->scalar, *base.file));
    }
    std::erase_if(numbers.entries, [](const auto& entry) { return entry.first == "name"; });
  }
  replace_in_map(base, numbers, true);
}

}  // namespace tilecast
