// A plan's kernel on its device. Everything independent of a run is prepared once: arguments with
// tensor maps without addresses, the grid and its attributes. A run copies the arguments to its
// stack, sets the addresses and launches; nothing shared is written, so any number of threads may
// run one plan. Leaves out: whether pointers are device memory. Checked by: run_test.cpp (results,
// threads, graphs).
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <optional>

#include "kernels/jit/cubin_cache.h"
#include "kernels/jit/cuda_error.h"
#include "kernels/jit/device.h"
#include "kernels/jit/gemm_kernel.h"
#include "kernels/jit/gemm_launch.h"
#include "kernels/jit/group_checker.h"
#include "kernels/jit/loaded_kernel.h"
#include "kernels/jit/operand_copier.h"
#include "kernels/registry.h"
#include "library/device_plan.h"
#include "library/driver.h"
#include "library/status.h"
#include "library/workspace.h"
#include "model/base/error.h"
#include "model/gemm/config/kernel_config_text.h"

namespace tilecast {
namespace {

constexpr std::size_t kErrorRoom = 512;

/// For the configuration's architecture; the current device, not the process's first.
Device require_device(const KernelConfig& config) {
  Device device = current_device();
  const std::string_view architecture = gemm_kernel_info(config.schedule).architecture;
  if (const std::string why = why_not_runnable(device, architecture); !why.empty()) {
    throw DeviceError(why);
  }
  return device;
}

CubinCache cache_of(const Request& request) {
  return CubinCache(request.cache_folder.value_or(default_cache_folder()), embedded_sources(),
                    [](const std::string&) {});  // a library prints nothing
}

CompiledKernel compile_copy(const Request& request, const KernelConfig& config) {
  CubinCache cache = cache_of(request);
  CompiledKernel kernel =
      cache.get(copy_source(std::string(gemm_kernel_info(config.schedule).architecture)));
  if (!kernel.usable()) {
    throw Error(ExitCode::kWrong, "copy_operands.cu: " + kernel.rejection);
  }
  return kernel;
}

CompiledKernel compile(const Request& request, const KernelConfig& config) {
  CubinCache cache = cache_of(request);
  ProblemKind kind = ProblemKind::of(request.problem);
  if (request.programmatic) {
    kind.launch = programmatic_launch(request.problem.shape, request.problem.batch.products);
  }
  CompiledKernel kernel = compile_gemm(config, kind, cache, request.scale);
  if (!kernel.usable()) {
    throw StatusError(TILECAST_UNSUPPORTED, fmt::format("{}: the compiled kernel was rejected: {}",
                                                        to_text(config), kernel.rejection));
  }
  return kernel;
}

/// A mismatch with this device or this K is UNSUPPORTED, so that a plan tries its next candidate.
GemmLaunch make_launch(LoadedKernel& kernel, const Request& request, const KernelConfig& config) {
  try {
    return GemmLaunch(kernel, request.problem, config, request.scale, WorkspaceOwner::kCaller);
  } catch (const CudaError&) {
    throw;
  } catch (const DeviceError&) {
    throw;
  } catch (const Error& error) {
    throw StatusError(TILECAST_UNSUPPORTED, fmt::format("{}: {}", to_text(config), error.what()));
  }
}

template <class Work>
auto with_cuda_status(Work&& work) {
  try {
    return work();
  } catch (const CudaError& error) {
    throw StatusError(TILECAST_CUDA_ERROR, error.what());
  }
}

class CudaPlan final : public DevicePlan {
 public:
  CudaPlan(const Request& request, const KernelConfig& config)
      : driver_(driver()),
        device_(require_device(config).ordinal),
        kernel_(compile(request, config).cubin, kGemmEntry),
        launch_(make_launch(kernel_, request, config)),
        workspace_(workspace_of(request.problem, config, launch_.work())) {
    void* const nowhere = std::bit_cast<void*>(std::uintptr_t{Workspace::kAlignment});
    const bool scaled = request.problem.epilogue.has(OutputKind::kScale);
    const CopiedOperands copied = copied_operands(request.problem);
    args_ = launch_.bind(
        {.a = nowhere,
         .b = nowhere,
         .c = nowhere,
         .bias = request.problem.epilogue.has(OutputKind::kBias) ? nowhere : nullptr,
         .a_matrix_stride = copied.a ? 0 : request.a_matrix_stride,
         .b_matrix_stride = copied.b ? 0 : request.b_matrix_stride,
         .c_matrix_stride = request.c_matrix_stride,
         .scales = {.a = scaled ? static_cast<float*>(nowhere) : nullptr,
                    .b = scaled ? static_cast<float*>(nowhere) : nullptr,
                    .a_stride = request.a_scale_stride,
                    .b_stride = request.b_scale_stride},
         .residual = request.problem.epilogue.has(OutputKind::kLoad) ? nowhere : nullptr,
         .residual_row = request.residual_row,
         .residual_matrix_stride = request.residual_matrix_stride,
         .scale_c = request.problem.epilogue.has(OutputKind::kConvert)
                        ? static_cast<float*>(nowhere)
                        : nullptr,
         .amax = request.problem.epilogue.has(OutputKind::kAmax) ? static_cast<float*>(nowhere)
                                                                 : nullptr});
    if (copied.any()) {
      copy_args_ = copy_args(request.problem, request.a_matrix_stride, request.b_matrix_stride);
      copy_shape_ = copy_shape(copy_args_, current_device().sm_count);
      copy_kernel_.emplace(compile_copy(request, config).cubin, kCopyEntry);
    }
    if (request.check_groups) {
      CubinCache cache = cache_of(request);
      checker_.emplace(cache, request.problem);
    }
    last_rows_alike_ = std::ranges::equal(args_.a.opaque, args_.a_last.opaque);
    if (driver_.current_context(&context_) != CUDA_SUCCESS ||
        driver_.function_of(&function_, kernel_.handle()) != CUDA_SUCCESS ||
        (copied.any() &&
         driver_.function_of(&copy_function_, copy_kernel_->handle()) != CUDA_SUCCESS)) {
      throw DeviceError("the driver has no kernel for the current context");
    }
    if (request.programmatic) {
      CUlaunchAttribute& programmatic = attributes_[attribute_count_++];
      programmatic.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
      programmatic.value.programmaticStreamSerializationAllowed = 1;
    }
    copies_programmatically_ = request.programmatic;
    if (launch_.shape().cluster_size > 1) {
      CUlaunchAttribute& cluster = attributes_[attribute_count_++];
      cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
      cluster.value.clusterDim = {static_cast<unsigned>(launch_.shape().cluster_size), 1, 1};
    }
  }

