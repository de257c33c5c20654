// Measurements as CSV: one row each, header first, columns found by name. Unknown columns are
// ignored, but one whose name holds `__`, as CUPTI's do, is a counter.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/integers.h"
#include "validate/record/measurement.h"

namespace tilecast {

/// What a reader makes of a last line without its line end, as a killed run leaves it.
enum class TruncatedLine { kError, kDrop };

struct MeasurementRow {
  i64 line = 0;  // in the file
  Measurement measurement;
};

struct MeasurementFile {
  std::string name;                 // path, for messages
  std::vector<std::string> header;  // as it stands in the file
  std::vector<MeasurementRow> rows;
  std::size_t whole_bytes = 0;  // of plain text, without a truncated last line
};

/// The names of the columns: the fixed ones, then `counters`.
std::vector<std::string> measurement_columns(const std::vector<std::string>& counters);

/// One line with its line end. Counters that are not in `counters` are left out.
std::string measurement_line(const Measurement& measurement,
                             const std::vector<std::string>& counters);

/// Header and rows; counter columns are all that any of the measurements has.
std::string measurement_csv(const std::vector<Measurement>& measurements);

/// Plain, or .gz. Throws FileError where it cannot be read and ConfigError
/// `file:line: column: what was expected` where it is not such a CSV.
MeasurementFile read_measurements(const std::filesystem::path& path,
                                  TruncatedLine truncated = TruncatedLine::kError);

/// The same from text already read.
MeasurementFile parse_measurements(std::string_view text, std::string_view name,
                                   TruncatedLine truncated = TruncatedLine::kError);

}  // namespace tilecast
