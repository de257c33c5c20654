#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "model/base/math.h"
#include "validate/measure/micro/micro_load.h"
#include "validate/measure/micro/micro_ring.h"
#include "validate/measure/micro/micro_suite.h"

namespace tilecast {
namespace {

constexpr int kRepeats = 5;

/// Reads of `active` SMs side by side through memory far larger than L2.
void read_in_flight(MicroLab& lab, u32 active, u32 bytes, u32 slots) {
  constexpr std::size_t kRegion = std::size_t{6} << 30;
  constexpr std::size_t kRead = std::size_t{1} << 30;  // by one run, so that L2 forgets its start
  const u32 apart = lab.sm_count() / active;
  const RingRun ring{.region = kRegion,
                     .groups = 1,
                     .bytes = bytes,
                     .slots = slots,
                     .loads = static_cast<u32>(kRead / bytes / active),
                     .task = [=](u32 smid) -> SmTask {
                       const bool works = is_one_of(smid, active, apart);
                       return {works ? 1u : 0u, 0, works ? smid / apart : 0, active};
                     }};
  lab.report(rate_point(run_ring(lab, ring, kRepeats), "B"), "dram", "dram.read_rate",
             fmt::format("sms={} bytes={} slots={} in_flight_kib={}", active, bytes, slots,
                         bytes * slots / 1024),
             "tma_ring");
}

void mix(MicroLab& lab, u32 reads, u32 writes, u32 bytes) {
  constexpr i32 kSlots = 12;  // of the kernel
  constexpr std::size_t kHalf = std::size_t{6} << 30;
  const u32 period = max_of(reads, writes);
  const u32 ctas = lab.sm_count();
  const u32 steps = static_cast<u32>((std::size_t{2} << 30) / bytes / ctas);
  char* memory = lab.memory(2 * kHalf);
  LoadedKernel& kernel = lab.kernel("dram_mix");
  const LaunchShape shape{
      .ctas = ctas,
      .threads = 32,
      .shared_memory_bytes = max_of(kWholeSm, kSlots * static_cast<i32>(bytes))};
  const auto run = [&] {
    return joined(lab.run(kernel, shape, ctas, static_cast<const char*>(memory), memory + kHalf,
                          bytes, steps, period, reads, writes, lab.counter()));
  };
  run();
  lab.report(rate_point(repeated(kRepeats, run), "B"), "dram", "dram.mix_rate",
             fmt::format("reads={} writes={} bytes={}", reads, writes, bytes), "dram_mix");
}

/// Short reads by all SMs at the clock of an idle chip and behind a load that brought it down:
/// whether DRAM keeps its bytes per nanosecond.
void read_at_two_clocks(MicroLab& lab) {
  constexpr u32 kBytes = 16384, kSlots = 8;
  constexpr std::size_t kRead = std::size_t{256} << 20;
  const u32 sms = lab.sm_count();
  RingRun ring{.region = std::size_t{6} << 30,
               .groups = 1,
               .bytes = kBytes,
               .slots = kSlots,
               .loads = static_cast<u32>(kRead / kBytes / sms),
               .task = [sms](u32 smid) -> SmTask {
                 return {smid < sms ? 1u : 0u, 0, smid, sms};
               }};
  const auto report = [&](const char* variant) {
    lab.report(rate_point(run_ring(lab, ring, kRepeats), "B"), "dram", "domain.dram_read_rate",
               variant, "tma_ring");
  };
  report("others idle");
  LowClock low(lab);
  ring.before = [&low] { low.enqueue(); };
  report("behind wgmmas");
}

/// A plain load's latency beside SMs that read at full speed.
void loaded_latency(MicroLab& lab, u32 active) {
  constexpr u32 kLoads = 400;
  constexpr u32 kBackgroundLoads = 12000;  // of an SM: 1.1 ms at least
  constexpr u64 kSpan = kBackgroundRegion;
  constexpr i32 kOnFreeSm = 100 * 1024;  // no room beside a reading CTA
  const char* memory = lab.memory(2 * kBackgroundRegion);
  LoadedKernel& chain = lab.kernel("load_latency");
  std::vector<TimedSample> latencies, background;
  for (int i = 0; i < kRepeats; ++i) {
    BackgroundReads reads(lab, memory + kBackgroundRegion, active, kBackgroundLoads);
    reads.start();
    std::this_thread::sleep_for(std::chrono::microseconds(300));
    latencies.push_back(lab.run(chain, {.ctas = 1, .threads = 32, .shared_memory_bytes = kOnFreeSm},
                                1, reinterpret_cast<const u32*>(memory), kSpan,
                                5000u + static_cast<u32>(i), kLoads, 1u)[0]);
    background.push_back(reads.finish());
  }
  const std::string variant = fmt::format("reading_sms={}", active);
  lab.report(latency_point(latencies), "dram", "dram.loaded_latency", variant, "load_latency");
  lab.report(rate_point(background, "B"), "dram", "dram.loaded_rate", variant, "tma_ring");
}

}  // namespace

void measure_dram(MicroLab& lab) {
  const u32 sms = lab.sm_count();
  for (const u32 slots : {1u, 2u, 4u, 8u, 16u}) {
    read_in_flight(lab, sms, 8192, slots);
  }
  for (const u32 active : {1u, 4u, 11u, 22u, 33u, 66u}) {
    read_in_flight(lab, active, 8192, 16);
  }
  for (const u32 bytes : {2048u, 4096u, 16384u}) {
    read_in_flight(lab, sms, bytes, 128 * 1024 / bytes > 64 ? 64 : 128 * 1024 / bytes);
  }
  for (const auto& [reads, writes] :
       {std::pair{1u, 0u}, {0u, 1u}, {1u, 1u}, {2u, 1u}, {3u, 1u}, {4u, 1u}, {8u, 1u}}) {
    mix(lab, reads, writes, 8192);
  }
  mix(lab, 2, 1, 16384);
  mix(lab, 2, 1, 4096);
  for (const u32 active : {4u, 16u, 33u, 44u, 66u}) {
    loaded_latency(lab, active);
  }
  read_at_two_clocks(lab);
}

}  // namespace tilecast
