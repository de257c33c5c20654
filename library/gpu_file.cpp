#include "library/gpu_file.h"

#include <fmt/format.h>

#include <algorithm>
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

}  // namespace

std::string gpu_file_of(const CurrentGpu& device, const std::filesystem::path& config_folder) {
  const auto words = split(device.name, ' ');
  const std::string_view model = words.size() > 1 ? words[1] : words[0];
  std::vector<std::string> found;
  for (const std::string& name : known_gpus(config_folder)) {
    const GpuSpec gpu = load_gpu(name, false, config_folder).spec;
    if (has_word(gpu.product, model) && gpu.sm.count == device.sm_count) {
      found.push_back(name);
    }
  }
  if (found.size() != 1) {
    throw StatusError(
        TILECAST_UNSUPPORTED,
        fmt::format("{} ({} SMs) is described by {}: name a GPU file in options.gpu", device.name,
                    device.sm_count, found.empty() ? "no GPU file" : join(found, " and by ")));
  }
  return found.front();
}

}  // namespace tilecast
