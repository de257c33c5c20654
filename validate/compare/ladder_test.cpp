#include "validate/compare/ladder.h"

#include "model/base/error.h"
#include "model/tile/kernel_config_text.h"
#include "tests/catch.h"
#include "tests/error_message.h"

namespace tilecast {
namespace {

const std::string kCounters =
    "counters: [{name: DRAM read, unit: GB, per_unit: 1e9, metric: d__b}]\n";
const std::string kFirst =
    "  - {name: one, config: 'blocked:tile=128x128x64,warpgroups=1x1,ctas=2,c_slots=0,"
    "raster=grouped_m,group=8'}\n";

std::string second_rung(const std::string& more) {
  return "  - {name: two, config: 'blocked_pipelined:tile=128x128x64,warpgroups=1x1,ctas=2,"
         "c_slots=0,raster=grouped_m,group=8', " +
         more + "}\n";
}

Ladder parse(const std::string& rungs) {
  return parse_ladder(parse_yaml(kCounters + "rungs:\n" + rungs, "l.yaml"));
}

TEST_CASE("A rung names the rung it is compared with by its place from 1, and its counters") {
  const Ladder ladder = parse(kFirst + second_rung("against: 1, shown_by: [DRAM read]"));
  REQUIRE(ladder.rungs.size() == 2);
  CHECK(!ladder.rungs[0].against.has_value());
  CHECK(ladder.rungs[0].shown_by.empty());
  CHECK(ladder.rungs[1].config.schedule == Schedule::kBlockedPipelined);
  CHECK(ladder.rungs[1].against == std::size_t{0});
  REQUIRE(ladder.rungs[1].shown_by.size() == 1);
  CHECK(ladder.rungs[1].shown_by[0].metric == "d__b");
  CHECK(ladder.rungs[1].shown_by[0].per_unit == 1e9);
}

TEST_CASE("A rung may be compared with a later one, but not with itself or one beyond the last") {
  CHECK(parse(second_rung("against: 2") + kFirst).rungs[0].against == std::size_t{1});
  CHECK(error_message([] {
          parse(kFirst + second_rung("against: 2"));
        }).find("expected another rung than this one") != std::string::npos);
  CHECK_THROWS_AS(parse(kFirst + second_rung("against: 3")), ConfigError);
  CHECK_THROWS_AS(parse(kFirst + second_rung("against: 0")), ConfigError);
}

TEST_CASE("A counter that the file does not define is refused with the nearest name") {
  const std::string message =
      error_message([] { parse(kFirst + second_rung("shown_by: [DRAM reads]")); });
  CHECK(message.starts_with("2 l.yaml:4: "));
  CHECK(message.find("did you mean DRAM read?") != std::string::npos);
}

TEST_CASE("The committed ladder has the configurations of its suite, in the same order") {
  const Ladder ladder = load_ladder("kernels/gemm/ladder.yaml");
  const StrictMap suite = load_yaml("validate/suites/h200_ladder.yaml")
                              .map({"shapes", "dtypes", "layouts", "configs", "schedules",
                                    "regimes", "inputs", "ops", "counters", "cublaslt"});
  const std::vector<StrictValue> configs = suite.required("configs").list();
  REQUIRE(configs.size() == ladder.rungs.size());
  for (std::size_t i = 0; i < configs.size(); ++i) {
    CHECK(to_text(parse_kernel_config(configs[i].text())) == to_text(ladder.rungs[i].config));
  }
}

}  // namespace
}  // namespace tilecast
