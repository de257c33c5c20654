// The split of measurements into training and test sets, as a YAML file:
//
//   rule: how the lists were chosen, before looking at the rows
//   judge: [4096x4096x1024, 8*512x512x64 bf16 nn]      # test problems; GEMMs default to fp16 tn
//   unfitted_tiles: [128x192]                         # held-out CTA tiles, M x N
//
// A problem of another op has, after its shape and before or after its type, a word that identifies
// the op: "4x32:8x4096x4096x128 bf16 causal", "4096x4096 elementwise_add fp32". A list without
// problems is a GEMM's.
//
// Checked by: data_split_test.cpp.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/spec/strict_map.h"
#include "validate/record/measurement_csv.h"

namespace tilecast {

enum class DataPart {
  kFit,    // training set: neither of the other parts
  kJudge,  // test problem, with any tile
  kTiles,  // held-out tile on a training problem
};

std::string_view to_text(DataPart part);
/// Throws ConfigError for any other name.
DataPart parse_data_part(std::string_view text);

class DataSplit {
 public:
  /// Loads the union of the test sets of several files. Throws FileError, or ConfigError
  /// `file:line: key: expectation`.
  static DataSplit load(const std::vector<std::string>& paths);
  static DataSplit parse(const StrictValue& root);

  /// Returns a point's part. Baselines have no tile and belong to the part of their problem. Only
  /// GEMMs have held-out tiles.
  DataPart part_of(const Point& point) const;

  /// Whether the split has problems of this op.
  bool has_op(Op op) const { return ops_.contains(op); }

 private:
  std::set<std::string> judged_;
  std::set<Op> ops_;
  std::set<std::pair<i32, i32>> unfitted_tiles_;
};

/// Keeps the rows of one part. cuBLASLt's rows are kept with every part of their problem, as
/// baselines. Rows of ops without a problem in the split are removed.
void keep_part(const DataSplit& split, DataPart part, std::vector<MeasurementFile>& files);

}  // namespace tilecast
