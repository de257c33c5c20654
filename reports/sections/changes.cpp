// What is different from another report: figures of the headline tables, constants, and points.
// The other report is read from its data folder, so it may be of another GPU, another calibration
// or another version of the project.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "model/base/shown_text.h"
#include "model/base/text.h"
#include "reports/commands.h"
#include "reports/other_report.h"
#include "reports/quantities.h"
#include "reports/sections/sections.h"
#include "validate/compare/statistics.h"

namespace tilecast {
namespace {

using Row = std::vector<Cell>;

std::string key_of(const DataTable& table, const Row& row, const std::vector<std::string>& keys) {
  std::string key;
  for (const std::string& column : keys) {
    key += (key.empty() ? "" : ", ") +
           cell_text(row[table.column(column)], table.columns[table.column(column)]);
  }
  return key;
}

/// Tables that say how good the model is and what it is of, by the columns that name their rows.
const std::vector<std::pair<const char*, std::vector<std::string>>>& compared_tables() {
  static const std::vector<std::pair<const char*, std::vector<std::string>>> kTables{
      {"machine", {"what"}},    {"error", {"what"}},           {"order", {"what"}},
      {"pick", {"what"}},       {"by_schedule", {"schedule"}}, {"by_class", {"class", "regime"}},
      {"bytes_error", {"what"}}};
  return kTables;
}

void add_figures(DataTable& changes, const DataTable& table, const OtherTable& other,
                 const std::vector<std::string>& keys) {
  const OtherIndex before = other.index(keys);
  const auto add = [&](const std::string& what, const std::string& figure, const std::string& then,
                       const std::string& now) {
    if (now != then) {
      changes.rows.push_back({table.id, what, figure, then, now});
    }
  };
  std::set<std::string> here;
  for (const Row& row : table.rows) {
    const std::string what = key_of(table, row, keys);
    const auto found = before.find(what);
    here.insert(what);
    for (std::size_t i = keys.size(); i < table.columns.size(); ++i) {
      const Column& column = table.columns[i];
      add(what, column.title,
          found == before.end() ? "" : other.text(found->second, column.key).value_or(""),
          cell_text(row[i], column));
    }
  }
  for (const auto& [what, place] : before) {
    if (!here.contains(what)) {
      add(what, "", "there alone", "");
    }
  }
}

void add_constants(DataTable& changes, const DataTable& constants, const OtherTable& other) {
  for (const Row& row : constants.rows) {
    const std::string key = key_of(constants, row, {"key"});
    const std::string now = key_of(constants, row, {"value", "unit"});
    const std::optional<std::string> value = other.value({{"key", key}}, "value");
    const std::string before =
        value ? *value + ", " + other.value({{"key", key}}, "unit").value_or("") : "";
    if (now != before) {
      changes.rows.push_back({constants.id, key, std::string("value"), before, now});
    }
  }
}

struct Moves {
  Values predicted, measured;  // now over before
  std::size_t only_here = 0, only_there = 0;
};

DataTable moves_table() {
  return {"moves",
          "Points of both reports",
          {{.key = "shape", .title = "shape"},
           {.key = "schedule", .title = "schedule"},
           {.key = "config", .title = "configuration", .is_code = true},
           {.key = "regime", .title = "regime"},
           {.key = "predicted_there", .title = "predicted there", .unit = "us", .digits = 5},
           {.key = "predicted_here", .title = "predicted here", .unit = "us", .digits = 5},
           {.key = "predicted_ratio", .title = "here / there", .digits = 4},
           {.key = "measured_there", .title = "measured there", .unit = "us", .digits = 5},
           {.key = "measured_here", .title = "measured here", .unit = "us", .digits = 5},
           {.key = "measured_ratio", .title = "here / there", .digits = 4},
           canonical_column()},
          {},
          false};
}

/// Gathers what moved; each point of both reports becomes a row of `table`.
Moves moves_of(const DataTable& points, const OtherTable& other, DataTable& table) {
  const std::vector<std::string> keys{"shape", "canonical", "regime", "conditions"};
  const OtherIndex before = other.index(keys);
  Moves moves;
  for (const Row& row : points.rows) {
    const auto found = before.find(key_of(points, row, keys));
    if (found == before.end()) {
      ++moves.only_here;
      continue;
    }
    Row own;
    for (const char* key : {"shape", "schedule", "config", "regime"}) {
      own.push_back(row[points.column(key)]);
    }
    const auto add = [&](Values& values, const std::string& column) {
      const std::optional<double> then = other.number(found->second, column);
      const double* now = std::get_if<double>(&row[points.column(column)]);
      const bool both = then && now != nullptr && *then > 0;
      // As the other report's file has it, so that equal rows have a ratio of 1.
      const double here =
          both ? parse_number(cell_text(*now, points.columns[points.column(column)])).value() : 0;
      own.insert(own.end(), {maybe(then), now != nullptr ? Cell(*now) : Cell(),
                             both ? Cell(here / *then) : Cell()});
      if (both) {
        values.push_back(here / *then);
      }
    };
    add(moves.predicted, "predicted_us");
    add(moves.measured, "measured_us");
    own.push_back(row[points.column("canonical")]);
    table.rows.push_back(std::move(own));
  }
  moves.only_there = before.size() - (points.rows.size() - moves.only_here);
  return moves;
}

/// The points whose predicted times are furthest apart, by more than a per cent.
DataTable moved_table(const DataTable& moves) {
  constexpr double kMoved = 0.01;
  constexpr std::size_t kMost = 24;
  DataTable table = moves;
  table.id = "moved";
  table.title = "Points whose predicted times are furthest apart";
  table.listed = true;
  const std::size_t ratio = table.column("predicted_ratio");
  const auto distance = [&](const Row& row) {
    const double* value = std::get_if<double>(&row[ratio]);
    return value == nullptr ? 0 : std::abs(std::log(*value));
  };
  std::erase_if(table.rows, [&](const Row& row) { return distance(row) < kMoved; });
  std::stable_sort(table.rows.begin(), table.rows.end(),
                   [&](const Row& a, const Row& b) { return distance(a) > distance(b); });
  table.rows.resize(std::min(table.rows.size(), kMost));
  return table;
}

void add_points(DataTable& changes, const DataTable& points, const Moves& moves) {
  const auto add = [&](const char* what, const char* figure, const std::string& now) {
    changes.rows.push_back({points.id, std::string(what), std::string(figure), Cell(), now});
  };
  add("only in this report", "points", std::to_string(moves.only_here));
  add("only in the other one", "points", std::to_string(moves.only_there));
  const auto spread = [&](const char* what, const Values& ratios) {
    if (!ratios.empty()) {
      add(what, "here / there",
          fmt::format("{} ({} to {}, {})", number_text(median(ratios), 4),
                      number_text(quantile(ratios, 0.05), 4),
                      number_text(quantile(ratios, 0.95), 4), counted(ratios.size(), "point")));
    }
  };
  spread("predicted time", moves.predicted);
  spread("measured time", moves.measured);
}

}  // namespace

Section changes_section(const Report& report, const OtherReport& other) {
  DataTable changes{"changes",
                    "Differences from the other report",
                    {{.key = "table", .title = "table"},
                     {.key = "what", .title = "what"},
                     {.key = "figure", .title = "figure"},
                     {.key = "there", .title = "there"},
                     {.key = "here", .title = "here"}},
                    {}};
  for (const auto& [id, keys] : compared_tables()) {
    const DataTable* table = report.table(id);
    if (const OtherTable* before = other.table(id); table != nullptr && before != nullptr) {
      add_figures(changes, *table, *before, keys);
    }
  }
  const DataTable& points = *report.table("points");
  DataTable moves = moves_table();
  if (const OtherTable* before = other.table("points"); before != nullptr) {
    add_points(changes, points, moves_of(points, *before, moves));
  }
  const DataTable* constants = report.table("constants");
  if (const OtherTable* before = other.table("constants"); before != nullptr) {
    add_constants(changes, *constants, *before);
  }
  Section section{
      .id = "changes",
      .title = "What changed",
      .text = fmt::format(
          "This report (*here*) beside the one in `{}` (*there*). Figures that "
          "are equal to the last shown digit are left out. *Table*: the file in `data`. "
          "Ratios of points: median, and from where to where 90 % of them lie.",
          other.folder),
      .files = {other.folder}};
  section.tables.push_back(std::move(changes));
  if (DataTable moved = moved_table(moves); !moved.rows.empty()) {
    section.charts = {{"moves",
                       "Predicted time, here / there",
                       "One point for each configuration that both reports have; above the line "
                       "this report predicts more.",
                       {"moves"},
                       {{"schedule", "Schedule"}, {"regime", "Regime"}}}};
    section.tables.push_back(std::move(moved));
  }
  if (!moves.rows.empty()) {
    section.tables.push_back(std::move(moves));
  }
  return section;
}

}  // namespace tilecast
