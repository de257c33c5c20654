#include "library/gpu_file.h"

#include <fmt/format.h>

#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "library/status.h"
#include "model/base/text.h"
#include "model/spec/load_gpu.h"
#include "model/spec/product_name.h"

namespace tilecast {
namespace {

struct GpuFile {
  std::string name, product;
  i32 sm_count;
};

/// GPU files, read once per process.
const std::vector<GpuFile>& gpu_files(const std::filesystem::path& config_folder) {
  static std::mutex mutex;
  static std::map<std::string, std::vector<GpuFile>> read;
  const std::lock_guard lock(mutex);
  const auto known = read.find(config_folder.string());
  if (known != read.end()) {
    return known->second;
  }
  std::vector<GpuFile> files;
  for (const std::string& name : known_gpus(config_folder)) {
    const GpuSpec gpu = load_gpu(name, false, config_folder).spec;
    files.push_back({.name = name, .product = gpu.product, .sm_count = gpu.sm.count});
  }
  return read.emplace(config_folder.string(), std::move(files)).first->second;
}

}  // namespace

std::string gpu_file_of(const CurrentGpu& device, const std::filesystem::path& config_folder) {
  std::vector<std::string> found;
  for (const GpuFile& file : gpu_files(config_folder)) {
    if (is_product(device.name, file.product) && file.sm_count == device.sm_count) {
      found.push_back(file.name);
    }
  }
  if (found.size() != 1) {
    const std::string of_device = fmt::format("{} ({} SMs)", device.name, device.sm_count);
    throw StatusError(
        TILECAST_UNSUPPORTED,
        (found.empty() ? "no GPU file matches " + of_device
                       : "several GPU files match " + of_device + ": " + join(found, ", ")) +
            "; name one with options.gpu");
  }
  return found.front();
}

}  // namespace tilecast
