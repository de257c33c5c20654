// Random memory-bound problems and configurations: none deadlocks, none beats a bound, all blocks
// are stored and all bytes are accounted for.
#include <random>

#include "model/sim/example_gpu.h"
#include "model/tile/stream_config_text.h"
#include "tests/catch.h"

using namespace tilecast;

namespace {

constexpr int kKernels = 8000;

class Choice {
 public:
  explicit Choice(u64 seed) : random_(seed) {}
  i64 between(i64 least, i64 most) {
    return least + static_cast<i64>(random_() % static_cast<u64>(most - least + 1));
  }
  template <class T>
  T of(std::initializer_list<T> values) {
    return values.begin()[between(0, static_cast<i64>(values.size()) - 1)];
  }

 private:
  std::mt19937_64 random_;
};

StreamConfig random_config(Choice& choice) {
  StreamConfig config{};
  config.schedule = kEveryStreamSchedule[choice.between(0, std::size(kEveryStreamSchedule) - 1)];
  const bool copies = is_memcpy(config.schedule);
  config.block_rows = copies ? 1 : choice.of({1, 2, 8, 32});
  config.block_columns = copies ? choice.of({256, 1024, 4096}) : choice.of({64, 256});
  const bool one_stage = config.schedule == StreamSchedule::kMemcpyTma;
  config.stages = chooses_stages(config.schedule) ? choice.of({one_stage ? 1 : 2, 2, 3, 5}) : 1;
  config.warps = choice.of({1, 4, 8});
  config.vector_bytes = uses_tma(config.schedule) ? 16 : choice.of({4, 8, 16});
  config.ctas_per_sm = choice.of({1, 2, 5});
  config.view = copies ? StreamView::kMatrix : choice.of({StreamView::kMatrix, StreamView::kFlat});
  config.order = choice.of({BlockOrder::kBands, BlockOrder::kBlocks, BlockOrder::kStrided,
                            BlockOrder::kChunked, BlockOrder::kBounded});
  if (config.schedule == StreamSchedule::kMemcpyTma && choice.between(0, 2) == 0) {
    config.order = BlockOrder::kTickets;
  }
  return config;
}

StreamProblem random_problem(Choice& choice, const StreamConfig& config) {
  const ElementType dtype = choice.of({ElementType::kFp32, ElementType::kBf16});
  if (is_memcpy(config.schedule)) {
    return {1, choice.between(1, 300 * config.block_columns), dtype, Op::kMemcpy};
  }
  // A flat view is of whole blocks' rows.
  const i64 columns =
      config.view == StreamView::kFlat ? 256 * choice.between(1, 4) : choice.between(1, 1000);
  return {choice.between(1, 10 * config.block_rows), columns, dtype};
}

std::string fault(const GpuSpec& gpu, const StreamProblem& problem, const StreamConfig& config,
                  i32 ctas, const Simulated& kernel) {
  const double matrix = matrix_bytes(problem);
  const u32 slots = static_cast<u32>(ctas * gpu.sm.count);
  const i64 blocks = stream_walk(config, problem, slots).blocks;
  const double seconds = kernel.time.value;
  if (kernel.tiles != blocks || kernel.k_blocks != blocks) {
    return "blocks lost";
  }
  if (kernel.dram_write.value != matrix ||
      kernel.dram_read.value != matrix * input_count(problem.op)) {
    return "bytes";
  }
  if (seconds * gpu.stream->read_rate.value < matrix * (input_count(problem.op) + 1) * 0.999 ||
      kernel.cycles.value * gpu.machine->intake.value * gpu.sm.count <
          kernel.sm_intake.value * 0.999 ||
      seconds < gpu.stream->kernel.value + gpu.stream->load_latency.value || kernel.l2_share > 1 ||
      kernel.dram_share > 1) {
    return "faster than a bound";
  }
  return "";
}

}  // namespace

TEST_CASE("Eight thousand random memory-bound kernels neither deadlock nor beat a bound") {
  const GpuSpec gpu = example_gpu();
  Choice choice(2026);
  int faults = 0;
  for (int i = 0; i < kKernels && faults < 5; ++i) {
    const StreamConfig config = random_config(choice);
    const StreamProblem problem = random_problem(choice, config);
    std::string why;
    try {
      why = fault(gpu, problem, config, config.ctas_per_sm,
                  simulate_stream(gpu, problem, config, config.ctas_per_sm, kExampleClock));
    } catch (const SimulationError& error) {
      why = error.what();
    }
    if (!why.empty()) {
      ++faults;
      FAIL_CHECK(problem.rows << "x" << problem.columns << " " << to_text(config) << ": " << why);
    }
  }
  CHECK(faults == 0);
}
