#include "library/gpu_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "library/status.h"
#include "model/base/text.h"
#include "model/spec/load_gpu.h"

namespace tilecast {
namespace {

bool has_word(std::string_view text, std::string_view word) {
  const auto words = split(text, ' ');
  return std::ranges::find(words, word) != words.end();
}

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
  const auto words = split(device.name, ' ');
  const std::string_view model = words.size() > 1 ? words[1] : words[0];
  std::vector<std::string> found;
  for (const GpuFile& file : gpu_files(config_folder)) {
    if (has_word(file.product, model) && file.sm_count == device.sm_count) {
      found.push_back(file.name);
    }
  }
  if (found.size() != 1) {
    throw StatusError(
        TILECAST_UNSUPPORTED,
        fmt::format("{} ({} SMs) matches {}: name a GPU file in options.gpu", device.name,
                    device.sm_count, found.empty() ? "no GPU file" : join(found, " and by ")));
  }
  return found.front();
}

}  // namespace tilecast
