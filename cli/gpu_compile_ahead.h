// What a run of measuring does before it: look whether there is a GPU, and compile every kernel, in
// parallel and in a child of its own, so that measuring only loads them.
#pragma once

#include <vector>

#include "cli/measure_device.h"

namespace tilecast {

// In children, since the calling process must stay free of CUDA. These throw DeviceError.

/// UUIDs of the GPUs that CUDA shows; the first one runs the kernels.
std::vector<std::string> visible_gpus();
/// The first one's chip by CUPTI's name, empty where it has none.
std::string chip_of_current();

/// In a child too, since the compiler may fall over: throws Error(kWrong) then.
void compile_in_child(const std::vector<SuitePoint>& points);

}  // namespace tilecast
