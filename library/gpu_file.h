// Which GPU file describes a device.
#pragma once

#include <filesystem>
#include <string>

#include "library/device_plan.h"

namespace tilecast {

/// The name of the file whose product holds the device's model ("H200" of "NVIDIA H200") and whose
/// SMs are as many. Throws StatusError (TILECAST_UNSUPPORTED) where none or several are.
std::string gpu_file_of(const CurrentGpu& device, const std::filesystem::path& config_folder);

}  // namespace tilecast
