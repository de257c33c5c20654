// The rows that count as measured: those with a time and a verified result. For a repeated point,
// only the last such row counts. Checked by: verified_rows_test.cpp.
#pragma once

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include "validate/record/measurement_csv.h"

namespace tilecast {

bool is_verified(const Measurement& measured);

struct VerifiedRow {
  const MeasurementFile* file;
  const MeasurementRow* row;

  const Measurement& measurement() const { return row->measurement; }
  std::string where() const;  // "file:line"
};

/// The result is in the order of the points' first rows. The files must outlive it.
std::vector<VerifiedRow> verified_rows(const std::vector<MeasurementFile>& files);

/// Number of rows of an operation's problems, verified or not.
template <class Problem>
std::size_t rows_with(const std::vector<MeasurementFile>& files) {
  std::size_t count = 0;
  for (const MeasurementFile& file : files) {
    count += static_cast<std::size_t>(std::ranges::count_if(file.rows, [](const auto& row) {
      return std::holds_alternative<Problem>(row.measurement.point.problem);
    }));
  }
  return count;
}

enum class OtherGpus { kRefused, kLeftOut };

/// Returns rows of one GPU, whose column gpu has one of `gpu_names`. Throws ConfigError `file:line:
/// gpu: ...` for a row of another GPU, verified or not, if requested.
std::vector<VerifiedRow> verified_rows(const std::vector<MeasurementFile>& files,
                                       const std::vector<std::string>& gpu_names, OtherGpus others);

}  // namespace tilecast
