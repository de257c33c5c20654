// One memory-bound problem run by one compiled configuration. Made once; bound once per set of
// buffers; launched many times with nothing left to compute.
#pragma once

#include <cuda_runtime_api.h>

#include <string>
#include <string_view>
#include <vector>

#include "kernels/jit/compile.h"
#include "kernels/jit/loaded_kernel.h"
#include "kernels/jit/zeroed_memory.h"
#include "kernels/stream/stream_args.h"
#include "model/stream/stream_config.h"

namespace tilecast {

constexpr const char* kStreamEntry = "tilecast_stream";

/// For GPUs of `architecture`: sm_80 or later, with the copy engine's schedules from sm_90 on.
/// Throws ConfigError where no such kernel can exist for the element type.
KernelSource stream_source(const StreamConfig& config, ElementType dtype,
                           std::string_view architecture = "sm_90a");

/// A matrix in device memory; strides in elements, a column stride of 1 but for the kernels whose
/// vector is one element.
struct StreamMatrix {
  void* pointer;
  i64 row_stride, column_stride;
};

/// memcpy: a to c; b is not looked at.
struct StreamBuffers {
  StreamMatrix a, b, c;
};

class StreamLaunch {
 public:
  /// `kernel` is the compiled `config` for the problem's dtype, and must outlive this. Throws
  /// ConfigError where the configuration cannot run on the problem, Error where the device cannot
  /// hold one CTA.
  StreamLaunch(LoadedKernel& kernel, const StreamProblem& problem, const StreamConfig& config);

  /// Throws ConfigError where strides or alignment are not what the configuration can address.
  StreamArgs bind(const StreamBuffers& buffers) const;
  /// Tight row-major matrices.
  StreamArgs bind(void* a, void* b, void* c) const;

  void launch(const StreamArgs& args, cudaStream_t stream) const;

  const LaunchShape& shape() const { return shape_; }
  const BlockWalk& walk() const { return walk_; }
  i32 resident_ctas_per_sm() const { return resident_ctas_per_sm_; }

 private:
  const LoadedKernel* kernel_;
  StreamProblem problem_;
  StreamConfig config_;
  LaunchShape shape_;
  BlockWalk walk_{};
  ZeroedMemory tickets_;
  i32 resident_ctas_per_sm_ = 0;
};

}  // namespace tilecast
