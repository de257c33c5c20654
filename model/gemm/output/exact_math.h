// fp64 math for reference results.
#pragma once

#ifndef __CUDACC_RTC__  // NVRTC has these functions built in
#include <math.h>
#endif

#include "model/base/host_device.h"

namespace tilecast {

struct ExactMath {
  using Real = double;
  static constexpr bool kExact = true;
  TILECAST_HD static Real tanh(Real x) { return ::tanh(x); }
  TILECAST_HD static Real erf(Real x) { return ::erf(x); }
  TILECAST_HD static Real multiply_add(Real a, Real b, Real c) { return a * b + c; }
  TILECAST_HD static Real least(Real a, Real b) { return a < b ? a : b; }
};

}  // namespace tilecast
