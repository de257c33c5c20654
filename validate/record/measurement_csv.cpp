#include "validate/record/measurement_csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "model/base/error.h"
#include "model/base/refuse.h"
#include "model/base/text.h"
#include "validate/record/csv_text.h"
#include "validate/record/measurement_columns.h"
#include "validate/record/stored_text.h"

namespace tilecast {
namespace {

bool is_counter(std::string_view column) { return column.find("__") != std::string_view::npos; }

/// How the reader uses each field of an accepted row, in the order of the table.
struct FieldUse {
  std::size_t field;                          // index in the file
  const MeasurementColumn* column = nullptr;  // null for a counter
};

std::vector<FieldUse> plan_fields(const CsvRecord& header, std::string_view name) {
  std::vector<FieldUse> uses;
  std::set<std::string> seen;
  for (const std::string& field : header.fields) {
    refuse_if(!seen.insert(field).second, "{}:{}: {}: duplicate column", name, header.line, field);
    if (is_counter(field)) {
      uses.push_back({.field = static_cast<std::size_t>(&field - header.fields.data())});
    }
  }
  std::vector<FieldUse> ours;
  for (const MeasurementColumn& column : measurement_column_table()) {
    const auto found = std::ranges::find(header.fields, column.name);
    if (found != header.fields.end()) {
      ours.push_back({static_cast<std::size_t>(found - header.fields.begin()), &column});
    }
  }
  uses.insert(uses.begin(), ours.begin(), ours.end());
  for (const MeasurementColumn& column : measurement_column_table()) {
    if (column.required && !seen.contains(std::string(column.name))) {
      throw ConfigError(fmt::format("{}:{}: {}: column missing from the header{}", name,
                                    header.line, column.name,
                                    did_you_mean(column.name, header.fields)));
    }
  }
  return uses;
}

double parse_counter(std::string_view text) {
  const std::optional<double> value = parse_number(text);
  refuse_if(!value, "expected a number, got '{}'", text);
  return *value;
}

Measurement read_row(const CsvRecord& record, const CsvRecord& header,
                     const std::vector<FieldUse>& uses, std::string_view name) {
  require_fields(record, header, name);
  Measurement measurement;
  for (const auto& [field, column] : uses) {
    const std::string& text = record.fields[field];
    try {
      if (column != nullptr) {
        column->read(measurement, text);
      } else if (!text.empty()) {
        measurement.counters[header.fields[field]] = parse_counter(text);
      }
    } catch (const ConfigError& error) {
      throw ConfigError(
          fmt::format("{}:{}: {}: {}", name, record.line, header.fields[field], error.what()));
    }
  }
  try {
    check_row(measurement);
  } catch (const ConfigError& error) {
    throw ConfigError(fmt::format("{}:{}: {}", name, record.line, error.what()));
  }
  return measurement;
}

}  // namespace

std::vector<std::string> measurement_columns(const std::vector<std::string>& counters) {
  std::vector<std::string> names;
  for (const MeasurementColumn& column : measurement_column_table()) {
    names.emplace_back(column.name);
  }
  names.insert(names.end(), counters.begin(), counters.end());
  return names;
}

std::string measurement_line(const Measurement& measurement,
                             const std::vector<std::string>& counters) {
  std::vector<std::string> fields;
  for (const MeasurementColumn& column : measurement_column_table()) {
    fields.push_back(column.write(measurement));
  }
  for (const std::string& counter : counters) {
    const auto found = measurement.counters.find(counter);
    fields.push_back(found == measurement.counters.end() ? "" : fmt::format("{}", found->second));
  }
  return csv_line(fields);
}

std::string measurement_csv(const std::vector<Measurement>& measurements) {
  std::set<std::string> names;
  for (const Measurement& measurement : measurements) {
    for (const auto& [name, value] : measurement.counters) {
      names.insert(name);
    }
  }
  const std::vector<std::string> counters(names.begin(), names.end());
  std::string text = csv_line(measurement_columns(counters));
  for (const Measurement& measurement : measurements) {
    text += measurement_line(measurement, counters);
  }
  return text;
}

MeasurementFile read_measurements(const std::filesystem::path& path, TruncatedLine truncated) {
  return parse_measurements(read_stored_text(path), path.string(), truncated);
}

MeasurementFile parse_measurements(std::string_view text, std::string_view name,
                                   TruncatedLine truncated) {
  CsvText csv = parse_csv(text, name);
  MeasurementFile file{.name = std::string(name), .whole_bytes = csv.ended_bytes};
  if (!csv.ended && truncated == TruncatedLine::kDrop) {
    csv.records.pop_back();
  }
  csv.truncated = csv.truncated && truncated == TruncatedLine::kError;
  require_whole(csv, name);
  const CsvRecord& header = csv.records.front();
  file.header = header.fields;
  const std::vector<FieldUse> uses = plan_fields(header, name);
  for (auto record = csv.records.begin() + 1; record != csv.records.end(); ++record) {
    file.rows.push_back({record->line, read_row(*record, header, uses, name)});
  }
  return file;
}

}  // namespace tilecast
