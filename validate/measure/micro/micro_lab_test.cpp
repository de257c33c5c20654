// Short runs of the micro-benchmarks whose kernels take the most arguments: they must report the
// requested parameters and run without errors under a memory checker. Their results are not
// checked.
#include "validate/measure/micro/micro_lab.h"

#include <vector>

#include "tests/catch.h"
#include "tests/gpu.h"
#include "validate/measure/micro/micro_clock.h"
#include "validate/measure/micro/micro_ring.h"

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

TEST_CASE("Rings deliver every byte that their SMs request", "[gpu][micro]") {
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
}

TEST_CASE("Boxes that reach out of bounds arrive whole", "[gpu][micro]") {
  MicroLab& lab = lab_or_skip();
  for (const i32 row : {0, 16}) {  // 48 of the 64 rows are out of bounds, or all of them
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

TEST_CASE("A wgmma group is issued before it completes", "[gpu][micro]") {
  MicroLab& lab = lab_or_skip();
  for (const i32 group : {1, 8}) {
    const WgmmaLoop loop{256, false, group, 0};
    const std::vector<TimedSample> samples =
        lab.run(lab.kernel("wgmma_issue", loop.constants()),
                {.ctas = 1, .threads = 128, .shared_memory_bytes = loop.shared_bytes()}, 3, 10u,
                static_cast<u32>(OperandData::kNormal));
    CHECK(samples[0].amount == 10);
    CHECK(samples[0].cycles <= samples[1].cycles);
    // 64x256x16 takes at least 128 cycles
    CHECK(samples[1].cycles >= u64{10 * 128} * static_cast<u64>(group));
  }
}

TEST_CASE("A trace of the clock lasts as long as its load", "[gpu][micro]") {
  MicroLab& lab = lab_or_skip();
  const std::vector<ClockReading> readings =
      trace_clock(lab, {1000000, 1000, 1000, lab.sm_count(), OperandData::kTernary}, 5000);
  CHECK(readings.size() == 200);
  CHECK(readings.back().nanoseconds - readings.front().nanoseconds >= 990000);
  CHECK(clock_at(readings, 900000, 100000) > 0.5);
}

}  // namespace tilecast
