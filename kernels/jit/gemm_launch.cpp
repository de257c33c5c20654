#include "kernels/jit/gemm_launch.h"

#include <fmt/format.h>

#include "kernels/jit/device.h"
#include "kernels/jit/tensor_map.h"
#include "model/base/error.h"
#include "model/base/math.h"
#include "model/tile/kernel_config_text.h"

namespace tilecast {
namespace {

constexpr i64 kPairOfLines = 256;  // bytes

}  // namespace

GemmLaunch::GemmLaunch(LoadedKernel& kernel, const GemmProblem& problem, const KernelConfig& config)
    : kernel_(&kernel),
      problem_(problem),
      config_(config),
      shape_{.ctas = static_cast<u32>(cluster_size(config.tiling)),
             .threads = threads_per_cta(config.schedule, config.tiling),
             .shared_memory_bytes = smem_layout(config.schedule, config.tiling).total_bytes,
             .cluster_size = cluster_size(config.tiling)} {
  kernel.allow_shared_memory(shape_.shared_memory_bytes);
  resident_ctas_per_sm_ = kernel.resident_ctas_per_sm(shape_);
  resident_workers_ = shape_.cluster_size > 1 ? kernel.resident_clusters(shape_)
                                              : resident_ctas_per_sm_ * current_device().sm_count;
  if (resident_workers_ <= 0) {
    throw Error(ExitCode::kWrong,
                fmt::format("the GPU cannot hold one CTA or cluster of {}", to_text(config)));
  }
  scheduler_ = make_tile_scheduler(problem.shape, config, static_cast<u32>(resident_workers_));
  shape_.ctas = scheduler_.workers * static_cast<u32>(shape_.cluster_size);
}

GemmArgs GemmLaunch::bind(const GemmBuffers& buffers, Scaling scaling) const {
  const auto [m, n, k] = problem_.shape;
  const ElementType dtype = problem_.dtype;
  const Tiling& t = config_.tiling;
  const bool b_is_k_major = problem_.layout == Layout::kTn;
  GemmArgs args{};
  // Along K the line after the one that is asked for is wanted next, and worth fetching with it
  // where rows are whole pairs of lines; across K it is another CTA's.
  const bool pairs = k * element_bytes(dtype) % kPairOfLines == 0;
  MatrixView a{buffers.a, m, k, dtype};
  a.fetches_pairs_of_lines = pairs;
  MatrixView b{buffers.b, b_is_k_major ? n : k, b_is_k_major ? k : n, dtype};
  b.fetches_pairs_of_lines = pairs && b_is_k_major;
  args.a = make_tensor_map(a, a_box(t));
  args.b = make_tensor_map(b, b_box(t, problem_.layout));
  args.c_by_tma = c_rows_allow_tma(problem_) ? 1 : 0;
  if (args.c_by_tma != 0) {
    args.c = make_tensor_map({buffers.c, m, n, dtype}, c_box(t));
  }
  args.scheduler = scheduler_;
  args.m = static_cast<i32>(m);
  args.n = static_cast<i32>(n);
  args.k_blocks = static_cast<i32>(ceil_div<i64>(k, t.block_k));
  args.alpha = scaling.alpha;
  args.beta = scaling.beta;
  args.c_pointer = buffers.c;
  return args;
}

void GemmLaunch::launch(const GemmArgs& args, cudaStream_t stream) const {
  void* arguments[] = {const_cast<GemmArgs*>(&args)};
  kernel_->launch(shape_, arguments, stream);
}

u32 GemmLaunch::max_tiles_per_cta() const {
  return ceil_div(scheduler_.num_tiles(), scheduler_.workers);
}

}  // namespace tilecast
