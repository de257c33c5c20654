// Reads YAML files strictly: GPU files, suites.
//
// A map is opened with the names of all its keys, so that an unknown key is an error, which
// suggests the nearest name. Every error is a ConfigError `file:line: key.path: expectation`.
//
//   StrictMap suite = load_yaml(path).map({"shapes", "regimes", "seed"});
//   const i64 seed = suite.required("seed").integer(0, 1'000'000);
//   for (const StrictValue& shape : suite.required("shapes").list()) { ... shape.text() ... }
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/error.h"
#include "model/base/integers.h"
#include "model/base/words.h"
#include "model/spec/yaml_tree.h"

namespace tilecast {

class StrictMap;

class StrictValue {
 public:
  explicit StrictValue(std::shared_ptr<const YamlNode> node) : node_(std::move(node)) {}

  bool is_map() const { return node_->kind == YamlNode::Kind::kMap; }
  bool is_list() const { return node_->kind == YamlNode::Kind::kList; }
  const std::string& key_path() const { return node_->key_path; }
  const std::string& file() const { return *node_->file; }

  std::string text() const;  // any scalar except an empty one
  i64 integer(i64 least, i64 most) const;
  double number() const;  // any finite number
  double number(double least, double most) const;
  bool flag() const;  // true or false
  /// Converts the string with `parse`, whose errors get the position.
  template <class Parse>
  auto parsed(const Parse& parse) const {
    const std::string given = text();
    try {
      return parse(given);
    } catch (const ConfigError& error) {
      fail(error.what());
    }
  }
  std::vector<StrictValue> list() const;
  StrictMap map(std::vector<std::string> keys) const;

  template <class Enum, std::size_t kCount>
  Enum word(const Words<Enum, kCount>& words) const {
    std::vector<std::string> known;
    const std::string given = text();
    for (const auto& [value, word] : words) {
      if (word == given) {
        return value;
      }
      known.emplace_back(word);
    }
    fail_with_words(given, known);
  }

  /// Throws `file:line: key.path: why`.
  [[noreturn]] void fail(std::string_view why) const;

 private:
  [[noreturn]] void fail_with_words(const std::string& given,
                                    const std::vector<std::string>& known) const;
  /// Fails with "expected X, got Y", where Y is the node's content.
  [[noreturn]] void fail_expected(std::string_view expected) const;
  const std::string& plain_scalar(std::string_view expected) const;

  std::shared_ptr<const YamlNode> node_;
};

class StrictMap {
 public:
  StrictValue required(std::string_view key) const;
  std::optional<StrictValue> optional(std::string_view key) const;

 private:
  friend class StrictValue;
  StrictMap(std::shared_ptr<const YamlNode> node, std::vector<std::string> keys);

  std::shared_ptr<const YamlNode> node_;
  std::vector<std::string> keys_;
};

/// Throws FileError if the file cannot be read, ConfigError if it is not strict YAML.
StrictValue load_yaml(const std::filesystem::path& path);
StrictValue parse_yaml(std::string_view text, const std::string& file);

}  // namespace tilecast
