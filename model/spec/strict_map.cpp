#include "model/spec/strict_map.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/base/error.h"
#include "model/base/shown_text.h"
#include "model/base/text.h"

namespace tilecast {
namespace {

/// Describes a node's content for messages.
std::string describe(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::kEmpty:
      return "nothing";
    case YamlNode::Kind::kList:
      return "a list";
    case YamlNode::Kind::kMap:
      return "a map";
    case YamlNode::Kind::kScalar:
      break;
  }
  const char* quote = node.quoted ? "\"" : "'";
  return quote + printable(node.scalar) + quote;
}

/// A child that shares ownership of the whole tree.
StrictValue share(const std::shared_ptr<const YamlNode>& owner, const YamlNode& node) {
  return StrictValue(std::shared_ptr<const YamlNode>(owner, &node));
}

}  // namespace

void StrictValue::fail(std::string_view why) const { fail_at(*node_, node_->key_path, why); }

void StrictValue::fail_expected(std::string_view expected) const {
  fail(fmt::format("expected {}, got {}", expected, describe(*node_)));
}

void StrictValue::fail_with_words(const std::string& given,
                                  const std::vector<std::string>& known) const {
  fail(fmt::format("expected one of {}, got '{}'{}", join(known, ", "), printable(given),
                   did_you_mean(given, known)));
}

const std::string& StrictValue::plain_scalar(std::string_view expected) const {
  if (node_->kind != YamlNode::Kind::kScalar || node_->quoted) {
    fail_expected(expected);
  }
  return node_->scalar;
}

std::string StrictValue::text() const {
  if (node_->kind != YamlNode::Kind::kScalar || node_->scalar.empty()) {
    fail_expected("text");
  }
  if (on_one_line(node_->scalar) != node_->scalar) {
    fail_expected("text without control characters");
  }
  return node_->scalar;
}

i64 StrictValue::integer(i64 least, i64 most) const {
  const std::string expected = fmt::format("an integer from {} to {}", least, most);
  const std::optional<i64> value = parse_integer(plain_scalar(expected));
  if (!value || *value < least || *value > most) {
    fail_expected(expected);
  }
  return *value;
}

double StrictValue::number() const {
  const std::optional<double> value = parse_number(plain_scalar("a number"));
  if (!value) {
    fail_expected("a number");
  }
  return *value;
}

double StrictValue::number(double least, double most) const {
  const std::string expected = fmt::format("a number from {:g} to {:g}", least, most);
  const std::optional<double> value = parse_number(plain_scalar(expected));
  if (!value || *value < least || *value > most) {
    fail_expected(expected);
  }
  return *value;
}

bool StrictValue::flag() const {
  const std::string& word = plain_scalar("true or false");
  if (word != "true" && word != "false") {
    fail_expected("true or false");
  }
  return word == "true";
}

std::vector<StrictValue> StrictValue::list() const {
  if (!is_list()) {
    fail_expected("a list");
  }
  std::vector<StrictValue> values;
  for (const YamlNode& item : node_->items) {
    values.push_back(share(node_, item));
  }
  return values;
}

StrictMap StrictValue::map(std::vector<std::string> keys) const {
  if (!is_map()) {
    fail_expected("a map of " + join(keys, ", "));
  }
  return {node_, std::move(keys)};
}

StrictMap::StrictMap(std::shared_ptr<const YamlNode> node, std::vector<std::string> keys)
    : node_(std::move(node)), keys_(std::move(keys)) {
  for (const auto& [name, value] : node_->entries) {
    if (std::find(keys_.begin(), keys_.end(), name) == keys_.end()) {
      const std::string hint = did_you_mean(name, keys_);
      fail_at(value, value.key_path,
              "unknown key" + (hint.empty() ? "; expected one of " + join(keys_, ", ") : hint));
    }
  }
}

StrictValue StrictMap::required(std::string_view key) const {
  const std::optional<StrictValue> value = optional(key);
  if (!value) {
    const std::string& path = node_->key_path;
    fail_at(*node_, path.empty() ? std::string(key) : fmt::format("{}.{}", path, key),
            "missing key");
  }
  return *value;
}

std::optional<StrictValue> StrictMap::optional(std::string_view key) const {
  TILECAST_ASSERT(std::find(keys_.begin(), keys_.end(), key) != keys_.end());
  const YamlNode* value = node_->find(key);
  return value == nullptr ? std::nullopt : std::optional(share(node_, *value));
}

StrictValue load_yaml(const std::filesystem::path& path) {
  return StrictValue(std::make_shared<const YamlNode>(load_yaml_tree(path)));
}

StrictValue parse_yaml(std::string_view text, const std::string& file) {
  return StrictValue(std::make_shared<const YamlNode>(parse_yaml_tree(text, file)));
}

}  // namespace tilecast