  std::size_t workspace_bytes() const override { return workspace_.bytes(); }

  tilecast_status clear(void* workspace, void* stream) const noexcept override {
    if (const tilecast_status status = check_context(); status != TILECAST_OK) {
      return status;
    }
    if (workspace_.zero_bytes() == 0) {
      return TILECAST_OK;
    }
    return checked("cuMemsetD8Async",
                   driver_.set_bytes(std::bit_cast<CUdeviceptr>(workspace), 0,
                                     workspace_.zero_bytes(), static_cast<CUstream>(stream)));
  }

  tilecast_status run(const tilecast_arguments& arguments, void* stream) const noexcept override {
    if (const tilecast_status status = check_context(); status != TILECAST_OK) {
      return status;
    }
    if (checker_) {
      if (const tilecast_status status = check_groups(arguments.group_rows, stream);
          status != TILECAST_OK) {
        return status;
      }
    }
    GemmArgs args = args_;
    CUresult result = CUDA_SUCCESS;
    const auto lead = [&](TensorMap& map, const void* address) {
      if (result == CUDA_SUCCESS) {
        result = driver_.replace_address(reinterpret_cast<CUtensorMap*>(&map),
                                         const_cast<void*>(address));
      }
    };
    char* const workspace = static_cast<char*>(arguments.workspace);
    const void* const read_a =
        workspace_.a_bytes != 0 ? workspace + workspace_.a_at() : arguments.a;
    const void* const read_b =
        workspace_.b_bytes != 0 ? workspace + workspace_.b_at() : arguments.b;
    const bool swapped = launch_.config().operands == OperandOrder::kSwapped;
    const void* const a = swapped ? read_b : read_a;
    lead(args.a, a);
    if (last_rows_alike_) {
      args.a_last = args.a;
    } else {
      lead(args.a_last, a);
    }
    lead(args.b, swapped ? read_a : read_b);
    if (args.c_by_tma != 0) {
      lead(args.c, arguments.c);
      if (c_last_columns(launch_.config().tiling) > 0) {
        lead(args.c_last, arguments.c);
      }
    }
    if (has_block_scales(launch_.problem().epilogue)) {
      lead(args.scales_of_a, arguments.scale_a);
    }
    if (args.result.residual_by_tma != 0) {
      lead(args.result.residual_map, arguments.residual);
    }
    if (result != CUDA_SUCCESS) {
      return checked("cuTensorMapReplaceAddress", result);
    }
    args.result.residual = arguments.residual;
    args.result.scale_c = arguments.scale_c;
    args.result.amax = reinterpret_cast<u32*>(arguments.amax);
    args.c_pointer = arguments.c;
    args.alpha = arguments.alpha;
    args.beta = arguments.beta;
    args.bias = arguments.bias;
    args.scales.a = arguments.scale_a;
    args.scales.b = arguments.scale_b;
    args.groups.rows = arguments.group_rows;
    if (workspace_.lock_bytes != 0) {
      args.locks = reinterpret_cast<u32*>(workspace);
      args.partials = reinterpret_cast<float*>(workspace + workspace_.partials_at());
    }
    if (copy_kernel_) {
      if (const tilecast_status status = copy(arguments, workspace, stream);
          status != TILECAST_OK) {
        return status;
      }
    }
    const LaunchShape& shape = launch_.shape();
    Attributes attributes = attributes_;
    const CUlaunchConfig config{
        .gridDimX = shape.ctas,
        .gridDimY = 1,
        .gridDimZ = 1,
        .blockDimX = static_cast<unsigned>(shape.threads),
        .blockDimY = 1,
        .blockDimZ = 1,
        .sharedMemBytes = static_cast<unsigned>(shape.shared_memory_bytes),
        .hStream = static_cast<CUstream>(stream),
        .attrs = attributes.data(),
        .numAttrs = attribute_count_,
    };
    void* parameters[] = {&args};
    return checked("cuLaunchKernelEx", driver_.launch(&config, function_, parameters, nullptr));
  }

