// Memory-bound kernels: with every part infinitely fast but one, each schedule takes that part's
// closed form; bytes are what the arithmetic says; equal inputs give equal results.
#include "model/sim/simulate_stream.h"

#include <set>
#include <thread>

#include "model/base/error.h"
#include "model/sim/example_gpu.h"
#include "model/spec/load_gpu.h"
#include "tests/catch.h"

using namespace tilecast;

namespace {

constexpr double kWithin = 0.005;
constexpr double kMatrix = 1 << 20;  // bytes
constexpr double kBlocksOfSm = 64;   // of 4 KiB, one CTA on each of four SMs

/// As plain as the schedule allows; blocks of 4 KiB in fp32.
StreamConfig plain_stream(StreamSchedule schedule, BlockOrder order = BlockOrder::kStrided) {
  const bool copies = is_memcpy(schedule);
  return {.schedule = schedule,
          .block_rows = copies ? 1 : 4,
          .block_columns = copies ? 1024 : 256,
          .stages = chooses_stages(schedule) ? 4 : 1,
          .warps = 8,
          .vector_bytes = 16,
          .ctas_per_sm = 1,
          .layout = StreamLayout::kPlain,
          .view = StreamView::kMatrix,
          .order = order,
          .hint = CacheHint::kNone};
}

StreamProblem problem_of(StreamSchedule schedule) {
  return is_memcpy(schedule) ? StreamProblem{1, 1 << 18, ElementType::kFp32, Op::kMemcpy}
                             : StreamProblem{1024, 256, ElementType::kFp32};
}

double cycles(const GpuSpec& gpu, const StreamConfig& config) {
  return simulate_stream(gpu, problem_of(config.schedule), config, config.ctas_per_sm,
                         kExampleClock)
      .cycles.value;
}

double cycles(Limiter part, StreamSchedule schedule) {
  return cycles(only(part), plain_stream(schedule));
}

}  // namespace

TEST_CASE("Bound by DRAM alone, a memory-bound kernel takes its bytes at DRAM's rate") {
  for (const StreamSchedule schedule : kEveryStreamSchedule) {
    // 100 B per nanosecond, reads and writes alike.
    CHECK(cycles(Limiter::kDram, schedule) ==
          Approx((input_count(schedule) + 1) * kMatrix / 100).epsilon(kWithin));
  }
}

TEST_CASE("DRAM's time for reads and writes is each at its rate, less what is lost") {
  GpuSpec gpu = only(Limiter::kDram);
  gpu.stream->read_rate = {400e9};
  gpu.stream->mix_loss = 0.1;
  // A copy: equal shares, so 0.9 of the rates are left.
  const double expected = (kMatrix / 400 + kMatrix / 100) / 0.9;
  CHECK(cycles(gpu, plain_stream(StreamSchedule::kMemcpyTma)) == Approx(expected).epsilon(kWithin));
}

TEST_CASE("Bound by latency alone, a kernel takes as many as its buffers cannot hide") {
  for (const StreamSchedule schedule : kEveryStreamSchedule) {
    // One buffer: a latency for each block. Pipelined: four blocks in flight while it waits. A ring
    // of four: all four at first, then three, since a stage is loaded again one block later.
    double latencies = kBlocksOfSm;
    if (schedule == StreamSchedule::kElementwiseAddPipelined) {
      latencies = kBlocksOfSm / 4;
    } else if (uses_tma(schedule)) {
      latencies = 1 + (kBlocksOfSm - 4) / 3;
    }
    // And the way of the last store, half of one.
    CHECK(cycles(Limiter::kLatency, schedule) == Approx((latencies + 0.5) * 1000).epsilon(kWithin));
  }
}

TEST_CASE("Bound by its threads alone, a kernel takes a turn for each block, and small copies") {
  for (const StreamSchedule schedule : kEveryStreamSchedule) {
    if (uses_tma(schedule)) {
      continue;  // one thread issues
    }
    StreamConfig config = plain_stream(schedule);
    CHECK(cycles(only(Limiter::kInstructions), config) ==
          Approx(kBlocksOfSm * 200).epsilon(kWithin));
    if (uses_shared_memory(schedule)) {
      // 4 KiB in vectors of 8 bytes by 256 threads: two copies of each input.
      config.vector_bytes = 8;
      const double copies = 2 * input_count(schedule) * 30;
      CHECK(cycles(only(Limiter::kInstructions), config) ==
            Approx(kBlocksOfSm * (200 + copies)).epsilon(kWithin));
    }
  }
}

