#include "kernels/jit/attention_launch.h"

#include <fmt/format.h>

#include <cmath>

#include "kernels/jit/device.h"
#include "kernels/jit/tensor_map.h"
#include "model/base/error.h"

namespace tilecast {

float usual_scale(const AttentionProblem& problem) {
  return static_cast<float>(1 / std::sqrt(static_cast<double>(problem.head_dim)));
}

AttentionLaunch::AttentionLaunch(LoadedKernel& kernel, const AttentionProblem& problem,
                                 const AttentionConfig& config, WorkspaceOwner owner)
    : kernel_(&kernel),
      problem_(problem),
      config_(config),
      work_(attention_work(problem, config)),
      workspace_(attention_workspace(problem, config)),
      shape_{.ctas = static_cast<u32>(work_.tiles()),
             .threads = attention_threads(config),
             .shared_memory_bytes = attention_smem(config, problem.head_dim).total_bytes,
             .cluster_size = config.grid == AttentionGrid::kClusters ? config.splits : 1} {
  kernel.allow_shared_memory(shape_.shared_memory_bytes);
  kernel.allow_large_clusters();
  resident_ctas_per_sm_ = kernel.resident_ctas_per_sm(shape_);
  if (resident_ctas_per_sm_ <= 0) {
    throw Error(ExitCode::kWrong,
                fmt::format("the GPU cannot hold one CTA of {} with {} bytes of "
                            "shared memory",
                            traits_of(config.schedule).name, shape_.shared_memory_bytes));
  }
  if (config.grid == AttentionGrid::kResident) {
    const i32 resident = resident_ctas_per_sm_ * current_device().sm_count;
    shape_.ctas = min_of(shape_.ctas, static_cast<u32>(resident));
  }
  if (owner == WorkspaceOwner::kLaunch) {
    const i64 counters = workspace_.draws + workspace_.parts_done;
    counters_ = ZeroedMemory(static_cast<std::size_t>(counters) * sizeof(u32));
    partials_ = ZeroedMemory(static_cast<std::size_t>(workspace_.partial_bytes));
  }
}

AttentionArgs AttentionLaunch::bind(const AttentionBuffers& buffers, float scale) const {
  TILECAST_ASSERT(scale > 0);
  TILECAST_ASSERT(problem_.lse == (buffers.lse != nullptr));
  AttentionArgs args = bind_attention(
      problem_, config_, buffers, scale,
      [](const HeadsView& view, const HeadsBox& box) { return make_tensor_map(view, box); });
  use_workspace(counters_.as<u32>(), partials_.as<float>(), args);
  return args;
}

void AttentionLaunch::use_workspace(u32* counters, float* partials,
                                    AttentionArgs& args) const noexcept {
  if (workspace_.draws != 0) {
    args.draws = counters;
  }
  if (workspace_.parts_done != 0) {
    args.parts_done = counters + workspace_.draws;
    args.partial_o = partials;
    args.partial_lse = partials + partial_output_elements(problem_, config_);
  }
}

void AttentionLaunch::launch(const AttentionArgs& args, cudaStream_t stream) const {
  void* arguments[] = {const_cast<AttentionArgs*>(&args)};
  kernel_->launch(shape_, arguments, stream);
}

}  // namespace tilecast
