#include "model/gemm/order/operand_panels.h"

#include "model/gemm/problem/group_rows.h"

namespace tilecast {

OperandPanels::OperandPanels(const Batch& batch, u32 rows, u32 columns)
    : rows_(rows),
      columns_(columns),
      products_(static_cast<u32>(batch.products)),
      one_a_(batch.one_a),
      matrices_of_b_(batch.one_b ? 1 : products_) {}

/// `rows` and `columns`: tiles per cluster tile if panels consist of cluster tiles, 1 if of CTA
/// tiles.
OperandPanels OperandPanels::of(const GemmProblem& problem, const Tiling& t, u32 rows,
                                u32 columns) {
  const u32 all_columns = tile_columns(problem.shape, t) * columns;
  if (!grouped_along_m(problem)) {
    Batch products = problem.batch;
    products.products = matrices_of_c(problem);
    return {products, tile_rows(problem.shape, t) * rows, all_columns};
  }
  OperandPanels panels({}, tile_rows(problem, t) * rows, all_columns);
  auto groups = std::make_shared<std::vector<u32>>();
  u32 index = 0, last = 0;
  for (const u32 group : problem.groups->groups_of_tile_rows(i64{t.block_m} * t.cluster_m)) {
    index += !groups->empty() && group != last ? 1 : 0;
    last = group;
    groups->insert(groups->end(), rows, index);
  }
  panels.matrices_of_b_ = index + 1;
  panels.groups_ = std::move(groups);
  return panels;
}

OperandPanels OperandPanels::of_clusters(const GemmProblem& problem, const Tiling& t) {
  return of(problem, t, 1, 1);
}

OperandPanels OperandPanels::of_ctas(const GemmProblem& problem, const Tiling& t) {
  return of(problem, t, static_cast<u32>(t.cluster_m), static_cast<u32>(t.cluster_n));
}

std::vector<u32> OperandPanels::readers_of_b() const {
  if (groups_ == nullptr) {
    return std::vector<u32>(matrices_of_b_, rows_ * products_ / matrices_of_b_);
  }
  std::vector<u32> readers(matrices_of_b_);
  for (const u32 group : *groups_) {
    ++readers[group];
  }
  return readers;
}

}  // namespace tilecast
