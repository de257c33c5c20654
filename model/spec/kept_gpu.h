// load_gpu, once in a process for each name, calibration and folder: what answers refer to stays as
// long as the process lives. On any thread. Checked by: kept_gpu_test.cpp.
#pragma once

#include <filesystem>
#include <string>

#include "model/spec/load_gpu.h"

namespace tilecast {

/// Throws what load_gpu throws, again each time: what could not be loaded is not kept.
const LoadedGpu& kept_gpu(const std::string& name_or_path, bool use_calibration,
                          const std::filesystem::path& config_folder);

}  // namespace tilecast
