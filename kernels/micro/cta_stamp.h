// Output of kernels/micro/cta_launch.cu for each CTA.
#pragma once

#include "model/base/integers.h"

namespace tilecast {

struct CtaStamp {
  u64 begin_cycles, end_cycles;  // clock64 of the CTA's SM
  u64 begin_ns, end_ns;          // globaltimer
  u32 smid;
  u32 valid;
};

}  // namespace tilecast
