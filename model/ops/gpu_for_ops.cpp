#include "model/gemm/rules/compiler_rejections.h"
#include "model/spec/load_gpu.h"

namespace tilecast {

void read_for_ops(const std::filesystem::path& config_folder, GpuSpec& gpu) {
  gpu.compiler_rejections = std::make_shared<const std::vector<CompilerRejection>>(
      load_compiler_rejections(config_folder, to_text(gpu.architecture)));
}

}  // namespace tilecast
