#include "library/cuda_kernel.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <bit>
#include <cstdio>

#include "kernels/jit/device.h"
#include "library/cuda_status.h"
#include "library/device_plan.h"
#include "model/base/error.h"

namespace tilecast {
namespace {

constexpr std::size_t kErrorRoom = 512;

}  // namespace

CurrentGpu current_gpu() {
  return with_cuda_status([] {
    const Device device = current_device();
    int driver = 0;
    TILECAST_CUDA(cudaDriverGetVersion(&driver));
    return CurrentGpu{.name = device.name, .sm_count = device.sm_count, .driver = driver};
  });
}

CubinCache cache_of(const Request& request) {
  return CubinCache(request.cache_folder.value_or(default_cache_folder()), embedded_sources(),
                    [](const std::string&) {});  // the library prints nothing
}

CompiledKernel compile_for_plan(const Request& request, const KernelSource& source,
                                const std::string& config) {
  // Checks the current device, which need not be the process's first.
  if (const std::string why = why_not_runnable(current_device(), source.architecture);
      !why.empty()) {
    throw DeviceError(why);
  }
  CubinCache cache = cache_of(request);
  CompiledKernel kernel = cache.get(source);
  if (!kernel.usable()) {
    throw StatusError(TILECAST_UNSUPPORTED, fmt::format("{}: the compiled kernel was rejected: {}",
                                                        config, kernel.rejection));
  }
  return kernel;
}

void* nowhere() {
  constexpr std::uintptr_t kAligned = 256;
  return std::bit_cast<void*>(kAligned);
}

CudaKernel::CudaKernel(const std::string& cubin, const char* entry)
    : driver_(driver()), device_(current_device().ordinal), kernel_(cubin, entry) {}

void CudaKernel::prepare(const LaunchShape& shape, bool programmatic) {
  if (driver_.current_context(&context_) != CUDA_SUCCESS ||
      driver_.function_of(&function_, kernel_.handle()) != CUDA_SUCCESS) {
    throw DeviceError("the driver has no kernel for the current context");
  }
  shape_ = shape;
  attribute_count_ = 0;
  if (programmatic) {
    CUlaunchAttribute& attribute = attributes_[attribute_count_++];
    attribute.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
    attribute.value.programmaticStreamSerializationAllowed = 1;
  }
  if (shape.cluster_size > 1) {
    CUlaunchAttribute& attribute = attributes_[attribute_count_++];
    attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    attribute.value.clusterDim = {static_cast<unsigned>(shape.cluster_size), 1, 1};
  }
}

tilecast_status CudaKernel::checked(const char* call, CUresult result) const noexcept {
  if (result == CUDA_SUCCESS) {
    return TILECAST_OK;
  }
  char text[kErrorRoom];
  describe(driver_, call, result, text, sizeof text);
  return fail(TILECAST_CUDA_ERROR, text);
}

tilecast_status CudaKernel::check_context() const noexcept {
  CUcontext context = nullptr;
  if (const CUresult result = driver_.current_context(&context); result != CUDA_SUCCESS) {
    return checked("cuCtxGetCurrent", result);
  }
  if (context == nullptr) {
    return checked("cuCtxSetCurrent", driver_.make_current(context_));
  }
  if (context != context_) {
    char text[kErrorRoom];
    std::snprintf(text, sizeof text, "the plan is for device %d, which is not the current one",
                  device_);
    return fail(TILECAST_WRONG_DEVICE, text);
  }
  return TILECAST_OK;
}

tilecast_status CudaKernel::clear(void* memory, std::size_t bytes, void* stream) const noexcept {
  if (const tilecast_status status = check_context(); status != TILECAST_OK || bytes == 0) {
    return status;
  }
  return checked("cuMemsetD8Async", driver_.set_bytes(std::bit_cast<CUdeviceptr>(memory), 0, bytes,
                                                      static_cast<CUstream>(stream)));
}

tilecast_status CudaKernel::lead(TensorMap& map, const void* address) const noexcept {
  return checked(
      "cuTensorMapReplaceAddress",
      driver_.replace_address(reinterpret_cast<CUtensorMap*>(&map), const_cast<void*>(address)));
}

tilecast_status CudaKernel::launch(void* args, void* stream) const noexcept {
  std::array<CUlaunchAttribute, 2> attributes = attributes_;
  const CUlaunchConfig config{
      .gridDimX = shape_.ctas,
      .gridDimY = 1,
      .gridDimZ = 1,
      .blockDimX = static_cast<unsigned>(shape_.threads),
      .blockDimY = 1,
      .blockDimZ = 1,
      .sharedMemBytes = static_cast<unsigned>(shape_.shared_memory_bytes),
      .hStream = static_cast<CUstream>(stream),
      .attrs = attributes.data(),
      .numAttrs = attribute_count_,
  };
  void* parameters[] = {args};
  return checked("cuLaunchKernelEx", driver_.launch(&config, function_, parameters, nullptr));
}

}  // namespace tilecast
