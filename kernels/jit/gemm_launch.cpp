#include "kernels/jit/gemm_launch.h"

#include <fmt/format.h>

#include <utility>

#include "kernels/jit/device.h"
#include "kernels/jit/tensor_map.h"
#include "model/base/error.h"
#include "model/base/math.h"
#include "model/tile/fp8_pairs.h"
#include "model/tile/group_rows.h"
#include "model/tile/kernel_config_text.h"
#include "model/tile/operand_copies.h"
#include "model/tile/split_rules.h"
#include "model/tile/swapped_operands.h"
#include "model/tile/tensor_memory.h"

namespace tilecast {
namespace {

constexpr i64 kPairOfLines = 256;  // bytes

/// `r`: C, as whose matrices those of R lie unless the buffers say otherwise.
ResultArgs result_args(const GemmProblem& problem, const KernelConfig& config,
                       const GemmBuffers& buffers, MatrixView r) {
  ResultArgs args{};
  args.scale_c = buffers.scale_c;
  args.amax = reinterpret_cast<u32*>(buffers.amax);
  if (!problem.epilogue.residual) {
    return args;
  }
  r.pointer = buffers.residual;
  r.row_stride = c_row(problem);
  if (buffers.residual_row != 0) {
    r.row_stride = buffers.residual_row;
    r.matrix_stride = problem.batch.products > 1 ? r.rows * r.row_stride : 0;
  }
  if (buffers.residual_matrix_stride != 0) {
    r.matrix_stride = buffers.residual_matrix_stride;
  }
  const auto in_whole = [&r](i64 elements) {
    return r.columns % elements == 0 && r.row_stride % elements == 0 &&
           r.matrix_stride % elements == 0;
  };
  args.residual = buffers.residual;
  args.residual_row = r.row_stride;
  args.residual_stride = r.matrix_stride;
  args.residual_fours = in_whole(4) ? 1 : 0;
  args.residual_by_tma = in_whole(16 / element_bytes(r.dtype)) ? 1 : 0;
  if (args.residual_by_tma != 0) {
    args.residual_map = make_tensor_map(r, c_box(config, r.dtype, c_column_bytes(problem)));
  }
  return args;
}

}  // namespace

GemmLaunch::GemmLaunch(LoadedKernel& kernel, const GemmProblem& problem, const KernelConfig& config,
                       SumScale scale, WorkspaceOwner owner)
    : kernel_(&kernel),
      problem_(as_run(in_pairs(problem), config)),
      config_(in_pairs(problem.dtype, config)),
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
    // The runtime does not count tensor memory, for which a CTA would wait.
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
  // How many tiles groups along M have is known on the device alone.
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

GemmArgs GemmLaunch::bind(const GemmBuffers& given, Scaling scaling) const {
  const bool swapped = config_.operands == OperandOrder::kSwapped;
  GemmBuffers buffers = given;
  if (swapped) {
    std::swap(buffers.a, buffers.b);
  }
  TILECAST_ASSERT(scale_ == SumScale::kAlphaBeta || scaling == Scaling{});
  TILECAST_ASSERT((problem_.epilogue.bias == Bias::kNone) == (buffers.bias == nullptr));
  TILECAST_ASSERT((problem_.epilogue.scales != Scales::kNone) == (buffers.scales.a != nullptr));
  TILECAST_ASSERT(problem_.epilogue.residual == (buffers.residual != nullptr));
  TILECAST_ASSERT(problem_.epilogue.scale_c == (buffers.scale_c != nullptr));
  TILECAST_ASSERT(problem_.epilogue.amax == (buffers.amax != nullptr));
  const auto [rows_of_c, n, k] = problem_.shape;
  const i64 m = rows_in_memory(problem_);
  const ElementType dtype = problem_.dtype;
  const Tiling& t = config_.tiling;
  const bool a_along_k = a_is_k_major(problem_.layout), b_along_k = b_is_k_major(problem_.layout);
  GemmArgs args{};
  // Along K the line after the one that is asked for is wanted next, and worth fetching with it
  // where rows are whole pairs of lines; across K it is another CTA's.
  const auto fetches_pairs = [&](i64 row) {
    return row * element_bytes(dtype) % kPairOfLines == 0;
  };
  const auto operand = [&](const void* matrix, i64 side, bool k_major, i64 row) {
    return MatrixView{matrix, k_major ? side : k,           k_major ? k : side, dtype,
                      row,    k_major && fetches_pairs(row)};
  };
  MatrixView a = operand(buffers.a, m, a_along_k, a_row(problem_));
  MatrixView b = operand(buffers.b, n, b_along_k, b_row(problem_));
  const i64 columns_of_c = c_columns(problem_);
  MatrixView c{buffers.c, swapped ? n : m, swapped ? m : columns_of_c, c_type(problem_),
               problem_.leading.c};
  const Batch& batch = problem_.batch;
  if (batch.products > 1) {
    const auto among = [&](MatrixView& view, i64 matrices, i64 asked, i64 elements) {
      const i64 tight = view.rows * (view.row_stride == 0 ? view.columns : view.row_stride);
      view.matrices = matrices;
      view.matrix_stride = asked == 0 ? tight : asked / elements;
    };
    const i64 pair = k_elements(dtype);
    among(a, matrices_of_a(problem_), buffers.a_matrix_stride, pair);
    among(b, matrices_of_b(problem_), buffers.b_matrix_stride, pair);
    among(c, batch.products, buffers.c_matrix_stride, 1);
    args.batch = {.tile_rows = FastDivisor::of(tile_rows(problem_.shape, t)),
                  .a_matrices_apart = batch.one_a ? 0 : 1,
                  .b_matrices_apart = batch.one_b ? 0 : 1,
                  .c_stride = c.matrix_stride};
  }
  if (grouped_along_m(problem_)) {
    const i64 groups = problem_.groups->count();
    a.matrices = 1;
    a.matrix_stride = m * a_row(problem_);
    c.ragged_rows = true;  // each tile's ends where its group does
    b.matrices = groups;
    b.matrix_stride = b.rows * b_row(problem_);
    args.batch = {.tile_rows = {}, .a_matrices_apart = 0, .b_matrices_apart = 1, .c_stride = 0};
    args.groups = {buffers.group_rows, static_cast<i32>(groups),
                   static_cast<i32>(problem_.groups->capacity())};
  }
  if (grouped_along_k(problem_)) {
    a.ragged_rows = b.ragged_rows = true;
    c.matrices = problem_.groups->count();
    c.matrix_stride = m * n;
    args.batch = {.tile_rows = FastDivisor::of(tile_rows(problem_.shape, t)),
                  .a_matrices_apart = 0,
                  .b_matrices_apart = 0,
                  .c_stride = c.matrix_stride};
    args.groups = {buffers.group_rows, static_cast<i32>(c.matrices), static_cast<i32>(k)};
  }
  args.a = make_tensor_map(a, a_box(t, problem_.layout));
  args.a_last = make_tensor_map(a, a_last_box(t, problem_.layout, m));
  args.b = make_tensor_map(b, b_box(t, problem_.layout));
  args.c_by_tma = swapped || c_rows_allow_tma(problem_) ? 1 : 0;
  // Threads that store or read C take its rows as tight.
  TILECAST_ASSERT(problem_.leading.c == 0 ||
                  (args.c_by_tma != 0 && scale_ == SumScale::kNone && !splits_k(config_.schedule)));
  if (args.c_by_tma != 0) {
    args.c = make_tensor_map(c, c_box(config_, c_type(problem_), c_column_bytes(problem_)));
    if (c_last_columns(t) > 0) {
      args.c_last = make_tensor_map(c, c_last_box(config_));
    }
  }
  args.scheduler = scheduler_;
  args.m = static_cast<i32>(m);
  args.n = static_cast<i32>(n);
  args.k_blocks = static_cast<i32>(ceil_div<i64>(k, t.block_k));
  args.alpha = scaling.alpha;
  args.beta = scaling.beta;
  args.c_pointer = buffers.c;
  args.work = work_;
  args.reduction = config_.decomposition.reduction;
  args.partials = partials_.as<float>();
  args.locks = locks_.as<u32>();
  args.result = result_args(problem_, config_, buffers, c);
  args.bias = buffers.bias;
  args.scales = buffers.scales;
  const i64 scale_blocks = ceil_div<i64>(k * (is_fp8_pair(dtype) ? 2 : 1), scale_block());
  args.scales.a_stride =
      args.scales.a_stride == 0 ? round_up(args.m, scales_apart()) : args.scales.a_stride;
  args.scales.b_stride =
      args.scales.b_stride == 0 ? static_cast<i32>(scale_blocks) : args.scales.b_stride;
  if (has_block_scales(problem_.epilogue)) {
    const MatrixView scales{args.scales.a, scale_blocks, m, ElementType::kFp32,
                            args.scales.a_stride};
    args.scales_of_a = make_tensor_map(scales, scale_box(t));
  }
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
