// Output of kernels/micro/clock_sample.cu: both clocks of one SM at one moment.
#pragma once

#include "model/base/integers.h"

namespace tilecast {

struct ClockSample {
  u64 cycles;       // clock64 of this SM
  u64 nanoseconds;  // globaltimer, read just after it stepped
  u32 smid;
  u32 valid;  // 1 after the sample is written
};

}  // namespace tilecast
