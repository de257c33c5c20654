#include "model/spec/yaml_tree.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <unordered_map>

#include "model/base/error.h"
#include "model/base/file.h"
#include "model/base/refuse.h"
#include "model/base/shown_text.h"

namespace tilecast {
namespace {

/// Whether the quote that opens at `at` is closed. yaml-cpp accepts the end of the file instead.
bool is_closed(std::string_view text, std::size_t at) {
  const char quote = text[at];
  for (std::size_t i = at + 1; i < text.size(); ++i) {
    if (quote == '"' && text[i] == '\\') {
      ++i;
    } else if (text[i] == quote) {
      return true;
    }
  }
  return false;
}

/// Builds the tree from parser events, which carry line numbers (finished nodes do not).
class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(std::shared_ptr<const std::string> file, std::string_view text)
      : file_(std::move(file)), text_(text) {}

  YamlNode take_root() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override {
    add(YamlNode::Kind::kEmpty, mark, "", false);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    fail(mark, "expected a value, got an alias");
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                const std::string& value) override {
    refuse_tag(mark, tag);
    const bool quoted = tag == "!";
    const auto at = static_cast<std::size_t>(mark.pos);
    if (quoted && at < text_.size() && (text_[at] == '"' || text_[at] == '\'') &&
        !is_closed(text_, at)) {
      fail(mark, "not valid YAML: a quote opens here and is never closed");
    }
    if (!open_.empty() && open_.back()->kind == YamlNode::Kind::kMap && !key_) {
      take_key(mark, value);
      return;
    }
    const bool empty = !quoted && (value.empty() || value == "~" || value == "null");
    add(empty ? YamlNode::Kind::kEmpty : YamlNode::Kind::kScalar, mark, value, quoted);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    open(YamlNode::Kind::kList, mark, tag);
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    open(YamlNode::Kind::kMap, mark, tag);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Key {
    std::string name;
    int line;
  };

  [[noreturn]] void fail(const YAML::Mark& mark, std::string_view what) const {
    throw ConfigError(fmt::format("{}:{}: {}", *file_, mark.line + 1, what));
  }

  void refuse_tag(const YAML::Mark& mark, const std::string& tag) const {
    if (!tag.empty() && tag != "?" && tag != "!") {
      fail(mark, fmt::format("expected a plain value, got the tag '{}'", printable(tag)));
    }
  }

  void take_key(const YAML::Mark& mark, const std::string& name) {
    const YamlNode& map = *open_.back();
    if (name.empty()) {
      fail(mark, "expected a key before ':'");
    }
    const auto [first, is_new] = keys_.back().try_emplace(name, map.entries.size());
    if (!is_new) {
      const YamlNode& there = map.entries[first->second].node;
      fail(mark,
           fmt::format("{}: duplicate key, first given in line {}", there.key_path, there.line));
    }
    key_ = Key{name, mark.line + 1};
  }

  YamlNode& add(YamlNode::Kind kind, const YAML::Mark& mark, const std::string& scalar,
                bool quoted) {
    YamlNode node;
    node.kind = kind;
    node.file = file_;
    node.line = mark.line + 1;
    node.scalar = scalar;
    node.quoted = quoted;
    if (open_.empty()) {
      root_ = std::move(node);
      return root_;
    }
    YamlNode& parent = *open_.back();
    if (parent.kind == YamlNode::Kind::kList) {
      node.key_path = fmt::format("{}[{}]", parent.key_path, parent.items.size());
      parent.items.push_back(std::move(node));
      return parent.items.back();
    }
    if (!key_) {
      fail(mark, "expected a plain word as key");
    }
    node.line = key_->line;
    node.key_path =
        printable(parent.key_path.empty() ? key_->name : parent.key_path + "." + key_->name);
    parent.entries.push_back({key_->name, std::move(node)});
    key_.reset();
    return parent.entries.back().node;
  }

  void open(YamlNode::Kind kind, const YAML::Mark& mark, const std::string& tag) {
    refuse_tag(mark, tag);
    // A parent's vector does not grow while one of its children is open, so the pointer stays
    // valid.
    open_.push_back(&add(kind, mark, "", false));
    keys_.emplace_back();
  }

  void close() {
    open_.pop_back();
    keys_.pop_back();
  }

  std::shared_ptr<const std::string> file_;
  std::string_view text_;
  YamlNode root_;
  std::vector<YamlNode*> open_;
  std::vector<std::unordered_map<std::string, std::size_t>>
      keys_;                // index of each entry, per open map
  std::optional<Key> key_;  // its value has not been read
                            // yet
};

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

const YamlNode* YamlNode::find(std::string_view key) const {
  for (const auto& [name, node] : entries) {
    if (name == key) {
      return &node;
    }
  }
  return nullptr;
}

void fail_at(const YamlNode& node, std::string_view key_path, std::string_view why) {
  throw ConfigError(key_path.empty()
                        ? fmt::format("{}:{}: {}", *node.file, node.line, why)
                        : fmt::format("{}:{}: {}: {}", *node.file, node.line, key_path, why));
}

YamlNode parse_yaml_tree(std::string_view given, const std::string& file) {
  const std::string_view text = without_bom(given);
  TreeBuilder builder(std::make_shared<const std::string>(file), text);
  std::istringstream stream{std::string(text)};
  try {
    YAML::Parser parser(stream);
    refuse_if(!parser.HandleNextDocument(builder), "{}:1: expected keys, found an empty file",
              file);
    YamlNode root = builder.take_root();
    if (parser.HandleNextDocument(builder)) {
      throw ConfigError(fmt::format("{}:{}: expected one YAML document, found a second one", file,
                                    builder.take_root().line));
    }
    return root;
  } catch (const YAML::Exception& error) {
    throw ConfigError(
        fmt::format("{}:{}: not valid YAML: {}", file, error.mark.line + 1, printable(error.msg)));
  }
}

YamlNode load_yaml_tree(const std::filesystem::path& path) {
  return parse_yaml_tree(read_text(path), path.string());
}
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
