// Measurements as CSV: one row each, with a header; columns are found by name. Unknown columns are
// ignored, except that a name with `__`, as CUPTI's have, is a counter.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/integers.h"
#include "validate/record/measurement.h"

namespace tilecast {

/// Handling of a last line without line end, as a killed run leaves it.
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
