// Which measurements a fit may see and which judge it, as one YAML file:
//
//   rule: how the lists were chosen, before looking at the rows
//   judge: [4096x4096x1024, 8*512x512x64 bf16 nn]      # problems; fp16 and tn where not said
//   unfitted_tiles: [128x192]                         # CTA tiles, M x N
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
  kFit,    // neither of the others
  kJudge,  // a problem of `judge`, whatever the tile
  kTiles,  // an unfitted tile on another problem
};

std::string_view to_text(DataPart part);
/// Throws ConfigError.
DataPart parse_data_part(std::string_view text);

class DataSplit {
 public:
  /// Of several files what any of them judges. Throws FileError, or ConfigError `file:line: key:
  /// what was expected`.
  static DataSplit load(const std::vector<std::string>& paths);
  static DataSplit parse(const StrictValue& root);

  /// Of cuBLASLt's rows, which have no tile: that of their problem. Only of op gemm.
  DataPart part_of(const Point& point) const;

 private:
  std::set<std::string> judged_;
  std::set<std::pair<i32, i32>> unfitted_tiles_;
};

/// Leaves the rows of one part. cuBLASLt's go with every part of their problem, since all are
/// compared with them; of other ops none stay.
void keep_part(const DataSplit& split, DataPart part, std::vector<MeasurementFile>& files);

}  // namespace tilecast
