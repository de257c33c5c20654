#include "model/sim/limits.h"

#include <map>
#include <string>

#include "model/sim/example_gpu.h"
#include "model/spec/gpu_fields.h"
#include "model/spec/load_gpu.h"
#include "tests/catch.h"

using namespace tilecast;

namespace {

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

Part limiter(const GpuSpec& gpu) {
  const KernelConfig config = plain(Schedule::kWarpSpecialized);
  return eliminate(gpu, fp16(256, 256, 4096), config, one_cta_per_sm(config), kExampleClock)
      .front()
      .part;
}

}  // namespace

TEST_CASE("The part that helps most when it is infinite is named") {
  GpuSpec slow_dram = example_gpu();
  slow_dram.machine->dram_read.value /= 10;
  CHECK(limiter(slow_dram) == Part::kDram);
  GpuSpec slow_tensor = example_gpu();
  slow_tensor.wgmma->flops_per_sm.value /= 100;
  CHECK(limiter(slow_tensor) == Part::kTensor);
  GpuSpec slow_intake = example_gpu();
  slow_intake.machine->intake.value /= 50;
  CHECK(limiter(slow_intake) == Part::kIntake);
}

TEST_CASE("Without a part no kernel is slower, without all of them it takes no time") {
  const KernelConfig config = plain(Schedule::kPersistent);
  const GemmProblem problem = fp16(256, 256, 512);
  const Simulated whole = simulate_example(example_gpu(), problem, config);
  const std::vector<Elimination> all =
      eliminate(example_gpu(), problem, config, one_cta_per_sm(config), kExampleClock);
  REQUIRE(all.size() == std::size(kEveryPart));
  CHECK(all.back().cycles <= whole.cycles);
  CHECK(all.front().cycles < whole.cycles);
  GpuSpec nothing = example_gpu();
  for (const Part part : kEveryPart) {
    nothing = without(nothing, part);
  }
  CHECK(simulate_example(nothing, problem, config).cycles.value < 1e-3);
}

TEST_CASE("Every duration and rate that GEMMs are predicted with belongs to a part") {
  // Memory-bound kernels, the clock and power have parts of their own, or none.
  const auto numbers = [](GpuSpec& gpu) {
    std::map<std::string, double> all;
    for (const Field& field : fields_of(gpu)) {
      if (is_duration_or_rate(field.dimension) && field.section != "stream" &&
          field.section != "clock") {
        all[field.path()] = field.value();
      }
    }
    return all;
  };
  GpuSpec gpu = load_gpu("h200_sxm", false).spec;
  const auto whole = numbers(gpu);
  CHECK(whole.size() > 50);
  for (const Part part : kEveryPart) {
    gpu = without(gpu, part);
  }
  for (const auto& [key, value] : numbers(gpu)) {
    if (value != 0 && value < 1e20 && key != "machine.merge_window") {  // which helps
      FAIL_CHECK(key + " is in no part");
    }
  }
}

TEST_CASE("Every part has a word of its own") {
  for (const Part part : kEveryPart) {
    for (const Part other : kEveryPart) {
      CHECK((to_text(part) == to_text(other)) == (part == other));
    }
  }
}
