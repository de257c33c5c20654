#include "model/spec/kept_gpu.h"

#include <map>
#include <memory>
#include <mutex>
#include <tuple>

namespace tilecast {

const LoadedGpu& kept_gpu(const std::string& name_or_path, bool use_calibration,
                          const std::filesystem::path& config_folder) {
  static std::mutex mutex;
  static std::map<std::tuple<std::string, std::string, bool>, std::unique_ptr<const LoadedGpu>>
      kept;
  const std::lock_guard lock(mutex);
  std::unique_ptr<const LoadedGpu>& gpu =
      kept[{config_folder.string(), name_or_path, use_calibration}];
  if (gpu == nullptr) {
    gpu = std::make_unique<const LoadedGpu>(load_gpu(name_or_path, use_calibration, config_folder));
  }
  return *gpu;
}

}  // namespace tilecast
