// Short runs of the micro-benchmarks whose kernels take the most arguments: what they say they did
// is what they were asked for, and a memory checker finds nothing. What they measure is not judged.
#include "validate/measure/micro/micro_lab.h"
#include "kernels/jit/copy_to_device.h"

#include <vector>

#include "kernels/jit/tensor_map.h"
#include "tests/catch.h"
#include "tests/gpu.h"
#include "validate/measure/micro/l2_sides.h"
#include "validate/measure/micro/micro_block.h"
#include "validate/measure/micro/micro_load.h"
#include "validate/measure/micro/micro_ring.h"
#include "validate/measure/micro/micro_wgmma.h"

namespace tilecast {
namespace {

MicroLab& lab_or_skip() {
  gpu_or_skip();
  static MicroLab lab;
  return lab;
}

TaskOfSm four_sms() {
  return [](u32 smid) -> SmTask { return {smid < 4 ? 1u : 0u, smid < 4 ? smid : 0, smid, 2}; };
}

}  // namespace

TEST_CASE("Rings bring every byte that their SMs ask for", "[gpu][micro]") {
  MicroLab& lab = lab_or_skip();
  // Four SMs, 40 copies of 32 KiB each.
  const RingRun ring{.region = 128 * 1024,
                     .groups = 4,
                     .bytes = 32768,
                     .slots = 4,
                     .loads = 40,
                     .task = four_sms()};
  for (const TimedSample& sample : run_ring(lab, ring, 2)) {
    CHECK(sample.amount == 4 * 40 * 32768);
    CHECK(sample.cycles > 0);
  }
  RingRun clustered = ring;
  clustered.cluster_size = 4;  // which of the four SMs have room for a cluster is the hardware's
  CHECK(run_ring(lab, clustered, 1).front().amount % (40 * 32768) == 0);
}

TEST_CASE("Boxes that reach out of bounds arrive whole", "[gpu][micro]") {
  MicroLab& lab = lab_or_skip();
  for (const i32 row : {0, 16}) {  // 48 of the 64 rows are outside, or all of them
    const BoxRun run{.rows = 16,
                     .box_rows = 64,
                     .row = row,
                     .range = 512,
                     .ranges = 4,
                     .boxes = 2,
                     .slots = 3,
                     .turns = 20,
                     .task = four_sms()};
    for (const TimedSample& sample : run_boxes(lab, run, 2)) {
      CHECK(sample.amount == 4 * 20 * 2);
    }
  }
}

TEST_CASE("Tensor maps in global memory load, read before or prefetched or neither",
          "[gpu][micro]") {
  MicroLab& lab = lab_or_skip();
  const DeviceMemory data(8192);
  const TensorMap map = make_tensor_map(
      {.pointer = data.as<void>(), .rows = 64, .columns = 64, .dtype = ElementType::kFp16},
      {.columns = 64, .rows = 64, .swizzle_bytes = 128});
  const std::vector<TensorMap> copies(5, map);
  const DeviceMemory maps(5 * sizeof(TensorMap));
  copy_to_device(maps.as<void>(), std::span(copies));
  for (const u32 before : {0u, 1u, 2u}) {
    for (const u32 again : {0u, 1u}) {
      const std::vector<TimedSample> samples = lab.run(
          lab.kernel("tma_descriptor"), {.ctas = 1, .threads = 32, .shared_memory_bytes = 8192}, 1,
          static_cast<const TensorMap*>(maps.as<TensorMap>()), 4u, 8192u, before, again);
      CHECK(samples[0].amount == 4);
    }
  }
}

TEST_CASE("A wgmma group has been issued before it has run", "[gpu][micro]") {
  MicroLab& lab = lab_or_skip();
  for (const i32 group : {1, 8}) {
    const WgmmaLoop loop{256, false, group, 0, 1};
    const std::vector<TimedSample> samples =
        lab.run(lab.kernel("wgmma_issue", loop.defines()),
                {.ctas = 1, .threads = kWarpgroup, .shared_memory_bytes = loop.shared_bytes()}, 3,
                10u, static_cast<u32>(OperandData::kNormal));
    CHECK(samples[0].amount == 10);
    CHECK(samples[0].cycles <= samples[1].cycles);
    // 64x256x16 take 128 cycles each at least.
    CHECK(samples[1].cycles >= u64{10 * 128} * static_cast<u64>(group));
  }
}

TEST_CASE("A K block of a GEMM is issued before it is done, and loads behind it land",
          "[gpu][micro][block]") {
  MicroLab& lab = lab_or_skip();
  const BlockTile tile{128, 256, 128, 2};
  for (const bool behind : {false, true}) {
    const std::vector<TimedSample> samples =
        run_block(lab, {.tile = tile, .behind_another = behind}, 20);
    const auto second = [&](WgmmaWarpgroupSample which) {
      return samples[static_cast<std::size_t>(sample_of_warpgroup(1, which))].cycles;
    };
    CHECK(second(kIssued) <= second(kDone));
    // Eight 64x256x16 of each warpgroup take 128 cycles each at least, two warpgroups at once.
    CHECK(second(kDone) >= 20u * 8 * 128);
  }
  for (const LoadBy by : {LoadBy::kIssuer, LoadBy::kOther, LoadBy::kOtherAtOnce}) {
    for (const i32 loads : {1, 3}) {
      for (const bool multiplies : {false, true}) {
        const std::vector<TimedSample> samples =
            run_block(lab, {.tile = tile, .by = by, .loads = loads, .multiplies = multiplies}, 20);
        CHECK(samples[kLoadIssued].cycles < samples[kLanded].cycles);
      }
    }
  }
}

TEST_CASE("The loop over K blocks notes every one in order", "[gpu][micro][block]") {
  MicroLab& lab = lab_or_skip();
  for (const bool specialized : {false, true}) {
    for (const i32 inflight : {0, 1}) {
      const LoopMarks loop = run_loop(lab, {{128, 256, 128, 2}, specialized, 2, inflight, 3});
      CHECK(loop.k_blocks == 32);
      int in_order = 0;
      for (const KBlockMark& mark : loop.marks) {
        in_order += mark.waits > 0 && mark.waits < mark.operands && mark.operands < mark.issued &&
                    mark.issued < mark.waited;
      }
      CHECK(in_order == 3 * 2 * 32);
      for (std::size_t k = 0; k < 32; ++k) {  // of the first CTA
        CHECK(loop.marks[k].load_free < loop.marks[k].load_issued);
        // Not load_issued: the clock is read behind the last load, late under a memory checker.
        CHECK(loop.marks[k].load_free < loop.marks[k].operands);
      }
    }
  }
}

TEST_CASE("Every warp of up to twelve stages its matrices", "[gpu][micro]") {
  MicroLab& lab = lab_or_skip();
  for (const i32 warps : {4, 12}) {
    for (const u32 swizzled : {0u, 1u}) {
      const std::vector<TimedSample> samples = lab.run(
          lab.kernel("stmatrix"),
          {.ctas = 1, .threads = warps * 32, .shared_memory_bytes = warps * 4096}, 3, 5u, swizzled);
      for (const TimedSample& sample : samples) {
        CHECK(sample.amount == 5 * 8);
      }
    }
  }
}

TEST_CASE("Chosen lines of L2 are read by every SM", "[gpu][micro]") {
  MicroLab& lab = lab_or_skip();
  constexpr u32 kLines = 64;
  const char* memory = lab.memory(kLines * 256);
  const LineLatencies latencies = line_latencies(lab, memory, 256, kLines);
  const std::vector<bool> sides = on_side_of_sm_0(latencies);
  CHECK(sides[0]);
  CHECK(nearer_to_sm_0(latencies, sides).size() == kLines);
  const std::vector<u32> lists = {0, 256, 512, 768, 1024, 1280, 1536, 1792};  // two of four lines
  const DeviceMemory device(lists.size() * 4), list_of_sm(lab.sm_count() * 4);
  TILECAST_CUDA(
      cudaMemcpy(device.as<void>(), lists.data(), lists.size() * 4, cudaMemcpyHostToDevice));
  TILECAST_CUDA(cudaMemset(list_of_sm.as<void>(), 0, lab.sm_count() * 4));
  TILECAST_CUDA(cudaDeviceSynchronize());
  const std::vector<TimedSample> samples =
      lab.run(lab.kernel("l2_lines"),
              {.ctas = lab.sm_count(), .threads = 256, .shared_memory_bytes = 4 * 4},
              lab.sm_count(), memory, static_cast<const u32*>(device.as<u32>()), 4u,
              static_cast<const u32*>(list_of_sm.as<u32>()), 10u, lab.counter());
  CHECK(samples[0].amount == 10 * 4 * (256 / 8) * 128);
}

TEST_CASE("Fills by copies and by boxes go on while wgmmas run", "[gpu][micro]") {
  MicroLab& lab = lab_or_skip();
  const WgmmaLoop loop{64, false, 4, 1, 1};
  LoadedKernel& kernel = lab.kernel("wgmma_contention", loop.defines());
  const char* memory = lab.memory(128 * 64 * 6 * 2);
  const TensorMap map =
      make_tensor_map({.pointer = memory, .rows = 128, .columns = 384, .dtype = ElementType::kFp16},
                      {.columns = 64, .rows = 128, .swizzle_bytes = 128});
  for (const bool boxes : {false, true}) {
    const std::vector<TimedSample> samples =
        lab.run(kernel,
                {.ctas = 1,
                 .threads = kWarpgroup + 32,
                 .shared_memory_bytes = loop.shared_bytes() + 9 * 16384},
                2, map, 200u, 1u, boxes ? nullptr : memory, boxes ? 384u : 6u * 16384, 128, 16384u,
                3u, 3u, 1000u);
    CHECK(samples[0].amount == 800);
    CHECK(samples[1].amount > 0);
    CHECK(samples[1].amount % (3 * 16384) == 0);
  }
}

TEST_CASE("CTAs of a cluster load the same bytes, at once or each its own", "[gpu][micro]") {
  MicroLab& lab = lab_or_skip();
  LoadedKernel& kernel = lab.kernel("tma_multicast", {"TILECAST_CLUSTER=4"});
  const char* memory = lab.memory(128 * 1024);
  for (const u32 multicast : {0u, 1u}) {
    for (const u32 lag : {0u, 2u}) {
      const std::vector<TimedSample> samples = lab.run(
          kernel, {.ctas = 4, .threads = 32, .shared_memory_bytes = kWholeSm, .cluster_size = 4}, 4,
          memory, u64{128 * 1024}, 8192u, 6u, lag, 50u, multicast, lab.counter());
      for (const TimedSample& sample : samples) {
        CHECK(sample.amount == 50 * 8192);
      }
    }
  }
}

TEST_CASE("A trace of the clock lasts as long as its load", "[gpu][micro]") {
  MicroLab& lab = lab_or_skip();
  ClockTrace trace(lab, {1000000, 1000, 1000, lab.sm_count(), OperandData::kTernary}, 5000,
                   ClockTrace::kOperands);
  trace.start();
  const std::vector<ClockReading> readings = trace.finish();
  CHECK(readings.size() == 200);
  CHECK(readings.back().nanoseconds - readings.front().nanoseconds >= 990000);
  CHECK(clock_at(readings, 900000, 100000) > 0.5);
}

TEST_CASE("Reads in the background end by themselves", "[gpu][micro]") {
  MicroLab& lab = lab_or_skip();
  const char* memory = lab.memory(kBackgroundRegion);
  BackgroundReads reads(lab, memory, 4, 30);
  reads.start();
  CHECK(reads.finish().amount == 4 * 30 * 8192);
}

}  // namespace tilecast