TEST_CASE("Bound by bulk stores alone, a ring takes what their sources take to be read") {
  for (const StreamSchedule schedule : kEveryStreamSchedule) {
    if (!uses_tma(schedule)) {
      continue;
    }
    // 4 KiB at 32 B per cycle, one after the other; 50 ns more until the last one is done.
    CHECK(cycles(Limiter::kEpilogue, schedule) == Approx(kBlocksOfSm * 128 + 50).epsilon(kWithin));
  }
  // With one stage each block waits for its own store.
  StreamConfig one = plain_stream(StreamSchedule::kMemcpyTma);
  one.stages = 1;
  CHECK(cycles(only(Limiter::kEpilogue), one) == Approx(kBlocksOfSm * 178).epsilon(kWithin));
}

TEST_CASE("Bound by intake or by L2's output alone, a kernel takes its inputs at that rate") {
  for (const StreamSchedule schedule : kEveryStreamSchedule) {
    const double read = input_count(schedule) * kMatrix;
    CHECK(cycles(Limiter::kSmIntake, schedule) == Approx(read / 4 / 64).epsilon(kWithin));
    CHECK(cycles(Limiter::kL2, schedule) == Approx(read / 256).epsilon(kWithin));
  }
}

TEST_CASE("A CTA per block waits for its slot's refill, and all for the rate at which CTAs start") {
  for (const StreamSchedule schedule : kEveryStreamSchedule) {
    const StreamConfig config = plain_stream(schedule, BlockOrder::kBlocks);
    GpuSpec gpu = only(Limiter::kLaunch);
    // The last of four starts after 40 ns; each of the others 400 and 10 later; the kernel's 1000.
    CHECK(cycles(gpu, config) == Approx(40 + 63 * 410 + 1000).epsilon(kWithin));
    gpu.stream->cta_refill = {};
    CHECK(cycles(gpu, config) == Approx(256 * 10 + 1000).epsilon(kWithin));
  }
}

TEST_CASE("Simulated tickets come no faster than one counter gives them") {
  StreamConfig config = plain_stream(StreamSchedule::kMemcpyTma, BlockOrder::kTickets);
  GpuSpec gpu = only(Limiter::kL2);
  gpu.machine->l2_output = {1e30};
  // 20 ns a draw. All blocks but the first of each CTA are followed by one that is looked at.
  CHECK(cycles(gpu, config) == Approx((256 - 4) * 20).epsilon(kWithin));
  config.order = BlockOrder::kStrided;
  CHECK(cycles(gpu, config) < 1);
}

TEST_CASE("Tickets cost nothing where the counter is faster than the blocks") {
  GpuSpec gpu = only(Limiter::kDram);
  const double strided = cycles(gpu, plain_stream(StreamSchedule::kMemcpyTma));
  const StreamConfig config = plain_stream(StreamSchedule::kMemcpyTma, BlockOrder::kTickets);
  gpu.stream->ticket = {20e-9};  // DRAM: 82 ns a block
  CHECK(cycles(gpu, config) == Approx(strided).epsilon(kWithin));
  gpu.stream->ticket = {164e-9};
  CHECK(cycles(gpu, config) == Approx(252 * 164).epsilon(kWithin));
}

TEST_CASE("Every block is loaded and stored once, and bytes are the arithmetic, edges included") {
  for (const StreamSchedule schedule : kEveryStreamSchedule) {
    for (const BlockOrder order : {BlockOrder::kBands, BlockOrder::kBlocks, BlockOrder::kStrided,
                                   BlockOrder::kChunked, BlockOrder::kBounded}) {
      const StreamConfig config = plain_stream(schedule, order);
      const StreamProblem problem = is_memcpy(schedule)
                                        ? StreamProblem{1, 100003, ElementType::kFp32, Op::kMemcpy}
                                        : StreamProblem{333, 1001, ElementType::kBf16};
      std::vector<TileSpan> tiles;
      Activity activity;
      const Simulated kernel = simulate_stream(example_gpu(), problem, config, 2, kExampleClock,
                                               {.activity = &activity, .tiles = &tiles});
      const double matrix = matrix_bytes(problem);
      const i64 blocks = stream_walk(config, problem, 8).blocks;
      CHECK(kernel.tiles == blocks);
      CHECK(kernel.k_blocks == blocks);
      CHECK(kernel.dram_write.value == matrix);
      CHECK(kernel.dram_read.value == matrix * input_count(schedule));
      CHECK(kernel.sm_intake == kernel.dram_read);
      CHECK(kernel.l2_to_sm == kernel.dram_read);
      CHECK(activity.total(Resource::kDramRead) == static_cast<i64>(kernel.dram_read.value));
      CHECK(activity.total(Resource::kDramWrite) == static_cast<i64>(kernel.dram_write.value));
      CHECK(activity.total(Resource::kFills) == static_cast<i64>(kernel.sm_intake.value));
      std::set<std::pair<u32, u32>> places;
      for (const TileSpan& tile : tiles) {
        places.insert({tile.tile_m, tile.tile_n});
        CHECK(tile.begin <= tile.first_operands);
        CHECK(tile.first_operands <= tile.multiplied);
        CHECK(tile.multiplied < tile.stored);
        CHECK(tile.stored < sim_time(kernel.time));
      }
      CHECK(tiles.size() == static_cast<std::size_t>(blocks));
      CHECK(places.size() == tiles.size());
    }
  }
}

