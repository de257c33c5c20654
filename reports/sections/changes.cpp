// What is different from another report: figures of the headline tables, constants, and points.
// The other report is read from its data folder, so it may be of another GPU, another calibration
// or another version of the project.

#include <fmt/format.h>

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

/// Numbers of the tables that say how good the model is.
void add_figures(DataTable& changes, const DataTable& table, const OtherTable& other) {
  const std::string& key = table.columns.front().key;
  for (const Row& row : table.rows) {
    const std::string what = key_of(table, row, {key});
    for (std::size_t i = 1; i < table.columns.size(); ++i) {
      const Column& column = table.columns[i];
      const std::string now = cell_text(row[i], column);
      const std::string before = other.value({{key, what}}, column.key).value_or("");
      if (now != before && (!now.empty() || !before.empty())) {
        changes.rows.push_back({table.title, what, column.title, before, now});
      }
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
      changes.rows.push_back({constants.title, key, std::string("value"), before, now});
    }
  }
}

struct Moves {
  Values predicted, measured;  // now over before
  std::size_t only_here = 0, only_there = 0;
};

Moves moves_of(const DataTable& points, const OtherTable& other) {
  const std::vector<std::string> keys{"shape", "canonical", "regime", "conditions"};
  const OtherIndex before = other.index(keys);
  Moves moves;
  for (const Row& row : points.rows) {
    const auto found = before.find(key_of(points, row, keys));
    if (found == before.end()) {
      ++moves.only_here;
      continue;
    }
    const auto add = [&](Values& values, const std::string& column) {
      const std::optional<double> then = other.number(found->second, column);
      const double* now = std::get_if<double>(&row[points.column(column)]);
      if (then && now != nullptr && *then > 0) {
        values.push_back(*now / *then);
      }
    };
    add(moves.predicted, "predicted_us");
    add(moves.measured, "measured_us");
  }
  moves.only_there = before.size() - (points.rows.size() - moves.only_here);
  return moves;
}

void add_points(DataTable& changes, const DataTable& points, const OtherTable& other) {
  const Moves moves = moves_of(points, other);
  const auto add = [&](const char* what, const std::string& now) {
    changes.rows.push_back({points.title, std::string(what), std::string("points"), Cell(), now});
  };
  add("only in this report", std::to_string(moves.only_here));
  add("only in the other one", std::to_string(moves.only_there));
  const auto spread = [&](const char* what, const Values& ratios) {
    if (!ratios.empty()) {
      add(what, fmt::format("{} in the median of {} ({} to {})", number_text(median(ratios), 4),
                            ratios.size(), number_text(quantile(ratios, 0.05), 4),
                            number_text(quantile(ratios, 0.95), 4)));
    }
  };
  spread("predicted time, here over there, of points in both (5 to 95 %)", moves.predicted);
  spread("measured time, here over there, of points in both (5 to 95 %)", moves.measured);
}

}  // namespace

Section changes_section(const Report& report, const OtherReport& other) {
  DataTable changes{"changes",
                    "What is different from the other report",
                    {{.key = "table", .title = "table"},
                     {.key = "what", .title = "what"},
                     {.key = "figure", .title = "figure"},
                     {.key = "there", .title = "there"},
                     {.key = "here", .title = "here"}},
                    {}};
  for (const char* id : {"error", "order", "pick", "by_class"}) {
    const DataTable* table = report.table(id);
    if (const OtherTable* before = other.table(id); table != nullptr && before != nullptr) {
      add_figures(changes, *table, *before);
    }
  }
  const DataTable* points = report.table("points");
  if (const OtherTable* before = other.table("points"); before != nullptr) {
    add_points(changes, *points, *before);
  }
  const DataTable* constants = report.table("constants");
  if (const OtherTable* before = other.table("constants"); before != nullptr) {
    add_constants(changes, *constants, *before);
  }
  return {.id = "changes",
          .title = "What changed",
          .text = fmt::format("This report (*here*) beside the one in `{}` (*there*). Figures that "
                              "are equal to the last shown digit are left out.",
                              other.folder),
          .files = {other.folder},
          .commands = {},
          .charts = {},
          .tables = {std::move(changes)}};
}

}  // namespace tilecast
