// A YAML file as a tree that remembers where each thing stands. Strict from the start: duplicate
// keys, aliases, tags, nested keys and several documents are errors. The only user of yaml-cpp.
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
  int line = 1;          // of the key where there is one
  std::string key_path;  // "sm.count", "shapes[2]"; empty for the whole file
  std::string scalar;
  bool quoted = false;
  std::vector<YamlNode> items;
  std::vector<YamlEntry> entries;  // in the file's order

  const YamlNode* find(std::string_view key) const;
};

struct YamlEntry {
  std::string name;
  YamlNode node;
};

/// Throws ConfigError `file:line: key.path: why` at the place of `node`.
[[noreturn]] void fail_at(const YamlNode& node, std::string_view key_path, std::string_view why);

/// Throws FileError where the file cannot be read, ConfigError where it is not strict YAML.
YamlNode load_yaml_tree(const std::filesystem::path& path);

/// The same for a text; `file` is what errors call it.
YamlNode parse_yaml_tree(std::string_view text, const std::string& file);

}  // namespace tilecast
