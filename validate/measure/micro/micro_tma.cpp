#include "validate/measure/micro/micro_ring.h"
#include "validate/measure/micro/micro_suite.h"

namespace tilecast {
namespace {

constexpr int kRepeats = 15;

void latency(MicroLab& lab, u32 bytes, bool from_dram) {
  constexpr std::size_t kMemory = std::size_t{8} << 30;
  constexpr u32 kLoads = 200;
  // Odd multiples of 16 KiB: every load reads lines that no earlier load touched, on pages that are
  // still in the TLBs.
  constexpr u64 kFarApart = 3 * 16384;
  constexpr u64 kInL2 = u64{1} << 20, kApart = 4096 + 128;
  LoadedKernel& kernel = lab.kernel("tma_latency");
  const char* memory = lab.memory(kMemory);
  static u64 start = 0;
  const auto run = [&] {
    start = (start + kFarApart * (kLoads + 8)) % (kMemory / 2);
    return lab.run(kernel, one_warp(static_cast<i32>(bytes)), 1, memory,
                   from_dram ? static_cast<u64>(kMemory) : kInL2, from_dram ? start : u64{0},
                   from_dram ? kFarApart : kApart, bytes, kLoads)[0];
  };
  lab.report(latency_point(repeated(kRepeats, run)),
             from_dram ? "tma.dram_latency" : "tma.l2_latency", fmt::format("bytes={}", bytes),
             "tma_latency");
}

void issue(MicroLab& lab, u32 bytes, u32 count) {
  constexpr u32 kRounds = 50;
  LoadedKernel& kernel = lab.kernel("tma_issue");
  const char* memory = lab.memory(bytes * count);
  const auto places = by_place(kRepeats, [&] {
    return lab.run(kernel, one_warp(static_cast<i32>(bytes * count)), 3, memory, bytes, count,
                   kRounds);
  });
  const std::string variant = fmt::format("bytes={} count={}", bytes, count);
  lab.report(latency_point(less(places[0], places[2])), "tma.issue_per_copy", variant, "tma_issue");
  lab.report(latency_point(places[1]), "tma.landed_per_copy", variant, "tma_issue");
}

void store(MicroLab& lab, u32 bytes) {
  constexpr u32 kRounds = 100;
  LoadedKernel& kernel = lab.kernel("tma_store");
  char* memory = lab.memory(bytes);
  const auto run = [&] {
    return lab.run(kernel, one_warp(kWholeSm), 1, memory, bytes, kRounds)[0];
  };
  lab.report(latency_point(repeated(kRepeats, run)), "tma.store_source_free",
             fmt::format("bytes={} store", bytes), "tma_store");
}

}  // namespace

void measure_tma(MicroLab& lab) {
  for (const bool from_dram : {false, true}) {
    for (const u32 bytes : {16u, 128u, 1024u, 4096u, 8192u, 16384u, 32768u}) {
      latency(lab, bytes, from_dram);
    }
  }
  for (const u32 bytes : {16u, 128u, 1024u, 8192u}) {
    for (const u32 count : {1u, 4u, 16u}) {
      issue(lab, bytes, count);
    }
  }
  for (const u32 bytes : {128u, 2048u, 8192u, 16384u, 32768u}) {
    store(lab, bytes);
  }
}

/// Copies boxes that lie entirely below a matrix of 16 rows, from one SM and from all SMs in step.
void measure_boxes(MicroLab& lab) {
  constexpr int kBoxRepeats = 7;
  constexpr u32 kTurns = 256;
  constexpr i32 kRows = 16;
  for (const u32 active : {1u, lab.sm_count()}) {
    for (const i32 rows : {64, 256}) {
      const u32 boxes = rows == 64 ? 2 : 1;  // boxes per iteration
      std::vector<TimedSample> samples =
          run_boxes(lab,
                    {.rows = kRows,
                     .box_rows = rows,
                     .row = kRows,
                     .range = 4096,
                     .ranges = 1,
                     .boxes = boxes,
                     .slots = 5,  // 5 slots need 160 KiB with boxes of 256 rows
                     .turns = kTurns,
                     .task = [&, active](u32 smid) -> SmTask {
                       return {is_one_of(smid, active, lab.sm_count() / active) ? 1u : 0u, 0, 0, 1};
                     }},
                    kBoxRepeats);
      for (TimedSample& sample : samples) {
        sample.amount = u64{kTurns} * boxes;  // amount of one SM, since all run in parallel
      }
      lab.report(latency_point(samples), "tma.box_turn",
                 fmt::format("box={} inside=0 in_step sms={}", rows, active), "tma_box");
    }
  }
}

}  // namespace tilecast
