// What splitting K gives, from measurements: whole tiles, split-K, stream-K and the hybrids at one
// tile, the best tile of all, cuBLASLt; and what the published rule and the model would have
// chosen.
//
// The rule chooses among the decompositions at the named tile, the model among everything that was
// measured. Leaves out: the sustained regime.
// Checked by: decomposition_table_test.cpp.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/spec/gpu_spec.h"
#include "validate/compare/join.h"

namespace tilecast {

/// One problem. Times absent where nothing of the kind was measured.
struct DecompositionRow {
  GemmShape shape;
  double waves;  // of whole tiles at the named tile; 0 where that was not measured
  std::optional<Seconds> whole, by_rule;  // at that tile
  std::map<Schedule, Seconds> split;      // at that tile, by each that splits K
  std::optional<Seconds> best_whole;      // of every tile
  Seconds best, by_model;
  std::string best_config, model_config;
  std::optional<Seconds> cublaslt_top1, cublaslt_best;

  /// The fastest at the named tile that splits K.
  std::optional<Seconds> best_split() const;
};

/// `at`: the configuration whose tile is compared. Groups of one problem each, in the burst regime;
/// others are left out.
std::vector<DecompositionRow> decomposition_rows(const GpuSpec& gpu, const KernelConfig& at,
                                                 const std::vector<JoinedGroup>& groups);

/// Markdown: the table, and what it says in sum.
std::string decomposition_tables(const KernelConfig& at, const std::vector<DecompositionRow>& rows);

}  // namespace tilecast
