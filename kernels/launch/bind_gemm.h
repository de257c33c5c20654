// Builds the launch arguments of a GEMM kernel from problem, configuration and buffers. Shared by
// launches (kernels/jit/gemm_launch.h), emitted programs and tests/roles, each of which passes its
// own tensor-map encoder.
#pragma once

#include <utility>

#include "kernels/gemm/gemm_args.h"
#include "kernels/launch/matrix_view.h"
#include "model/gemm/problem/operand_copies.h"

namespace tilecast {

/// Device pointers, 16-byte aligned. Shapes, storage order and leading dimensions follow
/// GemmProblem or, for a copied operand, its copy (operand_copies.h).
struct GemmBuffers {
  const void* a;
  const void* b;
  void* c;
  const void* bias = nullptr;  // set if the epilogue has a bias: bias_elements() of half_type()
  // Elements from one matrix of a batch to the next, a multiple of 16 bytes if TMA moves them; 0:
  // contiguous. Ignored for an operand that all GEMMs share.
  i64 a_matrix_stride = 0, b_matrix_stride = 0, c_matrix_stride = 0;
  ScaleArgs scales = {};  // set if the operands have block scales; strides of 0 mean contiguous
  // For each group, the row after its last one; for masked groups, the number of rows. Every launch
  // reads these numbers, so they may change between launches, but the tile walk and its trace were
  // planned for the problem's rows per group.
  const i32* group_rows = nullptr;
  // `residual`: R, with the type and shape of C, and possibly the same memory. Strides are in
  // elements, between rows and between matrices of a batch; 0: as for C. `scale`: an fp32 factor
  // for C. `amax`: raised to the largest magnitude of C.
  const void* residual = nullptr;
  i64 residual_row = 0, residual_matrix_stride = 0;
  const float* scale_c = nullptr;
  float* amax = nullptr;
};

/// Numbers of groups of a problem.
struct GroupCounts {
  i64 along_m = 0, along_k = 0;  // number of groups; at least one of the two is 0
  i64 capacity = 0;              // maximum rows per masked group
};

/// A problem as its kernel runs it (swapped_operands.h).
struct GemmToBind {
  GemmProblem problem;  // problem, whose groups are ignored
  KernelConfig config;
  i64 m;  // rows of A and C in memory, per GEMM
  GroupCounts groups = {};
};

/// The matrix that a tensor map describes.
enum class MapOf : i32 { kA, kB, kC, kResidual, kScales };

/// Memory layout of A, B and C.
struct OperandViews {
  MatrixView a, b, c;
};

inline OperandViews operand_views(const GemmToBind& gemm, const GemmBuffers& buffers) {
  constexpr i64 kPairOfLines = 256;  // size of a pair of L2 lines, in bytes
  const GemmProblem& problem = gemm.problem;
  const ElementType dtype = problem.dtype;
  const i64 n = problem.shape.n, k = problem.shape.k;
  const bool swapped = gemm.config.operands == OperandOrder::kSwapped;
  // Along K the next line is needed soon, so it is fetched too if rows are multiples of a pair of
  // lines. Across K the next line belongs to another CTA.
  const auto operand = [&](const void* matrix, i64 side, bool k_major, i64 row) {
    return MatrixView{
        .pointer = matrix,
        .rows = k_major ? side : k,
        .columns = k_major ? k : side,
        .dtype = dtype,
        .row_stride = row,
        .fetches_pairs_of_lines = k_major && row * element_bytes(dtype) % kPairOfLines == 0};
  };
  OperandViews views{operand(buffers.a, gemm.m, a_is_k_major(problem.layout), a_row(problem)),
                     operand(buffers.b, n, b_is_k_major(problem.layout), b_row(problem)),
                     {.pointer = buffers.c,
                      .rows = swapped ? n : gemm.m,
                      .columns = swapped ? gemm.m : c_columns(problem),
                      .dtype = c_type(problem),
                      .row_stride = problem.leading.c}};
  auto& [a, b, c] = views;
  const Batch& batch = problem.batch;
  if (batch.products > 1) {
    const auto among = [&](MatrixView& view, i64 matrices, i64 asked) {
      const i64 tight = view.rows * (view.row_stride == 0 ? view.columns : view.row_stride);
      view.matrices = matrices;
      view.matrix_stride = asked == 0 ? tight : asked;
    };
    among(a, batch.one_a ? 1 : batch.products, buffers.a_matrix_stride);
    among(b, batch.one_b ? 1 : batch.products, buffers.b_matrix_stride);
    among(c, batch.products, buffers.c_matrix_stride);
  }
  if (gemm.groups.along_m > 0) {
    a.matrices = 1;
    a.matrix_stride = gemm.m * a_row(problem);
    b.matrices = gemm.groups.along_m;
    b.matrix_stride = b.rows * b_row(problem);
    c.ragged_rows = true;  // a tile ends where its group ends
  }
  if (gemm.groups.along_k > 0) {
    a.ragged_rows = b.ragged_rows = true;
    c.matrices = gemm.groups.along_k;
    c.matrix_stride = gemm.m * n;
  }
  return views;
}

/// `r` is C's view, because R has C's layout unless the buffers specify another one.
template <class Encode>
ResultArgs bind_result(const GemmToBind& gemm, const GemmBuffers& buffers, MatrixView r,
                       Encode encode) {
  const GemmProblem& problem = gemm.problem;
  ResultArgs args{};
  args.scale_c = buffers.scale_c;
  args.amax = reinterpret_cast<u32*>(buffers.amax);
  if (!problem.epilogue.has(OutputKind::kLoad)) {
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
  args.residual_by_tma =
      !uses_mma_sync(gemm.config.schedule) && in_whole(16 / element_bytes(r.dtype)) ? 1 : 0;
  if (args.residual_by_tma != 0) {
    args.residual_map =
        encode(MapOf::kResidual, r,
               c_box(gemm.config, r.dtype, c_column_bytes(problem), problem.epilogue));
  }
  return args;
}

/// Describes A or B for kernels whose threads copy it.
inline PlainMatrix plain_matrix(const MatrixView& view, bool k_major) {
  const i64 bytes = element_bytes(view.dtype);
  return {.pointer = view.pointer,
          .row_bytes = view.row_stride * bytes,
          .matrix_bytes = view.matrix_stride * bytes,
          .side = static_cast<i32>(k_major ? view.rows : view.columns),
          .k = static_cast<i32>(k_major ? view.columns : view.rows)};
}

/// Binds everything except the tile walk (scheduler, work, partial sums, locks), the scales of C
/// and the trace. `encode(of, view, box)` makes a tensor map.
template <class Encode>
GemmArgs bind_gemm(const GemmToBind& gemm, GemmBuffers buffers, Encode encode) {
  const GemmProblem& problem = gemm.problem;
  const Tiling& t = gemm.config.tiling;
  const bool swapped = gemm.config.operands == OperandOrder::kSwapped;
  if (swapped) {
    std::swap(buffers.a, buffers.b);
    std::swap(buffers.a_matrix_stride, buffers.b_matrix_stride);
  }
  const i64 m = gemm.m, n = problem.shape.n, k = problem.shape.k;
  const auto [a, b, c] = operand_views(gemm, buffers);
  GemmArgs args{};
  args.m = static_cast<i32>(m);
  args.n = static_cast<i32>(n);
  args.k_blocks = static_cast<i32>(ceil_div<i64>(k, t.block_k));
  args.alpha = 1;
  const bool by_tma = !uses_mma_sync(gemm.config.schedule);
  if (by_tma) {
    args.a = encode(MapOf::kA, a, a_box(t, problem.layout));
    args.a_last = encode(MapOf::kA, a, a_last_box(t, problem.layout, m));
    args.b = encode(MapOf::kB, b, b_box(t, problem.layout));
  } else {
    args.a_plain = plain_matrix(a, a_is_k_major(problem.layout));
    args.b_plain = plain_matrix(b, b_is_k_major(problem.layout));
  }
  args.c_by_tma = by_tma && (swapped || c_rows_allow_tma(problem)) ? 1 : 0;
  if (args.c_by_tma != 0) {
    args.c = encode(MapOf::kC, c,
                    c_box(gemm.config, c.dtype, c_column_bytes(problem), problem.epilogue));
    if (const i32 last = c_last_columns(gemm.config, c_column_bytes(problem), problem.epilogue);
        last > 0) {
      args.c_last = encode(MapOf::kC, c, c_last_box(gemm.config, last));
    }
  }
  args.c_pointer = buffers.c;
  args.reduction = gemm.config.decomposition.reduction;
  args.bias = buffers.bias;
  const GroupCounts& groups = gemm.groups;
  args.groups = {buffers.group_rows, static_cast<i32>(groups.along_m + groups.along_k),
                 static_cast<i32>(groups.along_k > 0 ? k : groups.capacity)};
  args.batch = {.tile_rows = groups.along_m > 0 ? FastDivisor{}
                                                : FastDivisor::of(tile_rows(problem.shape, t)),
                .a_matrices_apart = a.matrices > 1 ? 1 : 0,
                .b_matrices_apart = b.matrices > 1 || groups.along_m > 0 ? 1 : 0,
                .c_stride = c.matrix_stride};
  args.result = bind_result(gemm, buffers, c, encode);
  args.scales = buffers.scales;
  const i64 scale_blocks = ceil_div<i64>(k, scale_block());
  if (args.scales.a_stride == 0) {
    args.scales.a_stride = round_up(args.m, scales_apart());
  }
  if (args.scales.b_stride == 0) {
    args.scales.b_stride = static_cast<i32>(scale_blocks);
  }
  if (has_block_scales(problem.epilogue)) {
    const MatrixView scales{.pointer = args.scales.a,
                            .rows = scale_blocks,
                            .columns = m,
                            .dtype = ElementType::kFp32,
                            .row_stride = args.scales.a_stride};
    args.scales_of_a = encode(MapOf::kScales, scales, scale_box(t));
  }
  return args;
}

}  // namespace tilecast
