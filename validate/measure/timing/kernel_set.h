// Small kernels for measuring. They are compiled through the cubin cache, loaded once, and launched
// with enough CTAs to fill the GPU; they stride over their elements.
#pragma once

#include <cuda_runtime_api.h>

#include <string>
#include <vector>

#include "kernels/jit/cubin_cache.h"
#include "kernels/jit/loaded_kernel.h"
#include "model/base/error.h"

namespace tilecast {

class KernelSet {
 public:
  /// The entry of `FOLDER/NAME.cu` must be tilecast_NAME.
  KernelSet(CubinCache& cache, const std::vector<KernelSource>& sources, i32 sm_count)
      : sm_count_(sm_count) {
    for (const KernelSource& source : sources) {
      const CompiledKernel compiled = cache.get(source);
      if (!compiled.usable()) {
        throw Error(ExitCode::kWrong, source.path + ": " + compiled.rejection);
      }
      const std::size_t name = source.path.rfind('/') + 1;
      const std::string entry = source.path.substr(name, source.path.rfind('.') - name);
      kernels_.emplace_back(compiled.cubin, ("tilecast_" + entry).c_str());
    }
  }

  i32 sm_count() const { return sm_count_; }

  template <class... Arguments>
  void launch(std::size_t kernel, const LaunchShape& shape, cudaStream_t stream,
              Arguments... arguments) const {
    void* pointers[] = {&arguments...};
    kernels_[kernel].launch(shape, pointers, stream);
  }
  template <class... Arguments>
  void launch(std::size_t kernel, cudaStream_t stream, Arguments... arguments) const {
    constexpr u32 kCtasPerSm = 8, kThreads = 256;
    launch(kernel,
           {.ctas = static_cast<u32>(sm_count_) * kCtasPerSm,
            .threads = kThreads,
            .shared_memory_bytes = 0},
           stream, arguments...);
  }

 private:
  std::vector<LoadedKernel> kernels_;
  i32 sm_count_;
};

}  // namespace tilecast
