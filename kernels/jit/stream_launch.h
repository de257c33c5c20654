// Launches one memory-bound problem with one compiled configuration. It is constructed once, bound
// once per set of buffers, and launched many times without further computation.
#pragma once

#include <cuda_runtime_api.h>

#include <string>
#include <string_view>

#include "kernels/jit/compile.h"
#include "kernels/jit/loaded_kernel.h"
#include "kernels/jit/zeroed_memory.h"
#include "kernels/stream/stream_args.h"
#include "model/stream/stream_config.h"

namespace tilecast {

constexpr const char* kStreamEntry = "tilecast_stream";

/// Returns the kernel's source for GPUs of `architecture`: sm_80 or later; schedules that use the
/// copy engine need sm_90. Throws ConfigError if no such kernel can exist for the element type.
KernelSource stream_source(const StreamConfig& config, ElementType dtype,
                           std::string_view architecture = "sm_90a");

/// A matrix in device memory; strides are in elements. The column stride is 1, except for kernels
/// with one-element vectors.
struct StreamMatrix {
  void* pointer;
  i64 row_stride, column_stride;
};

/// memcpy copies a to c and ignores b.
struct StreamBuffers {
  StreamMatrix a, b, c;
};

class StreamLaunch {
 public:
  /// `kernel`: the compiled `config` for the problem's dtype, which must outlive this object.
  /// Throws ConfigError if the configuration cannot run on the problem, Error if the device cannot
  /// hold one CTA.
  StreamLaunch(LoadedKernel& kernel, const StreamProblem& problem, const StreamConfig& config);

  /// Throws ConfigError if the configuration cannot address these strides or alignments.
  StreamArgs bind(const StreamBuffers& buffers) const;
  /// Binds contiguous row-major matrices.
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
