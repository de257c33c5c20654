#include "model/predict/explain.h"

#include <algorithm>
#include <cmath>

#include "model/base/error.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/gemm/problem/group_rows.h"
#include "model/gemm/sim/limits.h"
#include "model/spec/load_gpu.h"
#include "tests/catch.h"
#include "tests/gemm_config.h"
#include "tests/h200.h"

namespace tilecast {
namespace {

const Effort kSimulating{.method = Method::kSimulated, .threads = 2};

Explanation explain_text(const GpuSpec& gpu, const AnyProblem& p, std::string_view config,
                         Effort effort = kSimulating) {
  return explain(gpu, p, parse_config(config), Regime::kBurst, Inputs::kNormal, effort);
}

constexpr const char* kWide =
    "warp_specialized:tile=128x256x64,stages=4,warpgroups=2x1,cluster=2x1,ctas=1,inflight=1,"
    "c_slots=2,producer=40,grid=resident,raster=grouped_m,group=8,walk=strided";
constexpr const char* kNarrow =
    "pipelined:tile=128x64x64,stages=4,warpgroups=2x1,ctas=1,inflight=1,c_slots=2,"
    "raster=grouped_m,group=8";

void check_share(double share) {
  CHECK(share >= 0);
  CHECK(share <= 1);
}

TEST_CASE("Shares are between 0 and 1, and times and bytes are consistent") {
  for (const char* text : {kWide, kNarrow}) {
    const Explanation e = explain_text(h200(), fp16(2048, 2048, 1024), text);
    REQUIRE(e.watched);
    const Watched& w = *e.watched;
    CHECK(w.time.start + w.time.multiply + w.time.between + w.time.end == Approx(1));
    for (const double share : {w.time.start, w.time.multiply, w.time.between, w.time.end}) {
      check_share(share);
    }
    // Each is at most the next: L2's far part, its output after merging, bytes to the SMs with a
    // multicast counted once, and with it counted at each SM.
    CHECK(w.l2_far <= w.l2_output);
    CHECK(w.l2_output <= e.predicted.l2_to_sm);
    CHECK(e.predicted.l2_to_sm <= w.sm_intake);
    CHECK(e.predicted.l2_hit_rate == Approx(hit_rate(e.predicted.dram_read, e.predicted.l2_to_sm)));
    // DRAM reads at least A and B once: 2 x 2048 x 1024 elements of two bytes.
    CHECK(e.predicted.dram_read.value >= 2 * 2048 * 1024 * 2);
    Seconds at{};
    for (const Phase& phase : w.phases) {
      CHECK(phase.begin == at);
      CHECK(phase.begin < phase.end);
      at = phase.end;
      for (const double share : {phase.busy.tensor, phase.busy.shared_memory, phase.busy.sm_intake,
                                 phase.busy.l2, phase.busy.dram}) {
        check_share(share);
      }
    }
    CHECK(w.phases.size() <= 8);
    CHECK(at.value == Approx(e.predicted.time.value).epsilon(1e-6));
    CHECK(e.energy.total().value ==
          Approx(e.predicted.power.value * e.predicted.time.value).epsilon(1e-9));
    CHECK(std::ranges::is_sorted(e.without, {}, &Elimination::cycles));
    CHECK(e.without.back().cycles < e.predicted.cycles);
  }
}

TEST_CASE("A part that is slowed down becomes the bottleneck") {
  GpuSpec gpu = h200();
  gpu.dram->bandwidth.value /= 50;
  gpu.dram->read_rate.value /= 50;
  gpu.dram->write_rate.value /= 50;
  CHECK(explain_text(gpu, fp16(2048, 2048, 1024), kWide).predicted.limiter == Limiter::kDram);
  const Explanation slow = explain_text(gpu, fp16(2048, 2048, 1024), kWide);
  CHECK(slow.without.front().part == Limiter::kDram);
  const Explanation analytic =
      explain_text(gpu, fp16(2048, 2048, 1024), kWide, {.method = Method::kAnalytic});
  CHECK(analytic.predicted.limiter == Limiter::kDram);
  CHECK(analytic.without.front().part == Limiter::kDram);
  const Explanation usual = explain_text(h200(), fp16(4096, 4096, 4096), kWide);
  CHECK(usual.predicted.limiter == Limiter::kTensor);
  CHECK(usual.without.front().part == Limiter::kTensor);
}

TEST_CASE("The mean of the phases' busy shares is the kernel's") {
  // The second simulation skips steady waves, and its cycles and clock are corrected.
  for (const auto& [gpu, p] :
       {std::pair(h200(), fp16(2048, 2048, 1024)),
        std::pair(load_gpu("h200_sxm", true).spec, fp16(8192, 8192, 8192))}) {
    const Explanation e = explain_text(gpu, p, kWide);
    double tensor = 0, sm_intake = 0, l2 = 0, dram = 0, cycles = 0;
    for (const Phase& phase : e.watched->phases) {
      const double of_time = (phase.end - phase.begin) / e.predicted.time;
      const double of_cycles =
          cycles_of(phase.end - phase.begin, phase.sm_clock) / e.predicted.cycles;
      tensor += phase.busy.tensor * of_cycles;
      sm_intake += phase.busy.sm_intake * of_cycles;
      l2 += phase.busy.l2 * of_time;
      dram += phase.busy.dram * of_time;
      cycles += of_cycles;
    }
    CHECK(cycles == Approx(1).epsilon(1e-6));
    // Work counts when it is requested, so in a short kernel a phase may contain more than fits.
    // Its share is limited to one, which lowers the mean.
    const Shares& whole = e.predicted.shares;
    for (const auto& [mean, share] : {std::pair(tensor, whole.tensor),
                                      {sm_intake, whole.sm_intake},
                                      {l2, whole.l2},
                                      {dram, whole.dram}}) {
      CHECK(mean <= share * (1 + 1e-6));
      CHECK(mean >= share * 0.9);
    }
  }
}

TEST_CASE("explain and predict agree on time and bottleneck") {
  for (const char* text : {kWide, kNarrow}) {
    const GemmProblem p = fp16(2048, 1536, 1024);
    const Explanation e = explain_text(calibrated_h200(), p, text);
    const Prediction predicted =
        predict_config(calibrated_h200(), p, parse_config(text), Regime::kBurst, Inputs::kNormal);
    CHECK(e.predicted.time == predicted.time);
    CHECK(e.predicted.power == predicted.power);
    CHECK(e.predicted.limiter == predicted.limiter);
    CHECK(e.predicted.shares.l2 == predicted.shares.l2);
  }
}

TEST_CASE("Waves count whole clusters, and a full last wave counts as full") {
  const auto waves = [](i64 m, i64 n) {
    return *explain_text(h200(), fp16(m, n, 512), kWide, {.method = Method::kAnalytic}).waves;
  };
  // Clusters of 256 x 256, with two tiles each, on 66 slots: 8 x 8 clusters, then 12 x 11 clusters
  // in two waves.
  CHECK(waves(2048, 2048).ctas == 132);
  CHECK(waves(2048, 2048).tiles == 128);
  CHECK(waves(2048, 2048).in_last_wave == 128);
  CHECK(waves(3072, 2816).tiles == 264);
  CHECK(waves(3072, 2816).waves == Approx(2));
  CHECK(waves(3072, 2816).in_last_wave == 132);
  CHECK(waves(3072, 3072).in_last_wave == 24);  // 288 tiles
  CHECK(waves(2944, 2816).tiles == 264);        // 23 rows of tiles; the last cluster is half empty
}

TEST_CASE("Tile rows that belong to no group are counted") {
  const auto share = [](const GemmProblem& p, const char* config) {
    return explain_text(h200(), p, config, {.method = Method::kAnalytic}).waves->rows_of_no_group;
  };
  const GemmProblem groups = in_groups(fp16(0, 2048, 512), {256, 0, 17});
  // The groups take one cluster of 256 rows each, so they use 273 of 512 rows. Of tiles of 64 rows
  // they take four and one: 320 rows.
  CHECK(share(groups, kWide).value() == Approx(239.0 / 512));
  CHECK(share(groups,
              "ping_pong:tile=64x128x64,stages=6,cluster=1x1,ctas=1,inflight=1,c_slots=2,"
              "producer=40,raster=grouped_m,group=4,walk=strided")
            .value() == Approx(47.0 / 320));
  CHECK(share(in_groups(fp16(0, 2048, 512), {256, 0, 512}), kWide) == 0);
  CHECK_FALSE(share(fp16(273, 2048, 512), kWide));
}

TEST_CASE(
    "A kernel does not differ from itself, and from a slower one by the ratio of their times") {
  const GemmProblem p = fp16(2048, 2048, 1024);
  const Explanation wide = explain_text(h200(), p, kWide);
  const Explanation narrow = explain_text(h200(), p, kNarrow);
  const Difference none = difference(wide, wide);
  CHECK(none.time == 1);
  for (const MoreCycles& more : none.phases) {
    CHECK(more.cycles.value == 0);
  }
  const Difference d = difference(narrow, wide);
  CHECK(d.time == Approx(d.cycles / d.sm_clock));
  Cycles sum{};
  for (const MoreCycles& more : d.phases) {
    sum += more.cycles;
  }
  CHECK(sum.value ==
        Approx(narrow.predicted.cycles.value - wide.predicted.cycles.value).epsilon(1e-6));
  CHECK_FALSE(d.parts.empty());
  CHECK(none.parts.empty());
}

TEST_CASE("Threads do not change an explanation") {
  const GemmProblem p = fp16(1024, 1024, 1024);
  const Explanation one =
      explain_text(h200(), p, kWide, {.method = Method::kSimulated, .threads = 1});
  const Explanation many =
      explain_text(h200(), p, kWide, {.method = Method::kSimulated, .threads = 5});
  CHECK(one.predicted.cycles == many.predicted.cycles);
  CHECK(
      std::ranges::equal(one.without, many.without, [](const Elimination& a, const Elimination& b) {
        return a.part == b.part && a.cycles == b.cycles;
      }));
}

TEST_CASE("The analytic model gives a bottleneck, but no timeline") {
  const Explanation e =
      explain_text(h200(), fp16(4096, 4096, 4096), kWide, {.method = Method::kAnalytic});
  CHECK_FALSE(e.watched);
  CHECK(e.predicted.limiter == Limiter::kTensor);
  CHECK(e.predicted.cycles == e.closed_form.cycles);
  CHECK(e.energy.total().value ==
        Approx(e.predicted.power.value * e.predicted.time.value).epsilon(1e-3));
}

TEST_CASE("A memory-bound kernel has the bottleneck and energy of the analytic model") {
  const AnyProblem copy = problem_of_shape(Op::kMemcpy, "268435456", ElementType::kFp32);
  const Ranking ranking = rank_candidates(h200(), copy, {}, Regime::kBurst, Inputs::kNormal, 1);
  const AnyConfig& config = ranking.predictions.front().config;
  const Explanation e = explain(h200(), copy, config, Regime::kBurst, Inputs::kNormal, {});
  CHECK(e.predicted.limiter == Limiter::kDram);
  CHECK_FALSE(e.waves);
  CHECK(e.ctas_per_sm >= 1);
  CHECK(e.energy.tensor.value == 0);
  CHECK(e.energy.total().value ==
        Approx(e.predicted.power.value * e.predicted.time.value).epsilon(1e-3));
  // If any op is allowed, --method simulated falls back to the analytic model; if only this op is,
  // it is rejected.
  CHECK(predict_config(h200(), copy, config, Regime::kBurst, Inputs::kNormal, Method::kSimulated)
            .time == e.predicted.time);
  CHECK_THROWS_AS(explain(h200(), copy, config, Regime::kBurst, Inputs::kNormal, kSimulating),
                  ConfigError);
  CHECK_THROWS_AS(
      rank_candidates(h200(), copy, {}, Regime::kBurst, Inputs::kNormal, 1, kSimulating),
      ConfigError);
}

TEST_CASE("What bounds on a prediction add to its correction is a part of its own") {
  const auto bounded = [](double cycles, double clock, std::vector<LearnedContribution> learned) {
    Explanation e{};
    e.predicted.cycles_correction = cycles;
    e.predicted.clock_correction = clock;
    e.learned = std::move(learned);
    add_bounds(e);
    return e.learned;
  };
  // The groups say 1.02 * 1.03 and 0.99; the prediction has 1.1 and 0.99.
  const std::vector<LearnedContribution> groups{{"K", std::log(1.02), std::log(0.99)},
                                                {"tile", std::log(1.03), 0}};
  const std::vector<LearnedContribution> all = bounded(1.1, 0.99, groups);
  REQUIRE(all.size() == 3);
  CHECK(all[0].group == "bounds");  // the largest is first
  CHECK(std::exp(all[0].cycles) == Approx(1.1 / (1.02 * 1.03)));
  CHECK(all[0].clock == Approx(0).margin(1e-12));
  CHECK(all[1].group == "tile");
  CHECK(bounded(1.02 * 1.03, 0.99, groups).size() == 2);
  CHECK(bounded(1.02 * 1.03, 0.98, groups).size() == 3);
  CHECK(bounded(1.1, 1, {}).empty());
}

TEST_CASE("A configuration that cannot run is rejected with the reason") {
  std::string text = kWide;
  text.replace(text.find("stages=4"), 8, "stages=9");
  CHECK_THROWS_AS(explain_text(h200(), fp16(2048, 2048, 1024), text), ConfigError);
}

}  // namespace
}  // namespace tilecast
