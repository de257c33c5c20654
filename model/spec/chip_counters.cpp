#include "model/spec/chip_counters.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "model/base/shown_text.h"
#include "model/base/text.h"

namespace tilecast {
namespace {

constexpr Words<CounterUnit, 11> kCounterUnits{{{CounterUnit::kNanoseconds, "ns"},
                                                {CounterUnit::kCycles, "cycle"},
                                                {CounterUnit::kHertz, "Hz"},
                                                {CounterUnit::kBytes, "B"},
                                                {CounterUnit::kSectors, "sector"},
                                                {CounterUnit::kRequests, "request"},
                                                {CounterUnit::kInstructions, "instruction"},
                                                {CounterUnit::kWavefronts, "wavefront"},
                                                {CounterUnit::kConflicts, "conflict"},
                                                {CounterUnit::kPercent, "%"},
                                                {CounterUnit::kRatio, "1"}}};

constexpr i64 kMostPasses = 100;

/// Readers of measurement files recognize a counter's column by this mark.
constexpr std::string_view kMetricMark = "__";

std::string metric_name(const StrictValue& value) {
  std::string name = value.text();
  if (name.find(kMetricMark) == std::string::npos) {
    value.fail(fmt::format("expected a CUPTI metric such as dram__bytes_read.sum, got '{}'",
                           printable(name)));
  }
  return name;
}

CounterSet parse_set(const StrictValue& value, std::set<std::string>& seen) {
  const StrictMap map = value.map({"passes", "metrics"});
  CounterSet set{.passes = map.required("passes").integer(1, kMostPasses), .counters = {}};
  for (const StrictValue& item : map.required("metrics").list()) {
    const StrictMap counter = item.map({"metric", "unit", "meaning"});
    const StrictValue metric = counter.required("metric");
    set.counters.push_back({metric_name(metric), counter.required("unit").word(kCounterUnits),
                            counter.required("meaning").text()});
    if (!seen.insert(set.counters.back().metric).second) {
      metric.fail("this metric is given twice");
    }
  }
  if (set.counters.empty()) {
    map.required("metrics").fail("expected at least one metric");
  }
  return set;
}

CounterSum parse_sum(const StrictValue& value, const CounterSet& core) {
  const std::vector<std::string> known = core.metrics();
  CounterSum sum;
  for (const StrictValue& item : value.list()) {
    const StrictMap term = item.map({"metric", "times"});
    const StrictValue metric = term.required("metric");
    sum.terms.push_back({metric.text(), term.required("times").number()});
    if (std::find(known.begin(), known.end(), sum.terms.back().metric) == known.end()) {
      metric.fail("expected one of the metrics of `core`" +
                  did_you_mean(sum.terms.back().metric, known));
    }
  }
  if (sum.terms.empty()) {
    value.fail("expected at least one metric");
  }
  return sum;
}

std::optional<Bytes> bytes_of(const CounterSum& sum, const CounterValues& values) {
  const std::optional<double> bytes = sum.of(values);
  return bytes ? std::optional(Bytes{*bytes}) : std::nullopt;
}

}  // namespace

std::string_view to_text(CounterUnit unit) { return word_of(kCounterUnits, unit); }
std::string_view to_text(CounterChoice choice) { return word_of(kCounterChoices, choice); }

CounterChoice parse_counter_choice(std::string_view text) {
  return value_of(kCounterChoices, "counters", text);
}

std::vector<std::string> CounterSet::metrics() const {
  std::vector<std::string> names;
  for (const Counter& counter : counters) {
    names.push_back(counter.metric);
  }
  return names;
}

std::optional<double> CounterSum::of(const CounterValues& values) const {
  double sum = 0;
  for (const Term& term : terms) {
    const auto found = values.find(term.metric);
    if (found == values.end()) {
      return std::nullopt;
    }
    sum += term.times * found->second;
  }
  return sum;
}

std::optional<Bytes> ChipCounters::l2_to_sm_bytes(const CounterValues& values) const {
  return bytes_of(l2_to_sm_sum, values);
}

std::optional<Bytes> ChipCounters::dram_read_bytes(const CounterValues& values) const {
  return bytes_of(dram_read_sum, values);
}

std::optional<Bytes> ChipCounters::dram_write_bytes(const CounterValues& values) const {
  return bytes_of(dram_write_sum, values);
}

std::optional<double> ChipCounters::l2_hit_rate(const CounterValues& values) const {
  const std::optional<Bytes> delivered = l2_to_sm_bytes(values), read = dram_read_bytes(values);
  if (!delivered || !read || delivered->value <= 0) {
    return std::nullopt;
  }
  return 1 - *read / *delivered;
}

ChipCounters parse_chip_counters(const StrictValue& root) {
  const StrictMap map = root.map({"chip", "core", "full", "quantities"});
  ChipCounters chip;
  chip.chip = map.required("chip").text();
  std::set<std::string> seen;
  chip.core = parse_set(map.required("core"), seen);
  const CounterSet more = parse_set(map.required("full"), seen);
  chip.full = {.passes = more.passes, .counters = chip.core.counters};
  chip.full.counters.insert(chip.full.counters.end(), more.counters.begin(), more.counters.end());
  const StrictMap quantities =
      map.required("quantities").map({"l2_to_sm_bytes", "dram_read_bytes", "dram_write_bytes"});
  chip.l2_to_sm_sum = parse_sum(quantities.required("l2_to_sm_bytes"), chip.core);
  chip.dram_read_sum = parse_sum(quantities.required("dram_read_bytes"), chip.core);
  chip.dram_write_sum = parse_sum(quantities.required("dram_write_bytes"), chip.core);
  return chip;
}

std::optional<ChipCounters> load_chip_counters(const std::filesystem::path& config_folder,
                                               std::string_view chip) {
  const std::filesystem::path path = config_folder / "counters" / (lower_case(chip) + ".yaml");
  if (!std::filesystem::exists(path)) {
    return std::nullopt;
  }
  const StrictValue root = load_yaml(path);
  ChipCounters counters = parse_chip_counters(root);
  if (counters.chip != chip) {
    root.fail(fmt::format("expected chip: {}, as the file's name says, got {}", chip,
                          printable(counters.chip)));
  }
  return counters;
}

}  // namespace tilecast
