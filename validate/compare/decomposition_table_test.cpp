#include "validate/compare/decomposition_table.h"

#include "model/spec/load_gpu.h"
#include "model/tile/kernel_config_text.h"
#include "tests/catch.h"
#include "validate/compare/example_points.h"

namespace tilecast {
namespace {

const std::string kTile =
    "tile=128x256x64,stages=4,warpgroups=2x1,cluster=1x1,ctas=1,inflight=1,"
    "c_slots=2,producer=40,";
const std::string kWhole =
    "warp_specialized:" + kTile + "grid=resident,raster=grouped_m,group=8,walk=strided";
const std::string kOther =
    "warp_specialized:tile=128x128x64,stages=6,warpgroups=2x1,cluster=1x1,ctas=1,inflight=1,"
    "c_slots=2,producer=40,grid=resident,raster=grouped_m,group=8,walk=strided";
const std::string kStream =
    "stream_k:" + kTile + "min_k_blocks=8,reduction=turnstile,raster=grouped_m,group=8";
const std::string kHybrid =
    "stream_k_hybrid:" + kTile + "min_k_blocks=8,reduction=turnstile,raster=grouped_m,group=8";

// 1280 x 3584: 10 x 14 = 140 tiles on 132 SMs are 1.06 waves.
const GemmShape kShape{1280, 3584, 4096};

std::vector<DecompositionRow> rows_of(const std::vector<Measurement>& measurements,
                                      const std::string& predicted_fastest) {
  const Predictor predict = [&](const AnyProblem&, const AnyConfig& config, Regime, Inputs) {
    Prediction prediction{};
    prediction.config = config;
    prediction.time = Seconds{to_text(config) == predicted_fastest ? 1e-6 : 2e-6};
    return prediction;
  };
  const JoinedData data = join_points({example_file(measurements)}, predict, {"h200_sxm"});
  return decomposition_rows(load_gpu("h200_sxm", false).spec, parse_kernel_config(kWhole),
                            data.groups);
}

Measurement row(const std::string& config, double micros) {
  return example_measurement(config, Seconds{micros * 1e-6}, kShape);
}

TEST_CASE("A row holds each decomposition at the tile, the best tile, the rule's and the model's") {
  const auto rows =
      rows_of({row(kWhole, 90), row(kOther, 60), row(kStream, 57), row(kHybrid, 56)}, kOther);
  REQUIRE(rows.size() == 1);
  const DecompositionRow& r = rows.front();
  CHECK(r.waves == Approx(140.0 / 132));
  CHECK(r.whole->value == Approx(90e-6));
  CHECK(r.best_whole->value == Approx(60e-6));
  CHECK(r.split.at(Schedule::kStreamK).value == Approx(57e-6));
  CHECK(!r.split.contains(Schedule::kSplitK));
  CHECK(r.best_split()->value == Approx(56e-6));
  CHECK(r.by_rule->value == Approx(56e-6));  // a tail of 8 of 132: the hybrid
  CHECK(r.best.value == Approx(56e-6));
  CHECK(r.by_model.value == Approx(60e-6));
}

TEST_CASE("The lines below the table are ratios of its columns") {
  const auto rows = rows_of({row(kWhole, 90), row(kOther, 60), row(kHybrid, 50)}, kHybrid);
  const std::string text = decomposition_tables(parse_kernel_config(kWhole), rows);
  const auto has = [&](const std::string& line) { return text.find(line) != std::string::npos; };
  CHECK(has("the model's choice, of the best measured, geomean: 1.000 (1 shapes)"));
  CHECK(has("same tile: 1.800 (1 shapes)"));                       // 90 / 50
  CHECK(has("over its choice's: 1.200 (1 shapes), least 1.200"));  // 60 / 50
  CHECK(
      has("| 1280x3584x4096 | 1.06 | 90.0 |  |  |  | 50.0 | 50.0 | 60.0 | 50.0 | 50.0 |  |  | "
          "`skh 128x256x64 s4 w2x1 c1x1 o1 i1 e2 m8 k8+t` |"));
}

}  // namespace
}  // namespace tilecast
