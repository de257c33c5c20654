// Caches load_gpu for the life of the process, by name, calibration and folder. References to the
// result stay valid. Thread-safe. Checked by: kept_gpu_test.cpp.
#pragma once

#include <filesystem>
#include <string>

#include "model/spec/load_gpu.h"

namespace tilecast {

/// Throws the exceptions of load_gpu; failures are not cached.
const LoadedGpu& kept_gpu(const std::string& name_or_path, bool use_calibration,
                          const std::filesystem::path& config_folder);

}  // namespace tilecast
