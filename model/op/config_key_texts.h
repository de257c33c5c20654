// Templates of config_key.h, to be included where an op instantiates them for its configuration.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "model/base/error.h"
#include "model/base/shown_text.h"
#include "model/base/text.h"
#include "model/op/config_key.h"

namespace tilecast {
namespace key_texts {

inline constexpr i32 kMostInShort = 1 << 16;  // above any legal value of these keys

inline const KeyWord* word_of(std::span<const KeyWord> words, i32 value) {
  const auto found = std::ranges::find(words, value, &KeyWord::value);
  return found == words.end() ? nullptr : &*found;
}

template <class Config>
std::string numbers_text(const ConfigKey<Config>& key, const Config& config) {
  std::vector<std::string> numbers;
  for (const ConfigMember<Config>& member : key.members) {
    numbers.push_back(fmt::to_string(member.get(config)));
  }
  return join(numbers, "x");
}

/// Returns the key of that name that the configuration's schedule leaves open; if none is, the
/// first key of that name.
template <class Config>
const ConfigKey<Config>& key_named(std::string_view name, const Config& config) {
  const auto& keys = config_keys<Config>().keys;
  const auto open = std::ranges::find_if(keys, [&](const ConfigKey<Config>& key) {
    return key.name == name && key.applies(config.schedule);
  });
  return open != keys.end() ? *open : *std::ranges::find(keys, name, &ConfigKey<Config>::name);
}

template <class Config>
void read_word(const ConfigKey<Config>& key, std::string_view given, Config& config) {
  const std::string text = lower_case(given);
  const auto found = std::ranges::find(key.more.words, text, &KeyWord::word);
  if (found == key.more.words.end()) {
    std::vector<std::string> known;
    std::ranges::transform(key.more.words, std::back_inserter(known),
                           [](const KeyWord& word) { return std::string(word.word); });
    throw ConfigError(fmt::format("unknown {} '{}': expected one of {}{}", key.name,
                                  on_one_line(given), join(known, ", "),
                                  did_you_mean(given, known)));
  }
  key.members.front().set(config, found->value);
}

template <class Config>
void read_numbers(std::string_view text, const ConfigKey<Config>& key, std::string_view given,
                  Config& config) {
  const auto fail = [&](const std::string& why) {
    bad_config(text, fmt::format("{}={}: {}", key.name, given, why));
  };
  const std::vector<std::string_view> parts = split(given, 'x');
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::optional<i64> number = parse_integer(parts[i]);
    const bool fits = number && *number >= key.more.least && *number <= key.more.most;
    if (key.more.form.empty() ? !fits || parts.size() > 1
                              : parts[i].find_first_not_of("0123456789") != parts[i].npos) {
      fail(key.more.form.empty()
               ? fmt::format("expected an integer from {} to {}", key.more.least, key.more.most)
               : fmt::format("expected {}", key.more.form));
    }
    if (!fits) {
      fail(parts[i].empty() ? fmt::format("expected {}", key.more.form)
                            : fmt::format("{} is out of range, expected {} to {}", parts[i],
                                          key.more.least, key.more.most));
    }
    if (i < key.members.size()) {
      key.members[i].set(config, static_cast<i32>(*number));
    }
  }
  if (parts.size() != key.members.size()) {
    fail(fmt::format("expected {}", key.more.form));
  }
}

/// Removes the longest matching word from the front of `rest`. An optional key may match nothing.
template <class Config>
bool take_word(const ConfigKey<Config>& key, std::string_view& rest, Config& config) {
  const KeyWord* longest = nullptr;
  for (const KeyWord& word : key.more.words) {
    if (rest.starts_with(word.in_short) &&
        (longest == nullptr || word.in_short.size() > longest->in_short.size())) {
      longest = &word;
    }
  }
  if (longest != nullptr) {
    rest.remove_prefix(longest->in_short.size());
    key.members.front().set(config, longest->value);
  }
  return longest != nullptr || key.more.optional;
}

template <class Config>
bool take_numbers(const ConfigKey<Config>& key, std::string_view& rest, Config& config) {
  const std::size_t begin = key.in_short.size();
  const std::size_t end = std::min(rest.find_first_not_of("0123456789x", begin), rest.size());
  if (!rest.starts_with(key.in_short) || !rest.substr(end).starts_with(key.more.behind)) {
    return false;
  }
  const std::vector<std::string_view> parts = split(rest.substr(begin, end - begin), 'x');
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::optional<i64> number = parse_integer(parts[i]);
    if (parts.size() != key.members.size() || !number || *number > kMostInShort) {
      return false;
    }
    key.members[i].set(config, static_cast<i32>(*number));
  }
  rest.remove_prefix(end + key.more.behind.size());
  return true;
}

}  // namespace key_texts

