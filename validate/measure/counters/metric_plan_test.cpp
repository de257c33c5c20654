#include "validate/measure/counters/metric_plan.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>

#include "model/spec/chip_counters.h"
#include "model/spec/load_gpu.h"
#include "tests/catch.h"
#include "tests/error_message.h"
#include "validate/measure/counters/cupti_error.h"

namespace tilecast {
namespace {

/// Whether CUPTI's unit equals the plan's; a clock counts as cycles of a domain per second.
bool same_unit(CounterUnit unit, const MetricFacts& facts) {
  switch (unit) {
    case CounterUnit::kNanoseconds:
      return facts.unit == "nanosecond";
    case CounterUnit::kCycles:
      return facts.unit.ends_with("_cycle");
    case CounterUnit::kHertz:
      return facts.unit.ends_with("_cycle/second");
    case CounterUnit::kBytes:
      return facts.unit == "byte";
    case CounterUnit::kSectors:
      return facts.unit == "l2_sector";
    case CounterUnit::kRequests:
      return facts.unit == "l2_request";
    case CounterUnit::kInstructions:
      return facts.unit == "instruction" && !facts.ratio;
    case CounterUnit::kWavefronts:
      return facts.unit == "l1tex_wavefront";
    case CounterUnit::kConflicts:
      return facts.unit == "l1data_bank_conflict";
    case CounterUnit::kPercent:
      return facts.unit == "percent";
    case CounterUnit::kRatio:
      return facts.ratio;
  }
  return false;
}

/// Describes the contradiction between the set and CUPTI in one line; empty if they agree.
std::string fault_of(const std::string& chip, const CounterSet& set) {
  try {
    const MetricPlan plan(chip, set.metrics());
    for (const Counter& counter : set.counters) {
      if (const MetricFacts facts = plan.facts(counter.metric); !same_unit(counter.unit, facts)) {
        return fmt::format("{}: {} has the unit {}, not {}", chip, counter.metric, facts.unit,
                           to_text(counter.unit));
      }
    }
    if (plan.passes() != static_cast<std::size_t>(set.passes)) {
      return fmt::format("{}: takes {} passes, not {}", chip, plan.passes(), set.passes);
    }
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::vector<std::string> chips_with_a_file() {
  std::vector<std::string> chips;
  for (const auto& entry : std::filesystem::directory_iterator(config_folder() / "counters")) {
    std::string chip = entry.path().stem().string();
    for (char& letter : chip) {
      letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
    }
    chips.push_back(chip);
  }
  return chips;
}

TEST_CASE("CUPTI has every metric of the counter files, with its unit and number of passes") {
  const std::vector<std::string> chips = chips_with_a_file();
  CHECK_FALSE(chips.empty());
  for (const std::string& chip : chips) {
    const std::optional<ChipCounters> counters = load_chip_counters(config_folder(), chip);
    REQUIRE(counters.has_value());
    CHECK(fault_of(chip, counters->core) == "");
    CHECK(fault_of(chip, counters->full) == "");
  }
}

TEST_CASE("A wrong name, unit or number of passes is one line that names it") {
  const auto set = [](const std::string& metric, CounterUnit unit, i64 passes) {
    return CounterSet{
        passes,
        {{"gpu__time_duration.sum", CounterUnit::kNanoseconds, "time"}, {metric, unit, "m"}}};
  };
  const auto fault = [&](const CounterSet& of) { return fault_of("GH100", of); };
  CHECK(fault(set("dram__bytes_read.sum", CounterUnit::kBytes, 1)) == "");
  CHECK(fault(set("dram__bytes_raed.sum", CounterUnit::kBytes, 1)) ==
        "GH100 has no metric 'dram__bytes_raed.sum'");
  CHECK(fault(set("dram__bytes_read.smu", CounterUnit::kBytes, 1)) ==
        "GH100 has no metric 'dram__bytes_read.smu'");
  CHECK(fault(set("dram__bytes_read.sum", CounterUnit::kSectors, 1)) ==
        "GH100: dram__bytes_read.sum has the unit byte, not sector");
  CHECK(fault(set("dram__bytes_read.sum", CounterUnit::kBytes, 2)) ==
        "GH100: takes 1 passes, not 2");
}

TEST_CASE("A chip that CUPTI does not know disables counters without a crash") {
  try {
    const MetricPlan plan("GX999", {"gpu__time_duration.sum"});
    CHECK(false);
  } catch (const CountersUnavailable& error) {
    CHECK(error.state == CountersState::kUnknownChip);
    CHECK(contains(std::string(error.what()), "use a newer toolkit"));
  }
}

TEST_CASE("Every CUPTI error has a word and a one-line message") {
  const std::map<CUptiResult, CountersState> expected{
      {CUPTI_ERROR_INSUFFICIENT_PRIVILEGES, CountersState::kNoPermission},
      {CUPTI_ERROR_HARDWARE_BUSY, CountersState::kBusy},
      {CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED, CountersState::kAttached},
      {CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED, CountersState::kMig},
      {CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED, CountersState::kVirtual},
      {CUPTI_ERROR_INVALID_CHIP_NAME, CountersState::kUnknownChip},
      {CUPTI_ERROR_NOT_INITIALIZED, CountersState::kNoLibrary},
      {CUPTI_ERROR_UNKNOWN, CountersState::kFailed}};
  for (const auto& [result, state] : expected) {
    try {
      check_counters(result, "call()");
      CHECK(false);
    } catch (const CountersUnavailable& error) {
      CHECK(error.state == state);
      CHECK(error.code() == (state == CountersState::kNoPermission ? ExitCode::kNoPermission
                                                                   : ExitCode::kNoDevice));
      const std::string line = error.what();
      CHECK(line.starts_with("no hardware counters: "));
      CHECK(!contains(line, '\n'));
      CHECK(contains(line, "CUPTI_ERROR_"));
    }
  }
  CHECK(ERROR_MESSAGE(check_counters(CUPTI_SUCCESS, "call()")) == "");
}

}  // namespace
}  // namespace tilecast
