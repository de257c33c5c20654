// Conditions under which a kernel is timed: the power state, and the input data, which sets the
// switching energy.
#pragma once

#ifndef __CUDACC_RTC__  // NVRTC has no standard library
#include <string_view>
#endif

#include "model/base/integers.h"

namespace tilecast {

enum class Regime : i32 {
  kBurst,      // runs within 10 ms of work after at least 30 ms idle
  kSustained,  // runs after at least 250 ms of continuous load by the same configuration
};

enum class Inputs : i32 {
  kNormal,   // normal(0, 1)
  kUniform,  // uniform [0, 1)
  kTernary,  // -1, 0, 1
  kZeros,
};

#ifndef __CUDACC_RTC__
std::string_view to_text(Regime regime);
std::string_view to_text(Inputs inputs);
/// Throw ConfigError that lists the known words.
Regime parse_regime(std::string_view text);
Inputs parse_inputs(std::string_view text);
#endif

}  // namespace tilecast
