// Defines one table of keys that converts an op's configurations to strings and back: the canonical
// form (schedule:key=value,...), the short form (short_config_text.h), patterns, and the
// description of each key. To add a key, add a row to the table and its word to the short form.
// Checked by: kernel_config_text_test.cpp, stream_config_text_test.cpp, short_config_text_test.cpp.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "model/base/integers.h"

namespace tilecast {

/// Member of a configuration that holds a key's value: a number or an enumerator.
template <class Config>
struct ConfigMember {
  i32 (*get)(const Config&);
  void (*set)(Config&, i32);
};
template <class Config, auto... kPath>
inline constexpr ConfigMember<Config> member_at{
    [](const Config& config) { return static_cast<i32>((config.*....*kPath)); },
    [](Config& config, i32 value) {
      auto& member = (config.*....*kPath);
      member = static_cast<std::remove_reference_t<decltype(member)>>(value);
    }};

struct KeyWord {
  i32 value;
  std::string_view word, in_short;
  std::string_view meaning = {};

  template <class Enum>
  constexpr KeyWord(Enum of, std::string_view w, std::string_view s, std::string_view m = {})
      : value(static_cast<i32>(of)), word(w), in_short(s), meaning(m) {}
};

constexpr i32 kMostNumber = 1 << 20;

template <class Config>
struct ConfigKey {
  using Schedule = decltype(Config::schedule);
  struct More {
    std::span<const KeyWord> words = {};  // words that the key accepts; empty if it accepts numbers
    std::string_view form = {};           // form of a value with several numbers: MxNxK
    i32 least = 1, most = kMostNumber;
    std::string_view behind = {};           // suffix of the number in the short form
    i32 (*usual)(const Config&) = nullptr;  // default, which the short form omits
    bool optional = false;                  // the canonical form omits it if it has its default
  };

  std::string_view name, in_short;  // name; prefix in the short form
  std::vector<ConfigMember<Config>> members;
  // whether the schedule leaves the key open; if null, all schedules do
  bool (*has)(Schedule);
  std::string_view meaning = {};  // description of numbers
  More more = {};

  bool applies(Schedule schedule) const { return has == nullptr || has(schedule); }
};

/// A word of the short form: a key's value, followed by the values of other keys.
struct ShortWord {
  std::array<std::string_view, 3> keys;
  bool always = false;  // written even if the schedule fixes the key
};

template <class Config>
struct ConfigKeys {
  std::vector<ConfigKey<Config>> keys;  // keys in canonical order
  std::vector<ShortWord> short_words;
};
/// Returns the keys of an op's configurations; each op specializes it (kernel_config_text.h).
template <class Config>
const ConfigKeys<Config>& config_keys();

struct KeyValue {
  std::string text;  // "stages=4"
  std::string_view meaning;
};
/// Returns all keys of a configuration's canonical form, in order.
template <class Config>
std::vector<KeyValue> key_values(const Config& config);

template <class Config>
std::string canonical_text(const Config& config);
/// Inverse of canonical_text; the schedule fixes the remaining fields. Throws a ConfigError that
/// names the whole string, the key and the expected value.
template <class Config>
Config parse_canonical(std::string_view text, const Config& fixed);
/// Returns the schedule's name in a canonical string.
std::string_view name_in(std::string_view canonical);
[[noreturn]] void bad_config(std::string_view text, std::string_view why);

/// Sets the field from the word's string; returns false if the configuration cannot have that
/// value.
template <class Config>
std::string short_word(const ShortWord& word, const Config& config);
template <class Config>
bool read_short_word(const ShortWord& word, std::string_view text, Config& config);
/// Sets the fields of a part of either form, "stages=4" or "s4"; returns false if there is no such
/// key or value.
template <class Config>
bool set_part(std::string_view part, Config& config);

}  // namespace tilecast
