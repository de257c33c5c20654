#include "model/gemm/sim/limits.h"

#include <algorithm>
#include <map>
#include <string>

#include "model/gemm/sim/example_gpu.h"
#include "model/spec/gpu_fields.h"
#include "model/spec/load_gpu.h"
#include "tests/catch.h"
#include "tests/gemm_config.h"

using namespace tilecast;

namespace {

// Tolerance for requests that are served in another order, relative to the kernel's cycles.
constexpr double kServedElsewhen = 0.005;

bool is_duration_or_rate(Dimension dimension) {
  switch (dimension) {
    case Dimension::kCycles:
    case Dimension::kTime:
    case Dimension::kBytesPerSecond:
    case Dimension::kBytesPerCycle:
    case Dimension::kFlopsPerCycle:
      return true;
    default:
      return false;
  }
}

/// A kernel on the example GPU, simulated with a log of its requests.
struct Logged {
  GpuSpec gpu;
  GemmProblem problem;
  KernelConfig config;
  Waves waves = Waves::kAll;
  GemmRequests requests = {};
  Simulated whole = {};

  Logged(const GpuSpec& on, const GemmProblem& p, const KernelConfig& c)
      : gpu(on), problem(p), config(c) {
    whole = simulate_example(gpu, problem, config, {.requests = &requests});
  }
  Simulated without(Limiter part) const {
    return simulate_without(gpu, part, problem, config, one_cta_per_sm(config), kExampleClock,
                            waves, requests);
  }
  std::vector<Elimination> eliminate() const {
    return tilecast::eliminate(gpu, problem, config, one_cta_per_sm(config), kExampleClock, waves,
                               requests);
  }
};

Limiter limiter(const GpuSpec& gpu) {
  return Logged(gpu, fp16(256, 256, 4096), plain(Schedule::kWarpSpecialized))
      .eliminate()
      .front()
      .part;
}

/// Covers every schedule, both walks, and each way to split K.
KernelConfig config_of(Schedule schedule) {
  KernelConfig config = plain(schedule);
  if (splits_k(schedule)) {
    (splits_equally(schedule) ? config.decomposition.splits : config.decomposition.min_k_blocks) =
        splits_equally(schedule) ? 4 : 1;
  }
  return config;
}

/// 5 x 4 tiles on four SMs, with ragged edges; the operands exceed the example's L2 or fit it.
GemmProblem problem_of(Schedule schedule) {
  return schedule == Schedule::kSmallMma ? fp16(64, 64, 64) : fp16(310, 250, 1000);
}

}  // namespace

TEST_CASE("The part that saves most when eliminated is named") {
  GpuSpec slow_dram = example_gpu();
  slow_dram.dram->read_rate.value /= 10;
  CHECK(limiter(slow_dram) == Limiter::kDram);
  GpuSpec slow_tensor = example_gpu();
  slow_tensor.wgmma->flops_per_sm.value /= 100;
  CHECK(limiter(slow_tensor) == Limiter::kTensor);
  GpuSpec slow_intake = example_gpu();
  slow_intake.machine->intake.value /= 50;
  CHECK(limiter(slow_intake) == Limiter::kSmIntake);
}

TEST_CASE("Replaying a kernel's requests reproduces it to the picosecond") {
  for (const Schedule schedule : kWgmmaSchedules) {
    CAPTURE(to_text(schedule));
    const Logged kernel(example_gpu(), problem_of(schedule), config_of(schedule));
    const Rerun same{kernel.requests, *kernel.gpu.reduction};
    const Simulated again =
        simulate_gemm(kernel.gpu, kernel.problem, kernel.config, one_cta_per_sm(kernel.config),
                      kExampleClock, {}, Waves::kAll, &same);
    CHECK(again.time == kernel.whole.time);
    CHECK(again.events == kernel.whole.events);
    CHECK(again.l2_output == kernel.whole.l2_output);
    CHECK(again.dram_read == kernel.whole.dram_read);
    CHECK(again.dram_write == kernel.whole.dram_write);
  }
}

