// Finds the GPU file for a device.
#pragma once

#include <filesystem>
#include <string>

#include "library/device_plan.h"

namespace tilecast {

/// Returns the GPU file whose product contains the device's model ("H200" of "NVIDIA H200") and
/// whose SM count matches. Throws StatusError (TILECAST_UNSUPPORTED) if none or several match.
std::string gpu_file_of(const CurrentGpu& device, const std::filesystem::path& config_folder);

}  // namespace tilecast
