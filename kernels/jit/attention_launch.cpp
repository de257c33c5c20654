#include "kernels/jit/attention_launch.h"

#include <fmt/format.h>

#include <cmath>

#include "kernels/jit/device.h"
#include "kernels/jit/tensor_map.h"
#include "model/base/error.h"

namespace tilecast {

AttentionBuffers tight_buffers(const AttentionProblem& p, void* q, void* k, void* v, void* o,
                               float* lse) {
  const AttentionStrides of_queries = attention_strides(p.layout, p.heads, p.queries, p.head_dim);
  const AttentionStrides of_keys = attention_strides(p.layout, p.kv_heads, p.keys, p.head_dim);
  return {{q, of_queries}, {k, of_keys}, {v, of_keys}, {o, of_queries}, lse};
}

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
  constexpr float kLog2E = 1.44269504088896341f;
  TILECAST_ASSERT(scale > 0);
  TILECAST_ASSERT(problem_.lse == (buffers.lse != nullptr));
  const AttentionProblem& p = problem_;
  const i32 packed = config_.pack ? heads_per_kv(p) : 1;
  const auto map = [&](const HeadsBuffer& buffer, i64 heads, i64 rows, i64 group, HeadsBox box) {
    return make_heads_map({.pointer = buffer.pointer,
                           .dtype = p.dtype,
                           .head_dim = p.head_dim,
                           .group = group,
                           .rows = rows,
                           .groups = heads / group,
                           .batch = p.batch,
                           .head_stride = buffer.strides.head,
                           .row_stride = buffer.strides.row,
                           .batch_stride = buffer.strides.batch},
                          box.heads, box.rows);
  };
  AttentionArgs args{};
  args.q = map(buffers.q, p.heads, p.queries, packed, query_box(packed));
  args.o = map(buffers.o, p.heads, p.queries, packed, query_box(packed));
  args.k = map(buffers.k, p.kv_heads, p.keys, 1, kv_box(config_));
  args.v = map(buffers.v, p.kv_heads, p.keys, 1, kv_box(config_));
  args.work = work_;
  args.tiles = work_.tiles();
  args.heads = p.heads;
  args.groups_per_kv = FastDivisor::of(static_cast<u32>(heads_per_kv(p) / packed));
  args.scale_log2 = scale * kLog2E;
  args.lse = buffers.lse;
  args.out = buffers.o.pointer;
  args.out_strides = buffers.o.strides;
  use_workspace(counters_.as<u32>(), partials_.as<float>(), args);
  return args;
}

void AttentionLaunch::use_workspace(u32* counters, float* partials,
                                    AttentionArgs& args) const noexcept {
  if (workspace_.draws != 0) {
    args.draws = counters;
  }
  if (workspace_.parts_done != 0) {
    const i64 rows = i64{problem_.batch} * problem_.heads * problem_.queries * config_.splits;
    args.parts_done = counters + workspace_.draws;
    args.partial_o = partials;
    args.partial_lse = partials + rows * problem_.head_dim;
  }
}

void AttentionLaunch::launch(const AttentionArgs& args, cudaStream_t stream) const {
  void* arguments[] = {const_cast<AttentionArgs*>(&args)};
  kernel_->launch(shape_, arguments, stream);
}

}  // namespace tilecast
