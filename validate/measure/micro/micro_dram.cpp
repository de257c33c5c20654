#include "model/base/math.h"
#include "validate/measure/micro/micro_ring.h"
#include "validate/measure/micro/micro_suite.h"

namespace tilecast {
namespace {

constexpr int kRepeats = 5;

/// Reads memory far larger than L2 from `active` SMs in parallel.
void read_in_flight(MicroLab& lab, u32 active, u32 bytes, u32 slots) {
  constexpr std::size_t kRegion = std::size_t{6} << 30;
  // Bytes read by one run; enough that L2 evicts the beginning.
  constexpr std::size_t kRead = std::size_t{1} << 30;
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
  lab.report(rate_point(run_ring(lab, ring, kRepeats), "B"), "dram.read_rate",
             fmt::format("sms={} bytes={} slots={} in_flight_kib={}", active, bytes, slots,
                         bytes * slots / 1024),
             "tma_ring");
}

void mix(MicroLab& lab, u32 reads, u32 writes, u32 bytes) {
  constexpr i32 kSlots = 12;  // ring slots of the kernel
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
  lab.report(rate_point(repeated(kRepeats, run), "B"), "dram.mix_rate",
             fmt::format("reads={} writes={} bytes={}", reads, writes, bytes), "dram_mix");
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
  for (const auto& [reads, writes] : {std::pair{1u, 0u}, {0u, 1u}, {1u, 1u}, {2u, 1u}, {8u, 1u}}) {
    mix(lab, reads, writes, 8192);
  }
}

}  // namespace tilecast
