#include "model/spec/chip_counters.h"

#include "model/spec/load_gpu.h"
#include "tests/catch.h"
#include "tests/error_message.h"

namespace tilecast {
namespace {

const std::string kText =
    "chip: GH100\n"
    "core:\n"
    "  passes: 2\n"
    "  metrics:\n"
    "    - {metric: in__bytes.sum, unit: B, meaning: taken in}\n"
    "    - {metric: cast__bytes.sum, unit: B, meaning: of these by multicast}\n"
    "    - {metric: cast__requests.sum, unit: request, meaning: of 128 B}\n"
    "    - {metric: dram__read.sum, unit: B, meaning: read}\n"
    "full:\n"
    "  passes: 3\n"
    "  metrics: [{metric: more__x.pct, unit: \"%\", meaning: more}]\n"
    "quantities:\n"
    "  l2_to_sm_bytes:\n"
    "    - {metric: in__bytes.sum, times: 1}\n"
    "    - {metric: cast__bytes.sum, times: -1}\n"
    "    - {metric: cast__requests.sum, times: 128}\n"
    "  dram_read_bytes: [{metric: dram__read.sum, times: 1}]\n"
    "  dram_write_bytes: [{metric: dram__read.sum, times: 0.5}]\n";

ChipCounters parse(const std::string& text) {
  return parse_chip_counters(parse_yaml(text, "gh100.yaml"));
}

std::string complaint(std::string from, const std::string& to) {
  std::string text = kText;
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  text.replace(at, from.size(), to);
  return ERROR_MESSAGE(parse(text));
}

TEST_CASE("full is core plus the metrics under full, core first") {
  const ChipCounters chip = parse(kText);
  CHECK(chip.core.passes == 2);
  CHECK(chip.full.passes == 3);
  CHECK(chip.core.metrics().size() == 4);
  REQUIRE(chip.full.metrics().size() == 5);
  CHECK(chip.full.metrics().front() == "in__bytes.sum");
  CHECK(chip.full.counters.back().unit == CounterUnit::kPercent);
}

TEST_CASE(
    "A multicast to two SMs counts once, and the hit rate is relative to bytes that L2 delivered") {
  // Two SMs receive 1000 requests of 128 B each by multicast and 44,000 B otherwise: 2 x 128,000 +
  // 44,000 = 300,000 arrive, 172,000 are delivered by L2, and 43,000 of these came from DRAM.
  const CounterValues values{{"in__bytes.sum", 300'000},
                             {"cast__bytes.sum", 256'000},
                             {"cast__requests.sum", 1000},
                             {"dram__read.sum", 43'000}};
  const ChipCounters chip = parse(kText);
  CHECK(chip.l2_to_sm_bytes(values)->value == 172'000);
  CHECK(chip.dram_read_bytes(values)->value == 43'000);
  CHECK(chip.dram_write_bytes(values)->value == 21'500);
  CHECK(*chip.l2_hit_rate(values) == Approx(0.75));
}

TEST_CASE("A counter that was not collected is absent, not 0") {
  const ChipCounters chip = parse(kText);
  const CounterValues values{{"in__bytes.sum", 1}, {"dram__read.sum", 1}};
  CHECK_FALSE(chip.l2_to_sm_bytes(values).has_value());
  CHECK_FALSE(chip.l2_hit_rate(values).has_value());
  CHECK(chip.dram_read_bytes(values).has_value());
  CHECK_FALSE(chip.dram_read_bytes({}).has_value());
}

TEST_CASE("A kernel that loads nothing has no hit rate") {
  const CounterValues values{{"in__bytes.sum", 0},
                             {"cast__bytes.sum", 0},
                             {"cast__requests.sum", 0},
                             {"dram__read.sum", 0}};
  CHECK_FALSE(parse(kText).l2_hit_rate(values).has_value());
}

TEST_CASE("A malformed counters file is an error that names its place") {
  CHECK(complaint("passes: 2", "passes: 0").starts_with("2 gh100.yaml:3: core.passes: "));
  CHECK(contains(complaint("unit: request", "unit: requests"), "did you mean request"));
  CHECK(contains(complaint("meaning: of 128 B", "maening: of 128 B"), "did you mean meaning"));
  CHECK(contains(complaint("metric: cast__requests.sum, unit", "metric: requests, unit"),
                 "expected a CUPTI metric such as"));
  CHECK(contains(complaint("metric: more__x.pct", "metric: in__bytes.sum"),
                 "this metric is given twice"));
  CHECK(contains(complaint("{metric: in__bytes.sum, times: 1}", "{metric: in__byte.sum, times: 1}"),
                 "expected one of the metrics of `core`; did you mean in__bytes.sum?"));
  CHECK(contains(complaint("  dram_write_bytes:", "  dram_wrote_bytes:"), "did you mean"));
}

TEST_CASE("A chip is found by name, and a chip without a file has no counters") {
  const std::optional<ChipCounters> gh100 = load_chip_counters(config_folder(), "GH100");
  REQUIRE(gh100.has_value());
  CHECK(gh100->chip == "GH100");
  CHECK(gh100->full.counters.size() > gh100->core.counters.size());
  CHECK_FALSE(load_chip_counters(config_folder(), "GX999").has_value());
}

TEST_CASE("Counter sets have names") {
  CHECK(parse_counter_choice("none") == CounterChoice::kNone);
  CHECK(to_text(parse_counter_choice("full")) == "full");
  CHECK(contains(ERROR_MESSAGE(parse_counter_choice("ful")),
                 "expected one of none, core, full; did you mean full?"));
}

}  // namespace
}  // namespace tilecast
