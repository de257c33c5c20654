#include "model/ops/config_pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "model/base/error.h"
#include "model/base/refuse.h"
#include "model/base/shown_text.h"
#include "model/base/text.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/op/config_key.h"
#include "model/ops/short_config_text.h"
#include "model/stream/stream_config_text.h"

namespace tilecast {
namespace {

std::string_view key_of(std::string_view part) { return part.substr(0, part.find('=')); }

/// Returns the keys of the canonical form, in its order; optional keys only on request.
std::vector<std::string> keys_of(const AnySchedule& any, bool with_optional) {
  return std::visit(
      [&](auto schedule) {
        std::vector<std::string> names;
        for (const auto& key : config_keys<decltype(fixed_by_schedule(schedule))>().keys) {
          if (key.applies(schedule) && (with_optional || !key.more.optional)) {
            names.emplace_back(key.name);
          }
        }
        return names;
      },
      any);
}

/// Returns the key of a word of the short form: its letters. m, n and h belong to one key, the tile
/// order.
std::string_view about(std::string_view word) {
  const std::string_view letters = word.substr(0, word.find_first_of("0123456789"));
  return letters == "n" || letters == "h" || letters == "hk" ? "m" : letters;
}

bool is_long(std::string_view part) { return part.find('=') != part.npos; }

bool is_about_the_same(std::string_view part, std::string_view other) {
  return is_long(part) ? key_of(part) == key_of(other) : about(part) == about(other);
}

const std::string& parts_like(std::string_view part, const ConfigTexts& config) {
  return is_long(part) ? config.canonical : config.in_short;
}

std::vector<double> numbers_in(std::string_view part) {
  std::vector<double> numbers;
  for (std::size_t at = 0; (at = part.find_first_of("0123456789", at)) != part.npos;) {
    const std::size_t end = std::min(part.find_first_not_of("0123456789", at), part.size());
    numbers.push_back(parse_number(part.substr(at, end - at)).value_or(0));
    at = end;
  }
  return numbers;
}

/// Distance between the numbers of two parts, as ratios; large if they belong to different keys. A
/// tile without K is compared in M and N.
double apart(std::string_view part, std::string_view other) {
  const std::vector<double> a = numbers_in(part), b = numbers_in(other);
  if (a.size() > b.size()) {
    return std::numeric_limits<double>::infinity();
  }
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum += std::abs(std::log((a[i] + 1) / (b[i] + 1)));
  }
  return sum;
}

/// Whether a word consists of sizes joined by x, such as "128x256x64" or "2x1". The word "x" for
/// swapped operands does not.
bool is_tile(std::string_view word) {
  return word.find('x', 1) != word.npos && word.find_first_not_of("0123456789x") == word.npos;
}

/// Formats "a, b or c"; for long lists the first three and the number of others.
std::string any_of(std::vector<std::string> words) {
  constexpr size_t kMost = 8, kSome = 3;
  if (words.size() < 2) {
    return join(words, "");
  }
  std::string last = words.back();
  words.pop_back();
  if (words.size() >= kMost) {
    last = fmt::format("any of {} more", words.size() + 1 - kSome);
    words.resize(kSome);
  }
  return fmt::format("{} or {}", join(words, ", "), last);
}

bool has(const ConfigTexts& config, const std::string& part) {
  const std::string& parts = parts_like(part, config);
  const std::string start = parts.front() + part;
  const std::string_view value = std::string_view(part).substr(part.find('=') + 1);
  const bool without_k = is_tile(value) && std::ranges::count(value, 'x') == 1;
  return (without_k && parts.find(start + "x") != std::string::npos) ||
         parts.find(start + parts.front()) != std::string::npos;
}

}  // namespace

