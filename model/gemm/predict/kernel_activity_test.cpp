#include "model/gemm/predict/kernel_activity.h"

#include "model/gemm/predict/simulated_gemm.h"
#include "tests/catch.h"
#include "tests/gemm_config.h"
#include "tests/h200.h"

namespace tilecast {
namespace {

struct Sums {
  double time = 0, tensor = 0, shared_memory = 0, l2 = 0, dram = 0;
};

Sums sums_of(const std::vector<PhaseShares>& phases) {
  Sums sums;
  for (const PhaseShares& p : phases) {
    CHECK(p.time > 0);
    sums.time += p.time;
    sums.tensor += p.tensor;
    sums.shared_memory += p.shared_memory;
    sums.l2 += p.l2;
    sums.dram += p.dram;
  }
  return sums;
}

constexpr GemmProblem kSquare{{4096, 4096, 4096}, ElementType::kFp16, Layout::kTn};

KernelConfig overlap() { return gemm_config("po 128x256x64 s4 w2x1 c1x1 o1 i1 e0 m8"); }

TEST_CASE("Slices are merged into phases that hold all of a kernel's time and work") {
  // The kernel takes 40 of 64 slices of 1 us. With at most 16 phases there are three slices per
  // phase and 14 phases, with one slice in the last.
  Activity activity;
  for (i64 us = 0; us < 40; ++us) {
    activity.add(Resource::kTensor, SimTime{us * 1'048'576}, us < 20 ? 3 : 1);
    activity.add(Resource::kL2Output, SimTime{us * 1'048'576}, 10);
  }
  const Seconds slice = seconds_of(activity.slice_length());
  REQUIRE(slice.value == Approx(1.048576e-6));
  Simulated kernel{};
  kernel.time = slice * 39.5;
  const std::vector<PhaseShares> phases = kernel_phases(kernel, activity);
  REQUIRE(phases.size() == 14);
  CHECK(phases[0].time == Approx(3 / 39.5));
  CHECK(phases[13].time == Approx(0.5 / 39.5));
  CHECK(phases[0].tensor == Approx(9.0 / 80));
  CHECK(phases[12].tensor == Approx(3.0 / 80));
  CHECK(phases[5].l2 == Approx(3.0 / 40));
  CHECK(phases[5].dram == 0);  // no work of this kind
  const Sums sums = sums_of(phases);
  CHECK(sums.time == Approx(1));
  CHECK(sums.tensor == Approx(1));
}

TEST_CASE("The last phase extends to the kernel's end if requests stop earlier") {
  // 64 slices are recorded, and the kernel ends 8 slices later.
  Activity activity;
  for (i64 slice = 0; slice < 64; ++slice) {
    activity.add(Resource::kTensor, SimTime{slice * 65'536}, 1);
  }
  Simulated kernel{};
  kernel.time = seconds_of(activity.slice_length()) * 72;
  const std::vector<PhaseShares> phases = kernel_phases(kernel, activity);
  REQUIRE(phases.size() == 16);
  CHECK(phases[0].time == Approx(4.0 / 72));
  CHECK(phases[15].time == Approx(12.0 / 72));
}

TEST_CASE("Skipped waves form a phase at their place") {
  Activity activity;
  for (i64 us = 0; us < 40; ++us) {
    activity.add(Resource::kTensor, SimTime{us * 1'048'576}, 5);
    activity.add(Resource::kOperandReads, SimTime{us * 1'048'576}, 10);
  }
  const Seconds slice = seconds_of(activity.slice_length());
  Simulated kernel{};
  kernel.time = slice * 100;
  kernel.left_out = slice * 60;
  kernel.left_out_at = slice * 5;  // in the second phase, of three slices
  kernel.operand_reads = Bytes{400 + 1200};
  const std::vector<PhaseShares> phases = kernel_phases(kernel, activity);
  REQUIRE(phases.size() == 15);
  CHECK(phases[2].time == Approx(0.6));
  CHECK(phases[2].shared_memory == Approx(1200.0 / 1600));
  CHECK(phases[2].tensor == Approx(0.75));
  CHECK(sums_of(phases).time == Approx(1));
}

TEST_CASE("Phases of a simulated GEMM hold all of it, with and without its steady waves") {
  const KernelConfig config = overlap();
  for (const i64 k : {512, 16384}) {
    GemmProblem problem = kSquare;
    problem.shape = {8192, 8192, k};
    const auto phases = simulate_phases(h200(), problem, config, Hertz{1.6e9}).activity.phases;
    const Sums sums = sums_of(phases);
    CHECK(phases.size() <= kMostPhases + 1);
    CHECK(phases.size() > 5);
    for (const double sum : {sums.time, sums.tensor, sums.shared_memory, sums.l2, sums.dram}) {
      CHECK(sum == Approx(1));
    }
  }
}

TEST_CASE("The clock of a kernel is about the same with its steady waves skipped") {
  const GemmProblem problem{{16384, 16384, 2048}, ElementType::kFp16, Layout::kTn};
  const KernelConfig config = overlap();
  const auto clock = [&](const KernelActivity& kernel) {
    return phase_clock(h200(), kernel.work, kernel.phases, Regime::kBurst, Inputs::kNormal)
        .kernel.sm_clock;
  };
  const SimulatedGemm part = simulate_phases(h200(), problem, config, Hertz{1.6e9});
  REQUIRE(part.kernel.waves_left_out > 0);
  Activity activity;
  const Simulated whole = simulate_gemm(h200(), problem, config, residency_of(h200(), config),
                                        Hertz{1.6e9}, {.activity = &activity});
  CHECK(clock(part.activity) / clock(kernel_activity(problem, config, whole, activity)) ==
        Approx(1).epsilon(0.008));
}

TEST_CASE("Work counts what the energies depend on") {
  const KernelConfig config = overlap();
  const auto work = [&](const GemmProblem& problem) {
    return kernel_activity(h200(), problem, config, gemm_work(h200(), problem, config))
        .work_in(Cycles{1e6});
  };
  GemmProblem other = kSquare;
  other.dtype = ElementType::kBf16;
  CHECK(energy_at_1_ghz(h200(), work(other), Inputs::kNormal).tensor /
            energy_at_1_ghz(h200(), work(kSquare), Inputs::kNormal).tensor ==
        Approx(h200().power->bf16_flop));
  // With a pitch of 8208, a row's 128 bytes start at any multiple of 16. Half of the time they
  // start inside a sector and touch five sectors for each requester; otherwise four.
  GemmProblem off = kSquare;
  off.shape.k = 4104;
  const double merged = work(kSquare).l2 / Bytes{4096.0 * 4096 / 128 / 256 * 384 * 4096 * 2};
  CHECK(work(off).l2 / Bytes{4096.0 * 4096 / 128 / 256 * 384 * 4104 * 2} ==
        Approx(merged / 2 + 5.0 / 4 / 2));
}

}  // namespace
}  // namespace tilecast
