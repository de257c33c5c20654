#include "kernels/jit/gemm_launch.h"

#include <fmt/format.h>

#include "kernels/jit/device.h"
#include "kernels/jit/tensor_map.h"
#include "kernels/launch/gemm_to_bind.h"
#include "model/base/error.h"
#include "model/base/math.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/gemm/config/tensor_memory.h"
#include "model/gemm/problem/group_rows.h"
#include "model/gemm/problem/swapped_operands.h"
#include "model/gemm/rules/split_rules.h"

namespace tilecast {
GemmLaunch::GemmLaunch(LoadedKernel& kernel, const GemmProblem& problem, const KernelConfig& config,
                       SumScale scale, WorkspaceOwner owner)
    : kernel_(&kernel),
      problem_(as_run(problem, config)),
      config_(for_operands(problem.dtype, config)),
      scale_(scale),
      shape_{.ctas = static_cast<u32>(cluster_size(config.tiling)),
             .threads = threads_per_cta(config.schedule, config.tiling),
             .shared_memory_bytes = smem_layout(config_.schedule, config_.tiling).total_bytes,
             .cluster_size = cluster_size(config.tiling)} {
  shape_.shared_memory_bytes += bytes_beside_layout(problem_, config_);
  kernel.allow_shared_memory(shape_.shared_memory_bytes);
  resident_ctas_per_sm_ = kernel.resident_ctas_per_sm(shape_);
  const i32 sms = current_device().sm_count;
  resident_workers_ =
      shape_.cluster_size > 1 ? kernel.resident_clusters(shape_) : resident_ctas_per_sm_ * sms;
  if (uses_tcgen05(config.schedule)) {
    // The runtime's occupancy ignores tensor memory; a CTA without enough of it would block.
    const i32 most = kTensorMemoryColumns / tensor_memory_columns(config);
    resident_ctas_per_sm_ = min_of(resident_ctas_per_sm_, most);
    resident_workers_ = min_of(resident_workers_, most * sms / shape_.cluster_size);
  }
  if (resident_workers_ <= 0) {
    throw Error(ExitCode::kWrong,
                fmt::format("the GPU cannot hold one CTA or cluster of {}", to_text(config)));
  }
  const u32 resident = static_cast<u32>(resident_workers_);
  scheduler_ = make_tile_scheduler(problem_, config_, resident);
  const i64 k_blocks = ceil_div<i64>(problem_.shape.k, config_.tiling.block_k);
  if (const std::string why = why_not_split(scheduler_, k_blocks, config_, resident);
      !why.empty()) {
    throw ConfigError(why);
  }
  work_ = make_work_decomposition(scheduler_, static_cast<i32>(k_blocks), config_, resident);
  // With groups along M, only the device knows the number of tiles.
  const u32 workers = grouped_along_m(problem_) ? resident : work_.workers;
  shape_.ctas = workers * static_cast<u32>(shape_.cluster_size);
  if (owner == WorkspaceOwner::kLaunch) {
    partials_ = ZeroedMemory(static_cast<std::size_t>(workspace().partials) * sizeof(float));
    locks_ = ZeroedMemory(static_cast<std::size_t>(workspace().locks) * sizeof(u32));
  }
}

ReductionWorkspace GemmLaunch::workspace() const {
  return splits_k(config_.schedule) ? reduction_workspace(config_, work_)
                                    : ReductionWorkspace{.partials = 0, .locks = 0};
}

GemmArgs GemmLaunch::bind(const GemmBuffers& buffers, Scaling scaling) const {
  TILECAST_ASSERT(scale_ == SumScale::kAlphaBeta || scaling == Scaling{});
  TILECAST_ASSERT(problem_.epilogue.has(OutputKind::kBias) == (buffers.bias != nullptr));
  TILECAST_ASSERT(problem_.epilogue.has(OutputKind::kScale) == (buffers.scales.a != nullptr));
  TILECAST_ASSERT(problem_.epilogue.has(OutputKind::kLoad) == (buffers.residual != nullptr));
  TILECAST_ASSERT(problem_.epilogue.has(OutputKind::kConvert) == (buffers.scale_c != nullptr));
  TILECAST_ASSERT(problem_.epilogue.has(OutputKind::kAmax) == (buffers.amax != nullptr));
  GemmArgs args = bind_gemm(
      gemm_to_bind(problem_, config_), buffers,
      [](MapOf, const MatrixView& view, const TmaBox& box) { return make_tensor_map(view, box); });
  // Threads that store or read C require packed rows.
  TILECAST_ASSERT(problem_.leading.c == 0 ||
                  (args.c_by_tma != 0 && scale_ == SumScale::kNone && !splits_k(config_.schedule)));
  args.scheduler = scheduler_;
  args.alpha = scaling.alpha;
  args.beta = scaling.beta;
  args.work = work_;
  args.partials = partials_.as<float>();
  args.locks = locks_.as<u32>();
  return args;
}

void GemmLaunch::launch(const GemmArgs& args, cudaStream_t stream) const {
  void* arguments[] = {const_cast<GemmArgs*>(&args)};
  kernel_->launch(shape_, arguments, stream);
}

u32 GemmLaunch::max_tiles_per_cta() const {
  return splits_k(config_.schedule) ? work_.most_pieces()
                                    : ceil_div(scheduler_.num_tiles(), scheduler_.workers);
}

}  // namespace tilecast
