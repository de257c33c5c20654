// Hardware counters to collect on one chip, and the values derived from them:
// configs/counters/<chip>.yaml. Names are CUPTI's; validate/measure/counters/metric_plan_test.cpp
// checks with CUPTI that they exist and how many passes a set takes.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/integers.h"
#include "model/base/units.h"
#include "model/base/words.h"
#include "model/spec/strict_map.h"

namespace tilecast {

enum class CounterUnit {
  kNanoseconds,
  kCycles,
  kHertz,
  kBytes,
  kSectors,  // number of sectors, 32 bytes each
  kRequests,
  kInstructions,  // number of warp instructions
  kWavefronts,
  kConflicts,
  kPercent,
  kRatio,
};

std::string_view to_text(CounterUnit unit);

struct Counter {
  std::string metric;  // CUPTI's name
  CounterUnit unit;
  std::string meaning;
};

struct CounterSet {
  i64 passes;  // number of launches needed to collect the set
  std::vector<Counter> counters;

  std::vector<std::string> metrics() const;
};

/// Values of one launch by CUPTI name; missing means not collected.
using CounterValues = std::map<std::string, double>;

/// Weighted sum of counters.
struct CounterSum {
  struct Term {
    std::string metric;
    double times;
  };
  std::vector<Term> terms;

  /// Evaluates the sum; std::nullopt if a counter is missing.
  std::optional<double> of(const CounterValues& values) const;
};

struct ChipCounters {
  std::string chip;  // GH100
  CounterSet core;
  CounterSet full;  // core and additional counters
  CounterSum l2_to_sm_sum, dram_read_sum, dram_write_sum;

  /// Bytes delivered by L2 to SMs; a multicast counts once.
  std::optional<Bytes> l2_to_sm_bytes(const CounterValues& values) const;
  std::optional<Bytes> dram_read_bytes(const CounterValues& values) const;
  std::optional<Bytes> dram_write_bytes(const CounterValues& values) const;
  /// 1 - DRAM read bytes / L2-to-SM bytes.
  std::optional<double> l2_hit_rate(const CounterValues& values) const;
};

/// Parses a counter file. Throws ConfigError `file:line: key: expectation`.
ChipCounters parse_chip_counters(const StrictValue& root);

/// Reads `config_folder`/counters/<chip in lower case>.yaml; std::nullopt if it does not exist.
/// Throws FileError, or the exceptions of parse_chip_counters.
std::optional<ChipCounters> load_chip_counters(const std::filesystem::path& config_folder,
                                               std::string_view chip);

/// Counter set to collect, chosen by --counters, or by `counters` of a suite.
enum class CounterChoice { kNone, kCore, kFull };

constexpr Words<CounterChoice, 3> kCounterChoices{{{CounterChoice::kNone, "none"},
                                                   {CounterChoice::kCore, "core"},
                                                   {CounterChoice::kFull, "full"}}};

std::string_view to_text(CounterChoice choice);
/// Parses a choice. Throws a ConfigError that lists the known words.
CounterChoice parse_counter_choice(std::string_view text);

}  // namespace tilecast
