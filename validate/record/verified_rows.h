// What counts as measured: a row that has a time and whose result was right; of a point that stands
// more than once, the last such row. Checked by: verified_rows_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "validate/record/measurement_csv.h"

namespace tilecast {

bool is_verified(const Measurement& measured);

struct VerifiedRow {
  const MeasurementFile* file;
  const MeasurementRow* row;

  const Measurement& measurement() const { return row->measurement; }
  std::string where() const;  // file:line
};

/// In the order in which the points first stand in the files, which outlive the answer.
std::vector<VerifiedRow> verified_rows(const std::vector<MeasurementFile>& files);

enum class OtherGpus { kRefused, kLeftOut };

/// Those of one GPU, whose column gpu holds one of `gpu_names`. Throws ConfigError `file:line: gpu:
/// ...` where a row of another one, right or not, is to be refused.
std::vector<VerifiedRow> verified_rows(const std::vector<MeasurementFile>& files,
                                       const std::vector<std::string>& gpu_names, OtherGpus others);

}  // namespace tilecast
