#include "model/gemm/predict/kernel_features.h"

#include <algorithm>
#include <cmath>

#include "model/gemm/config/kernel_config_text.h"
#include "model/gemm/problem/group_rows.h"
#include "tests/catch.h"
#include "tests/h200.h"

namespace tilecast {
namespace {

constexpr Hertz kClock{1.5e9};

struct Kernel {
  Kernel(const GemmProblem& asked, const char* text)
      : problem(asked), config(for_operands(asked.dtype, parse_kernel_config(text))) {
    work = gemm_work(h200(), problem, config);
    form = closed_form(h200(), problem, config, work, kClock);
  }
  KernelFeatures features(const std::optional<SimulatedWork>& simulated = {}) const {
    return kernel_features(h200(), problem, config, work, form, kClock, simulated,
                           Regime::kSustained);
  }
  double of(std::string_view name, const std::optional<SimulatedWork>& simulated = {}) const {
    return features(simulated).values.at(feature_index(kGemmFeatures, name));
  }

  GemmProblem problem;
  KernelConfig config;
  GemmWork work;
  ClosedForm form;
};

constexpr const char* kProducer =
    "warp_specialized:tile=128x256x64,stages=4,warpgroups=2x1,cluster=2x1,ctas=1,inflight=1,"
    "c_slots=2,producer=24,grid=resident,raster=grouped_m,group=8,walk=strided";

TEST_CASE("Non-empty groups are counted; a single one counts as none") {
  const GemmProblem product{{0, 1024, 512}, ElementType::kBf16, Layout::kTn};
  CHECK(Kernel(in_groups(product, {64, 0, 32}), kProducer).of("groups") == 1);
  CHECK(Kernel(in_groups(product, {512}), kProducer).of("groups") == 0);
  CHECK(Kernel({{512, 1024, 512}, ElementType::kBf16, Layout::kTn}, kProducer).of("groups") == 0);
}

TEST_CASE("Equivalent rasters have equal features") {
  const GemmProblem problem{{4096, 4096, 4096}, ElementType::kFp16, Layout::kTn};
  std::string rows(kProducer), columns(kProducer);
  rows.replace(rows.find("raster=grouped_m,group=8"), 24, "raster=grouped_m,group=1");
  columns.replace(columns.find("raster=grouped_m,group=8"), 24, "raster=grouped_n,group=16");
  CHECK(Kernel(problem, rows.c_str()).features().values ==
        Kernel(problem, columns.c_str()).features().values);
}

TEST_CASE("A last box of 48 columns is the narrowest store of C") {
  std::string config(kProducer);
  config.replace(config.find("128x256"), 7, "128x176");
  config.replace(config.find("grouped_m,group=8"), 17, "hilbert,group=1");
  const Kernel kernel({{4096, 4096, 4096}, ElementType::kFp16, Layout::kTn}, config.c_str());
  CHECK(kernel.of("c_box_bytes") == 96);
  CHECK(kernel.of("hilbert") == 1);
}

TEST_CASE("Each feature has the value that its name describes") {
  const Kernel kernel({{4096, 4100, 4080}, ElementType::kFp16, Layout::kTn}, kProducer);
  CHECK(kernel.of("simulated_over_closed_form") == 0);
  CHECK(kernel.of("simulated_l2_rate") == 0);
  // Rates are bytes per SM and cycle, over 132 SMs and twice the analytic cycles.
  const SimulatedWork simulated{kernel.form.cycles * 2, Bytes{5e9}, Bytes{3e8}, {.l2 = 0.6}};
  const double sm_cycles = 132 * 2 * kernel.form.cycles.value;
  CHECK(kernel.of("simulated_over_closed_form", simulated) == Approx(std::log(2)));
  CHECK(kernel.of("simulated_operand_rate", simulated) ==
        Approx(std::log(kernel.work.shared_memory.value / sm_cycles)));
  CHECK(kernel.of("simulated_l2_rate", simulated) == Approx(std::log(5e9 / sm_cycles)));
  CHECK(kernel.of("simulated_dram_rate", simulated) == Approx(std::log(3e8 / sm_cycles)));
  CHECK(kernel.of("busy_l2", simulated) == 0.6);
  CHECK(kernel.of("busy_l2") == kernel.form.shares.l2);
  CHECK(kernel.of("tile_area") == 15);
  CHECK(kernel.of("tile_aspect") == -1);
  CHECK(kernel.of("k_block_bytes") == Approx(std::log2(384 * 64 * 2)));
  CHECK(kernel.of("block_n") == 8);
  CHECK(kernel.of("columns_mod_64") == 1);  // width 256: a whole number of slabs
  CHECK(kernel.of("hilbert") == 0);
  CHECK(kernel.of("stages") == 2);
  CHECK(kernel.of("warpgroups_m") == 1);
  CHECK(kernel.of("warpgroups_n") == 0);
  CHECK(kernel.of("c_slots") == 2);
  CHECK(kernel.of("c_box_bytes") == 128);
  CHECK(kernel.of("ctas_per_sm") == 0);
  CHECK(kernel.of("k") == Approx(std::log(4080)));
  CHECK(kernel.of("k_blocks") == Approx(std::log(64)));
  CHECK(kernel.of("all_k_blocks") == Approx(std::log(64 * 5)));  // 544 tiles on 132 SMs
  CHECK(kernel.of("k_alignment") == 2);  // 8160 bytes: an odd multiple of 32
  CHECK(kernel.of("n_alignment") == 4);  // 8200 bytes: an odd multiple of 8, stored by threads
  const Kernel odd({{4096, 4097, 4080}, ElementType::kFp16, Layout::kTn}, kProducer);
  CHECK(odd.of("n_alignment") == 6);
  GemmProblem fp32{{4096, 4100, 4080}, ElementType::kFp16, Layout::kTn};
  fp32.c = ElementType::kFp32;
  CHECK(Kernel(fp32, kProducer).of("n_alignment") == 3);  // 16400 bytes
  CHECK(Kernel(fp32, kProducer).of("plain_store_share") == 0);
  CHECK(kernel.of("beyond_edge_m") == 0);
  CHECK(kernel.of("beyond_edge_n") == Approx(1 - 4100.0 / (17 * 256)));
  CHECK(kernel.of("clock") == Approx(std::log(1.5)));
  CHECK(kernel.of("fp8") == 0);
  CHECK(kernel.of("fused_share") == 0);
  // Threads that store two bytes of C per instruction take twice as long as with four. Rows of 16
  // bytes need no such stores.
  const double of_threads = 128 * 256 * 2 / (h200().reduction->sm_store.value / 2);
  CHECK(kernel.of("plain_store_share") ==
        Approx(of_threads * static_cast<double>(kernel.work.tiles_per_sm) /
               kernel.form.cycles.value));
  CHECK(
      odd.of("plain_store_share") ==
      Approx(2 * of_threads * static_cast<double>(odd.work.tiles_per_sm) / odd.form.cycles.value));
  const Kernel whole({{4096, 4096, 4080}, ElementType::kFp16, Layout::kTn}, kProducer);
  CHECK(whole.of("plain_store_share") == 0);
  CHECK(kernel.of("splits") == 0);
  // Each CTA of a pair loads its rows of A, and half of the columns of B that both receive.
  CHECK(kernel.of("multicast") > 0.2);
  CHECK(kernel.of("multicast") < std::log(2));
  // 16 x 17 tiles of clusters of two CTAs are 544 / 2 pairs on 66 slots: 4 full waves and 0.12 of a
  // fifth.
  CHECK(kernel.of("filled_waves") == Approx(544.0 / 132 / 5));
  CHECK(kernel.of("tiles") == Approx(std::log(544)));
  CHECK(kernel.of("main_loop_share") < 0);
  for (const std::string_view share :
       {"tensor_share", "dram_share", "operand_share", "intake_share"}) {
    CHECK(kernel.of(share) > 0);
    CHECK(kernel.of(share) < 1);
  }
  CHECK(kernel.features().limiter == kernel.form.limiter);
  CHECK(kernel.features(simulated).limiter == kernel.form.limiter);  // no resource is busy for long
  SimulatedWork busy = simulated;
  busy.busy.l2 = 0.75;
  CHECK(kernel.features(busy).limiter == Limiter::kL2);
  CHECK(kernel.features().regime == Regime::kSustained);
}

TEST_CASE("A fused epilogue counts by its time in the busiest SM") {
  const Kernel kernel({{4096, 4096, 4096}, ElementType::kFp16, Layout::kTn, {step<Gelu>()}},
                      kProducer);
  // 32 x 16 tiles on 132 SMs are at most four per SM. Each has 128 x 256 elements with eight
  // instructions, issued at 80 per cycle; the special function unit takes less.
  CHECK(kernel.of("fused_share") == Approx(4 * 128 * 256 * 8 / 80.0 / kernel.form.cycles.value));
}

TEST_CASE("Traits describe schedules by their roles and overlap") {
  const GemmProblem problem{{4096, 4096, 4096}, ElementType::kFp16, Layout::kTn};
  const Kernel producer(problem, kProducer);
  CHECK(producer.of("producer_warpgroup") == 1);
  CHECK(producer.of("resident_grid") == 1);
  CHECK(producer.of("two_tiles_in_flight") == 0);
  CHECK(producer.of("pieces_of_tile") == 0);
  const Kernel blocked(
      problem, "blocked:tile=64x64x64,warpgroups=1x1,ctas=1,c_slots=0,raster=grouped_m,group=8");
  CHECK(blocked.of("producer_warpgroup") == 0);
  CHECK(blocked.of("resident_grid") == 0);
  const Kernel ping_pong(
      problem,
      "ping_pong:tile=64x256x64,stages=4,cluster=1x1,ctas=1,inflight=1,c_slots=2,producer=40,"
      "raster=hilbert,group=1,walk=strided");
  CHECK(ping_pong.of("two_tiles_in_flight") == 1);
  CHECK(ping_pong.features().kinds == std::vector<std::string_view>{"ping_pong"});
}

TEST_CASE("Exact accumulation and groups along K have features of their own") {
  GemmProblem fp8{{4096, 4096, 4096}, ElementType::kE4m3, Layout::kTn};
  constexpr const char* kFp8 =
      "warp_specialized:tile=128x128x128,stages=4,warpgroups=2x1,cluster=1x1,ctas=1,inflight=0,"
      "c_slots=2,producer=40,grid=resident,raster=grouped_m,group=8,walk=strided";
  CHECK(Kernel(fp8, kFp8).of("exact_sums") == 0);
  fp8.accumulate = Accumulate::kExact;
  CHECK(Kernel(fp8, kFp8).of("exact_sums") == 1);
  const Kernel along_k(
      in_groups_of_k({{4096, 4096, 0}, ElementType::kBf16, Layout::kNt}, {512, 0, 512, 512, 512}),
      kProducer);
  CHECK(along_k.of("groups_along_k") == 2);
  CHECK(along_k.of("groups") == 0);
}

TEST_CASE("Doubling the rows changes only features that count rows") {
  // A jump of a feature must not make the learned correction reverse the order of a problem and its
  // double.
  const auto at = [](i64 m) {
    return Kernel({{m, 4096, 4096}, ElementType::kFp16, Layout::kTn}, kProducer).features().values;
  };
  const Features one = at(8192), two = at(16384);
  constexpr std::string_view kCounts[] = {"m",     "time",         "tiles",
                                          "waves", "all_k_blocks", "dram_bytes"};
  for (std::size_t f = 0; f < std::size(kGemmFeatures); ++f) {
    CAPTURE(kGemmFeatures[f].name);
    const bool counts = std::ranges::find(kCounts, kGemmFeatures[f].name) != std::end(kCounts);
    CHECK(std::abs(two[f] - one[f]) < (counts ? 0.8 : 0.3));
  }
}

}  // namespace
}  // namespace tilecast