template <class Config>
std::vector<KeyValue> key_values(const Config& config) {
  std::vector<KeyValue> values;
  for (const ConfigKey<Config>& key : config_keys<Config>().keys) {
    const KeyWord* const word = key_texts::word_of(key.more.words, key.members.front().get(config));
    if (key.applies(config.schedule) && !(key.more.optional && word == nullptr)) {
      values.push_back({fmt::format("{}={}", key.name,
                                    word != nullptr ? std::string(word->word)
                                                    : key_texts::numbers_text(key, config)),
                        word != nullptr ? word->meaning : key.meaning});
    }
  }
  return values;
}

template <class Config>
std::string canonical_text(const Config& config) {
  std::vector<std::string> parts;
  std::ranges::transform(key_values(config), std::back_inserter(parts), &KeyValue::text);
  return fmt::format("{}:{}", traits_of(config.schedule).name, join(parts, ","));
}

template <class Config>
Config parse_canonical(std::string_view text, const Config& fixed) {
  Config config = fixed;
  const std::vector<std::string_view> pairs = split(text.substr(text.find(':') + 1), ',');
  auto pair = pairs.begin();
  for (const ConfigKey<Config>& key : config_keys<Config>().keys) {
    const auto is_next = [&] { return pair->substr(0, pair->find('=')) == key.name; };
    if (!key.applies(config.schedule) ||
        (key.more.optional && (pair == pairs.end() || !is_next()))) {
      continue;
    }
    if (pair == pairs.end()) {
      bad_config(text, fmt::format("expected {}=... at the end", key.name));
    }
    if (!is_next() || pair->size() == key.name.size()) {
      bad_config(text, fmt::format("expected {}=..., got '{}'", key.name, *pair));
    }
    const std::string_view given = (pair++)->substr(key.name.size() + 1);
    key.more.words.empty() ? key_texts::read_numbers(text, key, given, config)
                           : key_texts::read_word(key, given, config);
  }
  if (pair != pairs.end()) {
    bad_config(text, fmt::format("unexpected '{}' at the end", *pair));
  }
  if (const std::string canonical = canonical_text(config); canonical != text) {
    bad_config(text, "expected the canonical form " + canonical);  // e.g. 4, not 04
  }
  return config;
}

template <class Config>
std::string short_word(const ShortWord& word, const Config& config) {
  std::string text;
  for (const std::string_view name : word.keys) {
    if (name.empty() || (name == word.keys.front() && !word.always &&
                         !key_texts::key_named(name, config).applies(config.schedule))) {
      break;
    }
    const ConfigKey<Config>& key = key_texts::key_named(name, config);
    const i32 value = key.members.front().get(config);
    if (!key.more.words.empty()) {
      const KeyWord* const found = key_texts::word_of(key.more.words, value);
      text += found == nullptr ? "" : found->in_short;
    } else if (key.more.usual == nullptr || key.more.usual(config) != value) {
      text += fmt::format("{}{}{}", key.in_short, key_texts::numbers_text(key, config),
                          key.more.behind);
    }
  }
  return text;
}

template <class Config>
bool read_short_word(const ShortWord& word, std::string_view text, Config& config) {
  Config read = config;
  for (const std::string_view name : word.keys) {
    if (name.empty()) {
      break;
    }
    const ConfigKey<Config>& key = key_texts::key_named(name, config);
    const bool there = key.more.words.empty() ? key_texts::take_numbers(key, text, read)
                                              : key_texts::take_word(key, text, read);
    if (!there && key.more.usual == nullptr) {
      return false;
    }
  }
  config = text.empty() ? read : config;
  return text.empty();
}

template <class Config>
bool set_part(std::string_view part, Config& config) {
  const auto& [keys, short_words] = config_keys<Config>();
  const std::size_t equals = part.find('=');
  if (equals == part.npos) {
    return std::ranges::any_of(
        short_words, [&](const ShortWord& word) { return read_short_word(word, part, config); });
  }
  const std::string_view name = part.substr(0, equals), given = part.substr(equals + 1);
  if (std::ranges::find(keys, name, &ConfigKey<Config>::name) == keys.end()) {
    return false;
  }
  const ConfigKey<Config>& key = key_texts::key_named(name, config);
  try {
    key.more.words.empty() ? key_texts::read_numbers(part, key, given, config)
                           : key_texts::read_word(key, given, config);
  } catch (const ConfigError&) {
    return false;
  }
  return true;
}

}  // namespace tilecast
