// What a run of measuring does before it: look whether there is a GPU, and compile every kernel, in
// parallel and in a child of its own, so that measuring only loads them.
#pragma once

#include <vector>

#include "cli/measure_device.h"

namespace tilecast {

/// In a child, since the calling process must stay free of CUDA. Throws DeviceError.
DeviceFound look_for_device();

/// In a child too, since the compiler may fall over: throws Error(kWrong) then.
void compile_in_child(const std::vector<SuitePoint>& points);

/// In this process, with a summary of what the compiler said. Needs no GPU.
void compile_here(const std::vector<SuitePoint>& points);

}  // namespace tilecast
