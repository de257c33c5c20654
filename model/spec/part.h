// The parts of the machine that can hold a kernel back. Each constant of a GPU file belongs to the
// one that it limits (gpu_fields.h); model/sim/limits.h takes them away one by one.
#pragma once

#include <string_view>

#include "model/base/integers.h"

namespace tilecast {

enum class Part : i32 {
  kTensor,        // FLOPs of the tensor pipes
  kOperandReads,  // from shared memory to the pipes
  kIntake,        // of each SM
  kL2Output,      // what it takes in too, and the counter that tickets are drawn from
  kDram,          // bandwidth
  kLatency,       // of loads, and of wgmmas when waited for
  kInstructions,  // of warps around wgmmas and loads
  kEpilogue,      // a bulk store of memory-bound kernels too
  kReduction,     // partial sums that SMs leave to each other
  kLaunch,        // of the kernel and of its CTAs, and its end
};
constexpr Part kEveryPart[] = {
    Part::kTensor,  Part::kOperandReads, Part::kIntake,   Part::kL2Output,  Part::kDram,
    Part::kLatency, Part::kInstructions, Part::kEpilogue, Part::kReduction, Part::kLaunch};

std::string_view to_text(Part part);

}  // namespace tilecast
