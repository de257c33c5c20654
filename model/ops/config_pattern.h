// A user's pattern for configurations, which sets all keys or only some.
//   warp_specialized:tile=128x256x64,stages=4   keys of the canonical text, in any order
//   ws:tile=128x256x64                          the schedule by name, abbreviation or prefix
//   ws 128x256x64 s4                            words of the short form
//   ws                                          only the schedule
//   cooperative 128x256                         CUTLASS's name; a tile without its K
//   128x256x64 2x1 stages=4                     a tile of any schedule, its cluster, a key
// Without its `1` or `t` a short form leaves the tile scheduler open, unless it is complete.
// Checked by: config_pattern_test.cpp.
#pragma once

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/ops/any_op.h"

namespace tilecast {

/// Strings in which a pattern looks for its parts.
struct ConfigTexts {
  std::string canonical, in_short;  // each part is between separators

  static ConfigTexts of(const AnyConfig& config);
};

class ConfigPattern {
 public:
  /// Throws ConfigError for an unknown schedule and for an unknown or duplicate key.
  explicit ConfigPattern(std::string_view text);

  /// Schedules that match; any if empty.
  std::vector<AnySchedule> schedules() const {
    return schedule_ ? std::vector{*schedule_} : std::vector<AnySchedule>{};
  }
  /// The configuration, if no key is open.
  const std::optional<AnyConfig>& whole() const { return whole_; }

  /// Whether a GEMM kernel with this tile may match.
  bool allows(const Tiling& tile) const;
  /// Whether a part is about the tile order.
  bool names_order() const { return std::ranges::any_of(given_, is_about_order); }
  /// Whether the configuration matches, in any tile order if `any_order`. It must be of one of the
  /// schedules.
  bool matches(const ConfigTexts& config, bool any_order = false) const;
  bool matches(const AnyConfig& config) const { return matches(ConfigTexts::of(config)); }
  template <class Config>
  std::vector<Config> matching(const std::vector<Config>& configs) const {
    std::vector<Config> those;
    std::ranges::copy_if(configs, std::back_inserter(those),
                         [this](const Config& config) { return matches(config); });
    return those;
  }
  /// Returns the message for a pattern that matches none of `configs`: which part matches nothing,
  /// and which values exist.
  std::string why_none(const std::vector<ConfigTexts>& configs) const;
  template <class Config>
  std::string why_none(const std::vector<Config>& configs) const {
    std::vector<ConfigTexts> texts;
    for (const Config& config : configs) {
      texts.push_back(ConfigTexts::of(config));
    }
    return why_none(texts);
  }
  /// Sets all parts except the tile, such as other stages; returns false if the schedule does not
  /// have them.
  bool set_on(KernelConfig& config) const;
  /// Formats the message that this configuration cannot be used.
  std::string complaint(const std::string& why) const;

 private:
  void read_long(std::string_view name, std::string_view keys);
  void read_short(std::string text);
  static bool is_about_order(const std::string& part);
  [[noreturn]] void fail(const std::string& why) const;

  std::string text_;
  std::optional<AnySchedule> schedule_;
  std::vector<std::string> given_;  // key=value pairs, or words of the short form
  std::optional<AnyConfig> whole_;
};

/// Finds the schedule that `text` names: by name, abbreviation or unique prefix; case, underscores
/// and hyphens do not matter. "cooperative" and "coop", CUTLASS's name, mean warp_specialized. If
/// `op` is given, considers only its schedules. Throws a ConfigError that lists the candidates.
AnySchedule schedule_named(std::string_view text, std::optional<Op> op = {});

}  // namespace tilecast
