#include "validate/record/point_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "model/base/error.h"
#include "model/base/refuse.h"
#include "model/base/text.h"
#include "model/ops/problem_fields.h"
#include "validate/record/csv_text.h"
#include "validate/record/measurement_columns.h"
#include "validate/record/stored_text.h"

namespace tilecast {
namespace {

constexpr std::size_t kNeeded = 7;  // the first columns are required

const std::vector<std::string>& point_columns() {
  static const std::vector<std::string> columns = [] {
    std::vector<std::string> names{"op",     "m",      "n",      "k",        "dtype", "layout",
                                   "config", "regime", "inputs", "l2_state", "drawn"};
    for (const std::string_view field : problem_field_names()) {
      if (std::ranges::find(names, field) == names.end()) {
        names.emplace_back(field);
      }
    }
    return names;
  }();
  return columns;
}

const MeasurementColumn& column_named(std::string_view name) {
  for (const MeasurementColumn& column : measurement_column_table()) {
    if (column.name == name) {
      return column;
    }
  }
  TILECAST_ASSERT(!"no such column");
  return measurement_column_table().front();
}

/// A known column and its index in the file.
struct Place {
  const MeasurementColumn* column;
  std::size_t field;
};

/// Other columns, such as those of measurements, are allowed. A name close to a known one is a
/// typo, which would otherwise be ignored silently.
void check_names(const CsvRecord& header, std::string_view name) {
  std::set<std::string> known;
  for (const MeasurementColumn& column : measurement_column_table()) {
    known.emplace(column.name);
  }
  std::set<std::string> seen;
  for (const std::string& field : header.fields) {
    const std::string near = known.contains(field) ? "" : did_you_mean(field, point_columns());
    refuse_if(!near.empty(), "{}:{}: unknown column '{}'{}", name, header.line, field, near);
    refuse_if(!seen.insert(field).second, "{}:{}: {}: duplicate column", name, header.line, field);
  }
}

std::vector<Place> places_of(const CsvRecord& header, std::string_view name) {
  std::vector<Place> places;
  for (const std::string& column : point_columns()) {
    const auto found = std::ranges::find(header.fields, column);
    if (found != header.fields.end()) {
      places.push_back(
          {&column_named(column), static_cast<std::size_t>(found - header.fields.begin())});
    } else if (&column < &point_columns()[kNeeded]) {
      throw ConfigError(fmt::format("{}:{}: {}: column missing from the header{}", name,
                                    header.line, column, did_you_mean(column, header.fields)));
    }
  }
  return places;
}

}  // namespace

std::vector<ListedPoint> read_point_list(const std::filesystem::path& path) {
  return parse_point_list(read_stored_text(path), path.string());
}

std::vector<ListedPoint> parse_point_list(std::string_view text, std::string_view name) {
  const CsvText csv = parse_csv(text, name);
  require_whole(csv, name);
  const CsvRecord& header = csv.records.front();
  const std::vector<Place> places = places_of(header, name);
  check_names(header, name);
  std::vector<ListedPoint> points;
  std::set<std::string> seen;
  for (auto record = csv.records.begin() + 1; record != csv.records.end(); ++record) {
    require_fields(*record, header, name);
    Measurement row;
    std::string_view column;
    try {
      for (const Place& place : places) {
        column = place.column->name;
        place.column->read(row, record->fields[place.field]);
      }
      column = "config";
      check_problem(row.point);
    } catch (const ConfigError& error) {
      throw ConfigError(fmt::format("{}:{}: {}: {}", name, record->line, column, error.what()));
    }
    if (seen.insert(key_of(row.point)).second) {
      points.push_back({row.point, row.drawn});
    }
  }
  refuse_if(points.empty(), "{}: contains no points", name);
  return points;
}

std::string point_list_csv(const std::vector<ListedPoint>& points) {
  std::string text = csv_line(point_columns());
  for (const ListedPoint& listed : points) {
    Measurement row;
    row.point = listed.point;
    row.drawn = listed.drawn;
    std::vector<std::string> fields;
    for (const std::string& column : point_columns()) {
      fields.push_back(column_named(column).write(row));
    }
    text += csv_line(fields);
  }
  return text;
}

}  // namespace tilecast