AnySchedule schedule_named(std::string_view text, std::optional<Op> op) {
  const auto squeezed = [](std::string_view name) {
    std::string word = lower_case(name);
    std::erase_if(word, [](char c) { return c == '_' || c == '-'; });
    return word;
  };
  std::string word = squeezed(text);
  constexpr std::string_view kCooperative = "cooperative";
  if (word.size() > 3 && kCooperative.starts_with(word)) {
    word = squeezed(to_text(Schedule::kWarpSpecialized));
  }
  std::vector<AnySchedule> begun;
  std::vector<std::string> names;
  for (const AnySchedule& schedule : every_schedule()) {
    const std::string name = squeezed(to_text(schedule));
    if (name == word) {
      return schedule;
    }
    if (!word.empty() && name.starts_with(word) && (!op || op_of(schedule) == *op)) {
      begun.push_back(schedule);
      names.emplace_back(to_text(schedule));
    }
  }
  const std::optional<AnySchedule> abbreviated = schedule_abbreviated(word);
  if (abbreviated && (!op || op_of(*abbreviated) == *op)) {
    return *abbreviated;
  }
  refuse_if(begun.size() > 1, "schedule '{}' is ambiguous: expected one of {}", printable(text),
            join(names, ", "));
  if (begun.empty()) {
    std::vector<std::string> known;
    for (const AnySchedule& schedule : every_schedule()) {
      if (op_of(schedule) == op.value_or(Op{})) {
        known.emplace_back(common_name(schedule));
      }
    }
    throw ConfigError(fmt::format("unknown schedule '{}': expected one of {}{}", on_one_line(text),
                                  join(known, ", "), did_you_mean(text, known)));
  }
  return begun.front();
}

ConfigPattern::ConfigPattern(std::string_view given) : text_(given) {
  const std::string lower = lower_case(given);
  const std::string_view text = lower;
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) {
    read_short(lower);
  } else {
    read_long(text.substr(0, colon), text.substr(colon + 1));
  }
}

void ConfigPattern::read_long(std::string_view name, std::string_view text) {
  schedule_ = schedule_named(name);
  const std::vector<std::string> keys = keys_of(*schedule_, true);
  std::map<std::string, std::string> given;  // parts by key
  for (const std::string_view part : split(text, ',')) {
    if (text.empty()) {
      break;  // the schedule only
    }
    const std::string key(key_of(part));
    if (std::ranges::find(keys, key) == keys.end()) {
      fail(fmt::format("{} has no key '{}': expected one of {}{}", to_text(*schedule_), key,
                       join(keys, ", "), did_you_mean(key, keys)));
    }
    if (key.size() == part.size()) {
      fail(fmt::format("expected {}=..., got '{}'", key, part));
    }
    if (!given.emplace(key, part).second) {
      fail(fmt::format("{} is given twice", key));
    }
    given_.emplace_back(part);
  }
  if (std::ranges::all_of(keys_of(*schedule_, false),
                          [&](const std::string& key) { return given.contains(key); })) {
    std::vector<std::string> in_order;
    for (const std::string& key : keys) {
      if (given.contains(key)) {
        in_order.push_back(given[key]);
      }
    }
    const std::string whole = fmt::format("{}:{}", to_text(*schedule_), join(in_order, ","));
    whole_ = parse_config(whole);
  }
}