 private:
  using Attributes = std::array<CUlaunchAttribute, 2>;

  tilecast_status copy(const tilecast_arguments& arguments, char* workspace,
                       void* stream) const noexcept {
    CopyArgs args = copy_args_;
    args.a.from = static_cast<const char*>(arguments.a);
    args.b.from = static_cast<const char*>(arguments.b);
    args.a.to = workspace + workspace_.a_at();
    args.b.to = workspace + workspace_.b_at();
    Attributes attributes = attributes_;  // the first attribute marks a programmatic launch
    const CUlaunchConfig config{
        .gridDimX = copy_shape_.ctas,
        .gridDimY = 1,
        .gridDimZ = 1,
        .blockDimX = static_cast<unsigned>(copy_shape_.threads),
        .blockDimY = 1,
        .blockDimZ = 1,
        .sharedMemBytes = 0,
        .hStream = static_cast<CUstream>(stream),
        .attrs = attributes.data(),
        .numAttrs = copies_programmatically_ ? 1u : 0u,
    };
    void* parameters[] = {&args};
    return checked("cuLaunchKernelEx",
                   driver_.launch(&config, copy_function_, parameters, nullptr));
  }

  tilecast_status check_groups(const std::int32_t* numbers, void* stream) const noexcept {
    try {
      const auto on = static_cast<cudaStream_t>(stream);
      cudaStreamCaptureStatus capture{};
      TILECAST_CUDA(cudaStreamIsCapturing(on, &capture));
      if (capture != cudaStreamCaptureStatusNone) {
        return fail(TILECAST_UNSUPPORTED,
                    "options.check_groups: cannot synchronize a stream during capture");
      }
      const std::string why = checker_->why_wrong(numbers, on);
      return why.empty() ? TILECAST_OK : fail(TILECAST_INVALID_ARGUMENT, "group_rows: " + why);
    } catch (const std::exception& error) {
      return fail(TILECAST_CUDA_ERROR, error.what());
    }
  }

  tilecast_status checked(const char* call, CUresult result) const noexcept {
    if (result == CUDA_SUCCESS) {
      return TILECAST_OK;
    }
    char text[kErrorRoom];
    describe(driver_, call, result, text, sizeof text);
    return fail(TILECAST_CUDA_ERROR, text);
  }

  /// A thread without a current device gets the plan's, as with any call of the runtime.
  tilecast_status check_context() const noexcept {
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

  const Driver& driver_;
  int device_;
  CUcontext context_ = nullptr;    // current when the plan was made
  CUfunction function_ = nullptr;  // in it
  LoadedKernel kernel_;
  GemmLaunch launch_;
  Workspace workspace_;
  GemmArgs args_;  // all except addresses, alpha and beta
  // For a problem with copied operands:
  std::optional<LoadedKernel> copy_kernel_;
  CUfunction copy_function_ = nullptr;
  CopyArgs copy_args_{};  // all except addresses
  LaunchShape copy_shape_{};
  bool last_rows_alike_ = false;  // A and its last rows share one map
  Attributes attributes_{};
  unsigned attribute_count_ = 0;
  bool copies_programmatically_ = false;
  std::optional<GroupChecker> checker_;  // if options.check_groups is set
};

}  // namespace

CurrentGpu current_gpu() {
  return with_cuda_status([] {
    const Device device = current_device();
    int driver = 0;
    TILECAST_CUDA(cudaDriverGetVersion(&driver));
    return CurrentGpu{.name = device.name, .sm_count = device.sm_count, .driver = driver};
  });
}

std::unique_ptr<DevicePlan> make_device_plan(const Request& request, const KernelConfig& config) {
  return with_cuda_status(
      [&]() -> std::unique_ptr<DevicePlan> { return std::make_unique<CudaPlan>(request, config); });
}

}  // namespace tilecast
