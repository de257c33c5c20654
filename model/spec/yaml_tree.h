// A YAML file as a tree with line numbers. Strict: duplicate keys, aliases, tags, nested keys and
// multiple documents are errors. The only user of yaml-cpp.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tilecast {

struct YamlEntry;

struct YamlNode {
  enum class Kind { kEmpty, kScalar, kList, kMap };

  Kind kind = Kind::kEmpty;
  std::shared_ptr<const std::string> file;
  int line = 1;          // line of the key, if it has one
  std::string key_path;  // "sm.count", "shapes[2]"; empty for the whole file
  std::string scalar;
  bool quoted = false;
  std::vector<YamlNode> items;
  std::vector<YamlEntry> entries;  // entries in file order

  const YamlNode* find(std::string_view key) const;
};

struct YamlEntry {
  std::string name;
  YamlNode node;
};

/// Throws ConfigError `file:line: key.path: why` at the position of `node`.
[[noreturn]] void fail_at(const YamlNode& node, std::string_view key_path, std::string_view why);

/// Throws FileError if the file cannot be read, ConfigError if it is not strict YAML.
YamlNode load_yaml_tree(const std::filesystem::path& path);

/// Parses a string; `file` is its name in errors.
YamlNode parse_yaml_tree(std::string_view text, const std::string& file);

/// Applies a calibration: a second file, which may also give inherited numbers and whole sections
/// that `base` lacks. Replaces quantities of `base` by those of `overlay`, which starts with the
/// base's name. Throws ConfigError if it names another GPU or gives anything but numbers. The
/// reader checks the keys. Replaced values keep their position in the overlay, so that later errors
/// point there.
void apply_overlay(YamlNode& base, const YamlNode& overlay);

}  // namespace tilecast
