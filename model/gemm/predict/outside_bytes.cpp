#include "model/gemm/predict/outside_bytes.h"

#include <algorithm>

#include "model/base/math.h"
#include "model/gemm/config/smem_layout.h"
#include "model/gemm/order/tile_scheduler.h"
#include "model/gemm/problem/group_rows.h"

namespace tilecast {
namespace {

/// One dimension of a matrix: its length, and the length that all tiles together request.
struct Side {
  i64 exists, asked;
};

/// Elements of copies that lie wholly outside the matrix. A copy takes `slab` elements of a row;
/// one that is partly inside counts as inside.
i64 outside_elements(const Side& rows, const Side& row, i64 slab) {
  const i64 slabs_outside = row.asked - std::min(row.asked, round_up(row.exists, slab));
  return rows.exists * slabs_outside + (rows.asked - rows.exists) * row.asked;
}

/// Sums the bytes over all clusters; each copy of A goes to `a_readers` SMs, each of B to
/// `b_readers`.
Bytes outside(const GemmProblem& problem, const KernelConfig& config, i64 a_readers,
              i64 b_readers) {
  const i64 n = problem.shape.n, k = problem.shape.k;
  const Tiling& t = config.tiling;
  const i64 clusters_m = tile_rows(problem, t);
  const i64 clusters_n = tile_columns(problem.shape, t);
  const RowsOfTiles rows = rows_of_tiles(problem, config);
  const i64 rows_asked =
      loads_existing_rows(problem, config) ? rows.loaded : clusters_m * t.block_m * t.cluster_m;
  const Side along_m{rows.existing, rows_asked};
  const Side along_n{n, clusters_n * t.block_n * t.cluster_n};
  const Side along_k{k, round_up<i64>(k, t.block_k)};
  const i64 slab = k_slab_elements(t);
  const auto of_operand = [&](const Side& side, bool k_major) {
    return k_major ? outside_elements(side, along_k, slab)
                   : outside_elements(along_k, side, kSlabElements);
  };
  const bool a_along_k = a_is_k_major(problem.layout);
  // Each GEMM ends in a separate slab.
  const i64 in_slabs = matrices_of_c(problem) * round_up<i64>(problem.shape.m, kSlabElements);
  const i64 a = of_operand(a_along_k ? along_m : Side{in_slabs, rows_asked}, a_along_k);
  const i64 b = of_operand(along_n, b_is_k_major(problem.layout));
  return Bytes{static_cast<double>(a * clusters_n * a_readers + b * clusters_m * b_readers) *
               element_bytes(problem.dtype)};
}

}  // namespace

Bytes outside_bytes(const GemmProblem& problem, const KernelConfig& config) {
  return outside(problem, config, 1, 1);
}

Bytes outside_intake(const GemmProblem& problem, const KernelConfig& config) {
  const Tiling& t = config.tiling;  // the CTAs of a tcgen05 pair split B
  return outside(problem, config, t.cluster_n, uses_tcgen05(config.schedule) ? 1 : t.cluster_m);
}

}  // namespace tilecast
