#include "model/ops/short_config_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "model/base/text.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/op/config_key.h"
#include "model/ops/short_legend.h"
#include "model/stream/stream_config_text.h"

namespace tilecast {
namespace {

/// Word for the tile scheduler, if the schedule leaves it open: a suffix of the abbreviation.
constexpr ShortWord kGrid{{"grid"}, true};
std::string grid_text(const KernelConfig& config) {
  return traits_of(config.schedule).grid_is_open ? short_word(kGrid, config) : "";
}
template <class Config>
std::string grid_text(const Config&) {
  return {};
}
bool read_grid(std::string_view text, KernelConfig& config) {
  return traits_of(config.schedule).grid_is_open ? read_short_word(kGrid, text, config)
                                                 : text.empty();
}
template <class Config>
bool read_grid(std::string_view text, Config&) {
  return text.empty();
}

/// Adds the abbreviation's suffix `how`, and the words, to the fields that the schedule fixes.
template <class Schedule>
std::optional<AnyConfig> read_words(Schedule schedule, std::string_view how,
                                    const std::vector<std::string_view>& words) {
  auto config = fixed_by_schedule(schedule);
  const auto& [keys, short_words] = config_keys<decltype(config)>();
  if (!read_grid(how, config)) {
    return std::nullopt;
  }
  for (const std::string_view text : words) {
    const auto reads = [&](const ShortWord& word) { return read_short_word(word, text, config); };
    if (std::ranges::none_of(short_words, reads)) {
      return std::nullopt;
    }
  }
  for (const auto& key : keys) {
    const auto& [get, set] = key.members.front();
    if (key.more.usual != nullptr && get(config) == 0) {
      set(config, key.more.usual(config));
    }
  }
  return config;
}

template <class Config>
std::string short_text_of(const Config& config) {
  std::string text = traits_of(config.schedule).abbreviation + grid_text(config);
  for (const ShortWord& word : config_keys<Config>().short_words) {
    const std::string part = short_word(word, config);
    text += part.empty() ? "" : " " + part;
  }
  return text;
}

}  // namespace

std::string short_text(const AnyConfig& config) {
  return std::visit([](const auto& c) { return short_text_of(c); }, config);
}

std::string short_legend(const std::vector<AnyConfig>& configs) {
  std::vector<std::string> schedules, words;
  const auto add = [](std::vector<std::string>& parts, const std::string& part) {
    if (std::ranges::find(parts, part) == parts.end()) {
      parts.push_back(part);
    }
  };
  for (const AnyConfig& any : configs) {
    add(schedules,
        fmt::format("{} {}", abbreviation_of(schedule_of(any)), to_text(schedule_of(any))));
    std::visit(
        [&]<class Config>(const Config& config) {
          const auto add_word = [&](const ShortWord& word, std::string_view first) {
            for (const ConfigKey<Config>& key : config_keys<Config>().keys) {
              if (std::ranges::find(word.keys, key.name) == word.keys.end()) {
                continue;
              }
              if (!key.in_short.empty()) {
                const std::string_view end = key.more.behind;
                add(words,
                    fmt::format("{}{}{} {}", key.in_short, end.empty() ? "" : "..", end, key.name));
              }
              for (const KeyWord& value : key.more.words) {
                if (!value.in_short.empty() && value.value == key.members.front().get(config)) {
                  add(words, key.name == first
                                 ? fmt::format("{} {}", value.in_short, value.word)
                                 : fmt::format("..{} {}={}", value.in_short, key.name, value.word));
                }
              }
            }
          };
          if (!grid_text(config).empty()) {
            add_word(kGrid, "");
          }
          for (const ShortWord& word : config_keys<Config>().short_words) {
            if (!short_word(word, config).empty()) {
              add_word(word, word.keys.front());
            }
          }
        },
        any);
  }
  return fmt::format("{}; {}", join(schedules, ", "), join(words, ", "));
}

std::string field_name(const AnyConfig& config) {
  if (const KernelConfig* gemm = std::get_if<KernelConfig>(&config)) {
    switch (gemm->schedule) {
      case Schedule::kWarpSpecialized:
        return consumer_warpgroups(gemm->schedule, gemm->tiling) > 1 ? "cooperative"
                                                                     : "warp-specialized";
      case Schedule::kPingPong:
        return "pingpong";
      case Schedule::kSplitK:
        return "split-K";
      case Schedule::kSplitKHybrid:
        return "split-K-hybrid";
      case Schedule::kStreamK:
        return "stream-K";
      case Schedule::kStreamKHybrid:
        return "stream-K-hybrid";
      default:
        break;
    }
  }
  return std::string(to_text(schedule_of(config)));
}

std::string_view common_name(const AnySchedule& schedule) {
  return schedule == AnySchedule(Schedule::kWarpSpecialized) ? "cooperative"
         : schedule == AnySchedule(Schedule::kPingPong)      ? "pingpong"
                                                             : to_text(schedule);
}

std::string_view abbreviation_of(const AnySchedule& schedule) {
  return std::visit([](const auto s) { return traits_of(s).abbreviation; }, schedule);
}

std::optional<AnySchedule> schedule_abbreviated(std::string_view word) {
  for (const AnySchedule& schedule : every_schedule()) {
    const std::string_view abbreviation = abbreviation_of(schedule);
    const auto reads = [&](auto s) {
      auto config = fixed_by_schedule(s);
      return read_grid(word.substr(abbreviation.size()), config);
    };
    if (word.starts_with(abbreviation) && std::visit(reads, schedule)) {
      return schedule;
    }
  }
  return std::nullopt;
}

std::optional<AnyConfig> parse_short_config(std::string_view text) {
  std::vector<std::string_view> words = split(text, ' ');
  const std::optional<AnySchedule> schedule = schedule_abbreviated(words.front());
  if (!schedule) {
    return std::nullopt;
  }
  const std::string_view how = words.front().substr(abbreviation_of(*schedule).size());
  words.erase(words.begin());
  const std::optional<AnyConfig> config =
      std::visit([&](const auto s) { return read_words(s, how, words); }, *schedule);
  // Complete in this form, and valid as a canonical string.
  return config && short_text(*config) == text && parse_config(to_text(*config)) == *config
             ? config
             : std::nullopt;
}

}  // namespace tilecast
