#include "validate/measure/micro/micro_load.h"

#include <algorithm>

namespace tilecast {
namespace {

constexpr u64 kMillisecond = 1000000;

Defines wgmma_defines() {
  return {"TILECAST_N=256",     "TILECAST_A_IN_REGISTERS=0", "TILECAST_GROUP=4",
          "TILECAST_PENDING=1", "TILECAST_WARPGROUPS=1",     "TILECAST_ACCUMULATORS=1"};
}

WgmmaLoad everywhere(const MicroLab& lab, u64 length) {
  return {length, length, length, lab.sm_count(), OperandData::kNormal};
}

}  // namespace

ClockTrace::ClockTrace(MicroLab& lab, const WgmmaLoad& load, u64 every, i32 shared_bytes)
    : load_(load),
      kernel_(lab.kernel("clock_trace", wgmma_defines())),
      shape_{.ctas = lab.sm_count(), .threads = 128, .shared_memory_bytes = shared_bytes},
      every_(every),
      readings_(static_cast<u32>(load.length / every)),
      trace_(readings_ * sizeof(ClockReading)) {
  kernel_.allow_shared_memory(shared_bytes);
}

void ClockTrace::start(cudaStream_t stream) {
  u32 data = static_cast<u32>(load_.data);
  u32 groups = 8;
  ClockReading* trace = trace_.as<ClockReading>();
  void* arguments[] = {&load_.length, &load_.busy, &load_.period, &load_.sms, &data,
                       &every_,       &readings_,  &groups,       &trace};
  kernel_.launch(shape_, arguments, stream);
}

std::vector<ClockReading> ClockTrace::finish() {
  return copy_to_host(trace_.as<ClockReading>(), readings_, stream_.get());
}

LowClock::LowClock(MicroLab& lab)
    : lab_(lab), again_(lab, everywhere(lab, 3 * kMillisecond), kMillisecond, kWholeSm) {
  constexpr u64 kUntilTheCap = 150 * kMillisecond;
  ClockTrace first(lab, everywhere(lab, kUntilTheCap), kMillisecond, kWholeSm);
  first.start();
  first.finish();
}

double clock_at(const std::vector<ClockReading>& trace, u64 at, u64 width) {
  const auto place = [&](u64 ns) {
    const auto later = std::lower_bound(
        trace.begin(), trace.end(), trace.front().nanoseconds + ns,
        [](const ClockReading& reading, u64 wanted) { return reading.nanoseconds < wanted; });
    return later == trace.end() ? trace.back() : *later;
  };
  const ClockReading from = place(at > width ? at - width : 0), to = place(at);
  return static_cast<double>(to.cycles - from.cycles) /
         static_cast<double>(std::max<u64>(1, to.nanoseconds - from.nanoseconds));
}

}  // namespace tilecast
