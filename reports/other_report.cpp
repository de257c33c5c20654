#include "reports/other_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/base/error.h"
#include "model/base/file.h"
#include "model/base/text.h"
#include "validate/record/csv_text.h"
#include "validate/record/stored_text.h"

namespace tilecast {
namespace {

namespace fs = std::filesystem;

std::optional<std::size_t> place_of(const OtherTable& table, const std::string& column) {
  const auto found = std::find(table.columns.begin(), table.columns.end(), column);
  return found == table.columns.end()
             ? std::nullopt
             : std::optional(static_cast<std::size_t>(found - table.columns.begin()));
}

OtherTable read_table(const fs::path& path) {
  const CsvText csv = parse_csv(read_stored_text(path), path.string());
  if (csv.records.empty() || csv.truncated) {
    throw ConfigError(path.string() + ": expected a whole table of a report");
  }
  OtherTable table{csv.records.front().fields, {}};
  for (auto record = csv.records.begin() + 1; record != csv.records.end(); ++record) {
    if (record->fields.size() != table.columns.size()) {
      throw ConfigError(fmt::format("{}:{}: expected {} fields as in the header, got {}",
                                    path.string(), record->line, table.columns.size(),
                                    record->fields.size()));
    }
    table.rows.push_back(record->fields);
  }
  return table;
}

}  // namespace

OtherIndex OtherTable::index(const std::vector<std::string>& keys) const {
  std::vector<std::size_t> places;
  for (const std::string& key : keys) {
    if (const std::optional<std::size_t> place = place_of(*this, key)) {
      places.push_back(*place);
    }
  }
  OtherIndex result;
  for (std::size_t i = 0; i < rows.size() && places.size() == keys.size(); ++i) {
    std::string text;
    for (const std::size_t place : places) {
      text += (text.empty() ? "" : ", ") + rows[i][place];
    }
    result.emplace(text, i);
  }
  return result;
}

std::optional<std::string> OtherTable::value(
    const std::vector<std::pair<std::string, std::string>>& where,
    const std::string& column) const {
  const std::optional<std::size_t> wanted = place_of(*this, column);
  for (const std::vector<std::string>& row : rows) {
    const bool holds = std::all_of(where.begin(), where.end(), [&](const auto& condition) {
      const std::optional<std::size_t> place = place_of(*this, condition.first);
      return place && row[*place] == condition.second;
    });
    if (holds && wanted) {
      return row[*wanted];
    }
  }
  return std::nullopt;
}

std::optional<std::string> OtherTable::text(std::size_t row, const std::string& column) const {
  const std::optional<std::size_t> place = place_of(*this, column);
  return place ? std::optional(rows.at(row)[*place]) : std::nullopt;
}

std::optional<double> OtherTable::number(std::size_t row, const std::string& column) const {
  const std::optional<std::size_t> place = place_of(*this, column);
  return place ? parse_number(rows.at(row)[*place]) : std::nullopt;
}

const OtherTable* OtherReport::table(const std::string& id) const {
  const auto found = tables.find(id);
  return found == tables.end() ? nullptr : &found->second;
}

OtherReport read_other_report(const fs::path& folder) {
  if (!fs::is_directory(folder / "data")) {
    throw FileError(folder.string() + ": is not a report: it has no folder data");
  }
  OtherReport report{folder.string(), {}};
  for (const auto& entry : fs::directory_iterator(folder / "data")) {
    fs::path name = entry.path().filename();
    name = name.extension() == ".gz" ? name.stem() : name;
    if (name.extension() == ".csv") {
      report.tables[name.stem()] = read_table(entry.path());
    }
  }
  return report;
}

}  // namespace tilecast