void ConfigPattern::read_short(std::string text) {
  std::ranges::replace(text, ',', ' ');
  std::vector<std::string> words;
  bool has_tile = false;
  for (const std::string_view word : split(text, ' ')) {
    if (!word.empty()) {
      words.emplace_back((has_tile && is_tile(word) ? "c" : "") + std::string(word));  // cluster
      has_tile = has_tile || is_tile(word);
    }
  }
  if (words.empty()) {
    fail("expected a schedule");
  }
  if (parse_integer(words.front())) {
    fail("expected a schedule, such as pingpong, or a tile, such as 128x256");
  }
  if (std::isdigit(static_cast<unsigned char>(words.front().front())) != 0 &&
      !is_tile(words.front())) {
    fail("expected a tile, such as 128x256, and a space before the next part");
  }
  std::vector<std::string> keys;
  for (const AnySchedule& schedule : every_schedule()) {
    const std::vector<std::string> own = keys_of(schedule, true);
    keys.insert(keys.end(), own.begin(), own.end());
  }
  for (const std::string& word : words) {
    if (is_long(word) && std::ranges::find(keys, key_of(word)) == keys.end()) {
      fail(fmt::format("no schedule has a key '{}'{}", key_of(word),
                       did_you_mean(key_of(word), keys)));
    }
  }
  if (is_tile(words.front()) || is_long(words.front())) {
    given_ = std::move(words);
    return;
  }
  whole_ = parse_short_config(join(words, " "));
  schedule_ = schedule_named(words.front());
  const std::optional<AnySchedule> abbreviated = schedule_abbreviated(words.front());
  const bool says_how = abbreviated && words.front() != abbreviation_of(*abbreviated);
  given_.assign(words.begin() + (says_how ? 0 : 1), words.end());
}

ConfigTexts ConfigTexts::of(const AnyConfig& config) {
  const std::string text = to_text(config);
  return {"," + text.substr(text.find(':') + 1) + ",", " " + short_text(config) + " "};
}

bool ConfigPattern::is_about_order(const std::string& part) {
  return is_long(part) ? part.starts_with("raster=") || part.starts_with("group=") ||
                             part.starts_with("walk=")
                       : about(part) == "m";
}

bool ConfigPattern::allows(const Tiling& tile) const {
  const std::array own{tile.block_m, tile.block_n, tile.block_k};
  return std::ranges::all_of(given_, [&](std::string_view part) {
    part.remove_prefix(part.starts_with("tile=") ? std::string_view("tile=").size() : 0);
    const std::vector<double> numbers = is_tile(part) ? numbers_in(part) : std::vector<double>();
    return numbers.size() <= own.size() && std::equal(numbers.begin(), numbers.end(), own.begin());
  });
}

bool ConfigPattern::matches(const ConfigTexts& config, bool any_order) const {
  return std::ranges::all_of(given_, [&](const std::string& part) {
    return (any_order && is_about_order(part)) || has(config, part);
  });
}

bool ConfigPattern::set_on(KernelConfig& config) const {
  return std::ranges::all_of(given_, [&](const std::string& part) {
    return is_tile(part) || key_of(part) == "tile" || set_part(part, config);
  });
}

std::string ConfigPattern::why_none(const std::vector<ConfigTexts>& configs) const {
  std::vector<const ConfigTexts*> left;
  for (const ConfigTexts& config : configs) {
    left.push_back(&config);
  }
  std::vector<std::string> before;
  for (const std::string& part : given_) {
    std::vector<const ConfigTexts*> having;
    std::ranges::copy_if(left, std::back_inserter(having),
                         [&](const ConfigTexts* config) { return has(*config, part); });
    if (having.empty()) {
      std::set<std::string> others;
      for (const ConfigTexts* config : left) {
        const std::string& parts = parts_like(part, *config);
        for (const std::string_view other : split(parts, parts.front())) {
          if (!other.empty() && is_about_the_same(part, other)) {
            others.emplace(other);
          }
        }
      }
      std::vector<std::string> nearest(others.begin(), others.end());
      std::ranges::stable_sort(nearest, {},
                               [&](const std::string& other) { return apart(part, other); });
      return complaint(fmt::format(
          "no candidate has {}{}{}", part, before.empty() ? "" : " with " + join(before, ", "),
          nearest.empty() ? "" : "; there is " + any_of(std::move(nearest))));
    }
    left = std::move(having);
    before.push_back(part);
  }
  return "";
}

std::string ConfigPattern::complaint(const std::string& why) const {
  return on_one_line(fmt::format("configuration '{}': {}", text_, why));
}

void ConfigPattern::fail(const std::string& why) const { throw ConfigError(complaint(why)); }

}  // namespace tilecast
