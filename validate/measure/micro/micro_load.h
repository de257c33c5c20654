// wgmmas on chosen SMs for a chosen time, and the SM clock meanwhile
// (kernels/micro/clock_trace.cu).
#pragma once

#include <vector>

#include "kernels/micro/operand_data.h"
#include "validate/measure/micro/micro_lab.h"

namespace tilecast {

struct ClockReading {
  u64 cycles, nanoseconds;
};

struct WgmmaLoad {
  u64 length, busy, period;  // ns
  u32 sms;
  OperandData data;
};

class ClockTrace {
 public:
  /// A reading each `every` ns. `shared_bytes` of a CTA decide how many other CTAs fit beside it.
  ClockTrace(MicroLab& lab, const WgmmaLoad& load, u64 every, i32 shared_bytes);

  static constexpr i32 kOperands = 64 * 128 + 256 * 128;  // bytes, of m64n256, a K block of 64

  void start(cudaStream_t stream);
  void start() { start(stream_.get()); }
  /// Of a start on the trace's own stream.
  std::vector<ClockReading> finish();

 private:
  WgmmaLoad load_;
  LoadedKernel& kernel_;
  LaunchShape shape_;
  u64 every_;
  u32 readings_;
  Stream stream_;
  DeviceMemory trace_;
};

/// Brings the clock to where the power cap holds it, and keeps it there: a long load now, a short
/// one before each run on the laboratory's stream.
class LowClock {
 public:
  explicit LowClock(MicroLab& lab);

  void enqueue() { again_.start(lab_.stream().get()); }

 private:
  MicroLab& lab_;
  ClockTrace again_;
};

/// SM cycles per nanosecond over the readings that end nearest to `at` ns after the first, `width`
/// ns before it.
double clock_at(const std::vector<ClockReading>& trace, u64 at, u64 width);

}  // namespace tilecast
