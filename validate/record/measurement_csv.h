// Measurements as CSV: a header, then one row per measurement. Columns are found by name. A column
// whose name contains `__`, as CUPTI's names do, is a counter; other unknown columns are ignored.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/integers.h"
#include "validate/record/measurement.h"

namespace tilecast {

/// What to do with a last line without a line end, which a killed run leaves.
enum class TruncatedLine { kError, kDrop };

struct MeasurementRow {
  i64 line = 0;  // line in the file
  Measurement measurement;
};

struct MeasurementFile {
  std::string name;                 // path, for messages
  std::vector<std::string> header;  // in file order
  std::vector<MeasurementRow> rows;
  std::size_t whole_bytes = 0;  // plain text without a truncated last line
  std::size_t outdated = 0;     // rows of changed kernels, which in_times_of_today removed
};

/// Column names: the fixed columns, then `counters`.
std::vector<std::string> measurement_columns(const std::vector<std::string>& counters);

/// Formats one row, with its line end. Counters not in `counters` are omitted.
std::string measurement_line(const Measurement& measurement,
                             const std::vector<std::string>& counters);

/// Formats header and rows, with a column for every counter of any measurement.
std::string measurement_csv(const std::vector<Measurement>& measurements);

/// Reads plain text or .gz. Throws FileError if it cannot be read and ConfigError `file:line:
/// column: expectation` if it is not such a CSV.
MeasurementFile read_measurements(const std::filesystem::path& path,
                                  TruncatedLine truncated = TruncatedLine::kError);

/// Parses text that is already in memory.
MeasurementFile parse_measurements(std::string_view text, std::string_view name,
                                   TruncatedLine truncated = TruncatedLine::kError);

}  // namespace tilecast
