// A compiled kernel in the context that was current when it was prepared. After prepare() nothing
// shared is written, so any number of threads may launch it.
#pragma once

#include <cuda.h>

#include <array>
#include <string>
#include <utility>

#include "kernels/gemm/gemm_args.h"
#include "kernels/jit/cubin_cache.h"
#include "kernels/jit/cuda_error.h"
#include "kernels/jit/loaded_kernel.h"
#include "library/driver.h"
#include "library/request.h"
#include "library/status.h"

namespace tilecast {

CubinCache cache_of(const Request& request);

/// Compiles for the current device. Throws DeviceError if it cannot run the source's architecture,
/// StatusError (TILECAST_UNSUPPORTED, naming `config`) if the compiled kernel must not be used.
CompiledKernel compile_for_plan(const Request& request, const KernelSource& source,
                                const std::string& config);

class CudaKernel {
 public:
  CudaKernel(const std::string& cubin, const char* entry);

  /// The kernel, for setting attributes, which take effect only before prepare().
  LoadedKernel& loaded() { return kernel_; }
  void prepare(const LaunchShape& shape, bool programmatic);

  /// Fails unless the calling thread's current device is the kernel's. A thread without a current
  /// device gets the runtime's default, as in any runtime call.
  tilecast_status check_context() const noexcept;
  tilecast_status clear(void* memory, std::size_t bytes, void* stream) const noexcept;
  /// Replaces the base address of a tensor map (cuTensorMapReplaceAddress).
  tilecast_status lead(TensorMap& map, const void* address) const noexcept;
  /// `args`: the kernel's only parameter.
  tilecast_status launch(void* args, void* stream) const noexcept;

 private:
  tilecast_status checked(const char* call, CUresult result) const noexcept;

  const Driver& driver_;
  int device_;
  LoadedKernel kernel_;
  CUcontext context_ = nullptr;    // current when the kernel was prepared
  CUfunction function_ = nullptr;  // function in `context_`
  LaunchShape shape_{};
  std::array<CUlaunchAttribute, 2> attributes_{};
  unsigned attribute_count_ = 0;
};

/// A placeholder address for tensor maps that are encoded before a tensor exists.
void* nowhere();

/// Creates a launch object. If the kernel does not fit on the device, throws TILECAST_UNSUPPORTED,
/// so that a plan tries its next candidate.
template <class Launch, class... Given>
Launch make_launch(const std::string& config, Given&&... given) {
  try {
    return Launch(std::forward<Given>(given)...);
  } catch (const CudaError&) {
    throw;
  } catch (const DeviceError&) {
    throw;
  } catch (const Error& error) {
    throw StatusError(TILECAST_UNSUPPORTED, config + ": " + error.what());
  }
}

}  // namespace tilecast
