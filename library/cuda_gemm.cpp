// A GEMM plan's kernel on its device. Everything independent of a run is prepared once: arguments
// with tensor maps without addresses, the grid and its attributes. A run copies the arguments to
// its stack, sets the addresses and launches. Nothing shared is written, so any number of threads
// may run one plan. Not checked: whether pointers are device memory. Checked by: run_test.cpp
// (results, threads, graphs).
#include <cuda_runtime_api.h>

#include <algorithm>
#include <optional>

#include "kernels/jit/device.h"
#include "kernels/jit/gemm_launch.h"
#include "kernels/jit/gemm_source.h"
#include "kernels/jit/group_checker.h"
#include "kernels/jit/operand_copier.h"
#include "kernels/registry.h"
#include "library/cuda_kernel.h"
#include "library/cuda_status.h"
#include "library/device_plan.h"
#include "library/gemm_workspace.h"
#include "library/status.h"
#include "model/base/error.h"
#include "model/gemm/config/kernel_config_text.h"

namespace tilecast {
namespace {

/// Returns the architecture for which the schedule's kernels are compiled.
std::string architecture_of(Schedule schedule) {
  return uses_mma_sync(schedule) ? mma_sync_architecture(current_device())
                                 : std::string(gemm_kernel_info(schedule).architecture);
}

/// Whether runs are launched programmatically. Only wgmma kernels support that.
bool is_programmatic(const GemmRequest& request, const KernelConfig& config) {
  return request.programmatic && traits_of(config.schedule).tensor_core == TensorCore::kWgmma;
}

CompiledKernel compile(const GemmRequest& request, const KernelConfig& config) {
  ProblemKind kind = ProblemKind::of(request.problem);
  if (is_programmatic(request, config)) {
    kind.launch = programmatic_launch(request.problem.shape, request.problem.batch.products);
  }
  KernelSource source = gemm_source(config, kind, request.scale);
  source.architecture = architecture_of(config.schedule);
  return compile_for_plan(request, source, to_text(config));
}

CompiledKernel compile_copy(const GemmRequest& request, const KernelConfig& config) {
  return compile_for_plan(request, copy_source(architecture_of(config.schedule)),
                          "copy_operands.cu");
}

class CudaGemm final : public DevicePlan<tilecast_arguments> {
 public:
  CudaGemm(const GemmRequest& request, const KernelConfig& config)
      : kernel_(compile(request, config).cubin, kGemmEntry),
        launch_(make_launch<GemmLaunch>(to_text(config), kernel_.loaded(), request.problem, config,
                                        request.scale, WorkspaceOwner::kCaller)),
        workspace_(workspace_of(request.problem, config, launch_.work())) {
    void* const nowhere = tilecast::nowhere();
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
      copy_kernel_.emplace(compile_copy(request, config).cubin, kCopyEntry);
      copy_kernel_->prepare(copy_shape(copy_args_, current_device().sm_count),
                            is_programmatic(request, config));
    }
    if (request.check_groups) {
      CubinCache cache = cache_of(request);
      checker_.emplace(cache, request.problem);
    }
    last_rows_alike_ = std::ranges::equal(args_.a.opaque, args_.a_last.opaque);
    kernel_.prepare(launch_.shape(), is_programmatic(request, config));
  }

  std::size_t workspace_bytes() const override { return workspace_.bytes(); }

  tilecast_status clear(void* workspace, void* stream) const noexcept override {
    return kernel_.clear(workspace, workspace_.zero_bytes(), stream);
  }

  tilecast_status run(const tilecast_arguments& arguments, void* stream) const noexcept override {
    if (const tilecast_status status = kernel_.check_context(); status != TILECAST_OK) {
      return status;
    }
    if (checker_) {
      if (const tilecast_status status = check_groups(arguments.group_rows, stream);
          status != TILECAST_OK) {
        return status;
      }
    }
    GemmArgs args = args_;
    tilecast_status led = TILECAST_OK;
    const auto lead = [&](TensorMap& map, const void* address) {
      led = led == TILECAST_OK ? kernel_.lead(map, address) : led;
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
      if (c_last_columns(launch_.config(), c_column_bytes(launch_.problem()),
                         launch_.problem().epilogue) > 0) {
        lead(args.c_last, arguments.c);
      }
    }
    if (has_block_scales(launch_.problem().epilogue)) {
      lead(args.scales_of_a, arguments.scale_a);
    }
    if (args.result.residual_by_tma != 0) {
      lead(args.result.residual_map, arguments.residual);
    }
    if (led != TILECAST_OK) {
      return led;
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
    return kernel_.launch(&args, stream);
  }

 private:
  tilecast_status copy(const tilecast_arguments& arguments, char* workspace,
                       void* stream) const noexcept {
    CopyArgs args = copy_args_;
    args.a.from = static_cast<const char*>(arguments.a);
    args.b.from = static_cast<const char*>(arguments.b);
    args.a.to = workspace + workspace_.a_at();
    args.b.to = workspace + workspace_.b_at();
    return copy_kernel_->launch(&args, stream);
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

  CudaKernel kernel_;
  GemmLaunch launch_;
  Workspace workspace_;
  GemmArgs args_;  // complete except for addresses, alpha and beta
  // For a problem with copied operands.
  std::optional<CudaKernel> copy_kernel_;
  CopyArgs copy_args_{};                 // complete except for addresses
  bool last_rows_alike_ = false;         // A and its last rows share one map
  std::optional<GroupChecker> checker_;  // if options.check_groups is set
};

}  // namespace

std::unique_ptr<DevicePlan<tilecast_arguments>> make_device_plan(const GemmRequest& request,
                                                                 const KernelConfig& config) {
  return with_cuda_status([&]() -> std::unique_ptr<DevicePlan<tilecast_arguments>> {
    return std::make_unique<CudaGemm>(request, config);
  });
}

}  // namespace tilecast