TEST_CASE("Eliminating a part makes no kernel slower, and keeps its bytes") {
  for (const Schedule schedule : kWgmmaSchedules) {
    const Logged kernel(example_gpu(), problem_of(schedule), config_of(schedule));
    for (const Limiter part : kEveryLimiter) {
      CAPTURE(to_text(schedule), to_text(part));
      const Simulated faster = kernel.without(part);
      CHECK(faster.cycles <= kernel.whole.cycles * (1 + kServedElsewhen));
      CHECK(faster.l2_output == kernel.whole.l2_output);
      CHECK(faster.dram_read == kernel.whole.dram_read);
    }
  }
}

TEST_CASE("A part that saves nothing is not listed, such as partial sums without split K") {
  for (const Schedule schedule : kWgmmaSchedules) {
    CAPTURE(to_text(schedule));
    const Logged kernel(example_gpu(), problem_of(schedule), config_of(schedule));
    const std::vector<Elimination> all = kernel.eliminate();
    CHECK_FALSE(all.empty());
    CHECK((std::ranges::find(all, Limiter::kReduction, &Elimination::part) != all.end()) ==
          (kernel.whole.sums_read.value > 0));
  }
  // Savings below one in two thousand count as zero; tests both sides of the limit.
  const auto listed = [](double of_whole) {
    return eliminate_each(Cycles{10000}, 1, [&](Limiter) { return Cycles{10000 * of_whole}; })
        .size();
  };
  CHECK(listed(0.9994) == std::size(kEveryLimiter));
  CHECK(listed(0.9996) == 0);
}

TEST_CASE("Tensor cores that are busy most of the time are the bottleneck") {
  // Without the recorded requests its CTAs would lose lockstep and merge fewer requests, and the
  // kernel would take as long as before.
  const GpuSpec gpu = load_gpu("h200_sxm", true).spec;
  const KernelConfig config = gemm_config("pp 128x128x64 s6 w1x1 c1x1 o1 i1 e2 m4");
  const GemmProblem problem = fp16(4096, 4096, 2048);
  const Residency resident{1, 132};
  GemmRequests requests;
  const Simulated whole =
      simulate_gemm(gpu, problem, config, resident, Hertz{1.5e9}, {.requests = &requests});
  CHECK(whole.tensor_share > 0.85);
  CHECK(simulate_gemm(without(gpu, Limiter::kTensor), problem, config, resident, Hertz{1.5e9})
            .cycles > whole.cycles * 0.99);
  const std::vector<Elimination> all =
      eliminate(gpu, problem, config, resident, Hertz{1.5e9}, Waves::kAll, requests);
  CHECK(all.front().part == Limiter::kTensor);
}

TEST_CASE("With all parts eliminated a kernel takes no time") {
  GpuSpec nothing = example_gpu();
  for (const Limiter part : kEveryLimiter) {
    nothing = without(nothing, part);
  }
  CHECK(simulate_example(nothing, fp16(256, 256, 512), plain(Schedule::kPersistent)).cycles.value <
        1e-3);
}

TEST_CASE("Every duration and rate used for GEMMs belongs to a part") {
  // Constants of memory-bound kernels, attention, the clock and power belong to no part or to parts
  // of their own; launches one after another concern layers.
  const auto numbers = [](GpuSpec& gpu) {
    std::map<std::string, double> all;
    for (const Field& field : fields_of(gpu)) {
      if (is_duration_or_rate(field.dimension) && field.section != "stream" &&
          field.section != "clock" && field.section != "attention" &&
          !field.path().ends_with("_launch")) {
        all[field.path()] = field.value();
      }
    }
    return all;
  };
  GpuSpec gpu = load_gpu("h200_sxm", false).spec;
  const auto whole = numbers(gpu);
  CHECK(whole.size() >= 45);
  for (const Limiter part : kEveryLimiter) {
    gpu = without(gpu, part);
  }
  for (const auto& [key, value] : numbers(gpu)) {
    if (value != 0 && value < 1e20 && key != "machine.merge_window") {  // kernels are faster with 0
      FAIL_CHECK(key + " is in no part");
    }
  }
}
