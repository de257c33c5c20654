#include "validate/compare/counter_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/base/error.h"
#include "model/base/text.h"
#include "model/tile/any_op.h"
#include "model/tile/kernel_config_text.h"
#include "validate/record/csv_text.h"
#include "validate/record/stored_text.h"

namespace tilecast {
namespace {

constexpr std::string_view kMetricMark = "__";

std::string row_key(const GemmProblem& problem, std::string_view config) {
  return fmt::format("{} {} {} {}", shape_text(problem), to_text(problem.dtype),
                     to_text(problem.layout), config);
}

/// One row of the file, whose fields are found by the names in the header.
class NamedFields {
 public:
  NamedFields(const CsvRecord& header, const CsvRecord& record, std::string_view name)
      : header_(header), record_(record), name_(name) {
    if (record.fields.size() != header.fields.size()) {
      throw ConfigError(fmt::format("{}:{}: expected {} fields as in the header, got {}", name,
                                    record.line, header.fields.size(), record.fields.size()));
    }
  }

  /// `parse` applied to the field; its complaint gets file, line and column.
  template <class Parse>
  auto get(std::string_view column, const Parse& parse) const {
    const auto found = std::find(header_.fields.begin(), header_.fields.end(), column);
    if (found == header_.fields.end()) {
      throw ConfigError(fmt::format("{}:{}: {}: column missing from the header{}", name_,
                                    header_.line, column, did_you_mean(column, header_.fields)));
    }
    const auto place = static_cast<std::size_t>(found - header_.fields.begin());
    try {
      return parse(record_.fields[place]);
    } catch (const ConfigError& error) {
      throw ConfigError(fmt::format("{}:{}: {}: {}", name_, record_.line, column, error.what()));
    }
  }

 private:
  const CsvRecord& header_;
  const CsvRecord& record_;
  std::string_view name_;
};

i64 parse_side(std::string_view text) {
  const std::optional<i64> side = parse_integer(text);
  if (!side || *side < 1) {
    throw ConfigError(fmt::format("expected a whole number from 1, got '{}'", text));
  }
  return *side;
}

double parse_count(std::string_view text) {
  const std::optional<double> count = parse_number(text);
  if (!count) {
    throw ConfigError(fmt::format("expected a number, got '{}'", text));
  }
  return *count;
}

GemmProblem problem_of(const NamedFields& row) {
  return {{row.get("m", parse_side), row.get("n", parse_side), row.get("k", parse_side)},
          row.get("dtype", parse_element_type),
          row.get("layout", parse_layout)};
}

}  // namespace

CounterFile CounterFile::read(const std::filesystem::path& path) {
  return parse(read_stored_text(path), path.string());
}

CounterFile CounterFile::parse(std::string_view text, std::string_view name) {
  const CsvText csv = parse_csv(text, name);
  if (csv.truncated) {
    throw ConfigError(fmt::format("{}:{}: the file ends inside this line: it was cut off", name,
                                  csv.truncated_line));
  }
  if (csv.records.empty()) {
    throw ConfigError(
        fmt::format("{}:1: expected a header line with the names of the columns", name));
  }
  CounterFile file;
  const CsvRecord& header = csv.records.front();
  for (auto record = csv.records.begin() + 1; record != csv.records.end(); ++record) {
    const NamedFields row(header, *record, name);
    const std::string config = row.get(
        "config", [](std::string_view field) { return to_text(parse_kernel_config(field)); });
    const auto [at, is_new] = file.rows_.try_emplace(row_key(problem_of(row), config));
    if (!is_new) {
      throw ConfigError(
          fmt::format("{}:{}: config: expected each kernel once, this one is already above", name,
                      record->line));
    }
    for (std::size_t i = 0; i < header.fields.size(); ++i) {
      const std::string& column = header.fields[i];
      if (column.find(kMetricMark) != std::string::npos && !record->fields[i].empty()) {
        at->second.insert_or_assign(column, row.get(column, parse_count));
      }
    }
  }
  return file;
}

std::optional<double> CounterFile::value(const GemmProblem& problem, std::string_view config,
                                         std::string_view metric) const {
  const auto row = rows_.find(row_key(problem, config));
  if (row == rows_.end()) {
    return std::nullopt;
  }
  const auto count = row->second.find(metric);
  return count == row->second.end() ? std::nullopt : std::optional(count->second);
}

}  // namespace tilecast