TEST_CASE("The rest of a long kernel goes on as its beginning, within 0.6 percent") {
  const GpuSpec h200 = load_gpu("h200_sxm", false).spec;
  for (const StreamSchedule schedule : kEveryStreamSchedule) {
    for (const BlockOrder order :
         {BlockOrder::kBlocks, BlockOrder::kStrided, BlockOrder::kChunked, BlockOrder::kTickets}) {
      if (order == BlockOrder::kTickets && schedule != StreamSchedule::kMemcpyTma) {
        continue;
      }
      const StreamConfig config = plain_stream(schedule, order);
      // 264 places: 454 blocks each, and a ragged one.
      const StreamProblem problem =
          is_memcpy(schedule)
              ? StreamProblem{1, 120000 * 1024 + 77, ElementType::kFp32, Op::kMemcpy}
              : StreamProblem{120000 * 4 + 1, 256, ElementType::kFp32};
      Activity watch;
      const Simulated part = simulate_stream(h200, problem, config, 2, Hertz{1.98e9});
      const Simulated whole =
          simulate_stream(h200, problem, config, 2, Hertz{1.98e9}, {.activity = &watch});
      CHECK(part.events < whole.events * 3 / 4);
      CHECK(part.cycles.value == Approx(whole.cycles.value).epsilon(0.006));
      CHECK(part.dram_share == Approx(whole.dram_share).epsilon(0.006));
      CHECK(part.dram_read == whole.dram_read);
      CHECK(part.dram_write == whole.dram_write);
      CHECK(part.tiles == whole.tiles);
    }
  }
}

TEST_CASE("A memory-bound kernel's limiter is the part that is slow") {
  const auto limiter = [](const GpuSpec& gpu) {
    const StreamConfig config = plain_stream(StreamSchedule::kElementwiseAddTma);
    const StreamProblem problem = problem_of(config.schedule);
    const Cycles whole = simulate_stream(gpu, problem, config, 1, kExampleClock).cycles;
    return eliminate(gpu, problem, config, 1, kExampleClock, whole).front().part;
  };
  CHECK(limiter(example_gpu()) == Limiter::kDram);
  GpuSpec far = example_gpu();
  far.stream->bulk_latency = {50e-6};
  CHECK(limiter(far) == Limiter::kLatency);
}

TEST_CASE("Equal inputs give equal memory-bound results, on other threads too") {
  const StreamConfig config =
      plain_stream(StreamSchedule::kElementwiseAddTmaWarpSpecialized, BlockOrder::kBlocks);
  const auto run = [&] {
    return simulate_stream(example_gpu(), {777, 1000, ElementType::kFp16}, config, 3,
                           kExampleClock);
  };
  const Simulated first = run();
  Simulated others[2];
  {
    std::jthread a([&] { others[0] = run(); });
    std::jthread b([&] { others[1] = run(); });
  }
  for (const Simulated& other : others) {
    CHECK(other.cycles == first.cycles);
    CHECK(other.events == first.events);
  }
}

TEST_CASE("A GPU without what a kernel needs cannot simulate it, and says so") {
  GpuSpec gpu = example_gpu();
  const StreamConfig stream = plain_stream(StreamSchedule::kMemcpy);
  const KernelConfig whole = plain(Schedule::kPersistent), split = plain(Schedule::kSplitK);
  CHECK(can_simulate(gpu, stream));
  CHECK(can_simulate(gpu, whole));
  CHECK(can_simulate(gpu, split));
  gpu.machine.reset();
  CHECK(!can_simulate(gpu, whole));
  CHECK(!can_simulate(gpu, split));
  CHECK(can_simulate(gpu, stream));
  gpu = example_gpu();
  gpu.reduction.reset();  // C by plain stores takes its rates too
  CHECK(!can_simulate(gpu, whole));
  CHECK(!can_simulate(gpu, split));
  CHECK_THROWS_AS(simulate_example(gpu, fp16(64, 64, 64), split), ConfigError);
  gpu.stream.reset();
  CHECK(!can_simulate(gpu, stream));
  CHECK_THROWS_AS(simulate_stream(gpu, problem_of(stream.schedule), stream, 1, kExampleClock),
                  ConfigError);
}
