#include "reports/report_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "model/base/error.h"
#include "model/base/file.h"

namespace tilecast {
namespace {

using Json = nlohmann::ordered_json;

bool holds_words(const DataTable& table, std::size_t column) {
  return std::any_of(table.rows.begin(), table.rows.end(), [&](const std::vector<Cell>& row) {
    return std::holds_alternative<std::string>(row[column]);
  });
}

Json words_json(const DataTable& table, std::size_t column) {
  std::map<std::string, std::size_t> places;
  Json words = Json::array(), at = Json::array();
  for (const std::vector<Cell>& row : table.rows) {
    const std::string* word = std::get_if<std::string>(&row[column]);
    if (word == nullptr) {
      at.push_back(nullptr);
      continue;
    }
    const auto [place, is_new] = places.try_emplace(*word, places.size());
    if (is_new) {
      words.push_back(*word);
    }
    at.push_back(place->second);
  }
  return {{"words", std::move(words)}, {"at", std::move(at)}};
}

Json values_json(const DataTable& table, std::size_t column) {
  Json values = Json::array();
  for (const std::vector<Cell>& row : table.rows) {
    const double* number = std::get_if<double>(&row[column]);
    const std::string text = number == nullptr ? "" : cell_text(row[column], table.columns[column]);
    values.push_back(text.empty() ? Json() : Json::parse(text));
  }
  return {{"values", std::move(values)}};
}

void replace_words(Json& json, const std::string& word, const Json& with) {
  if (json.is_string() && json == word) {
    json = with;
  } else if (json.is_structured()) {
    for (Json& item : json) {
      replace_words(item, word, with);
    }
  }
}

Json spec_json(const std::filesystem::path& path, const Json& schedules) {
  Json spec = Json::parse(read_file(path), nullptr, false);
  if (spec.is_discarded()) {
    throw ConfigError(path.string() + ": expected a chart specification in JSON");
  }
  replace_words(spec, "@schedules", schedules);
  return spec;
}

Json schedules_of(const Report& report) {
  std::set<std::string> schedules;
  for (const Section& section : report.sections) {
    for (const DataTable& table : section.tables) {
      for (std::size_t i = 0; i < table.columns.size(); ++i) {
        if (table.columns[i].key != "schedule") {
          continue;
        }
        for (const std::vector<Cell>& row : table.rows) {
          if (const std::string* word = std::get_if<std::string>(&row[i])) {
            schedules.insert(*word);
          }
        }
      }
    }
  }
  return schedules;
}

Json filters_json(const Chart& chart) {
  Json filters = Json::array();
  for (const Filter& filter : chart.filters) {
    filters.push_back({{"column", filter.column},
                       {"label", filter.label},
                       {"one", filter.one},
                       {"chosen", filter.chosen}});
  }
  return filters;
}

}  // namespace

Json table_json(const DataTable& table) {
  Json columns = Json::object();
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].on_page) {
      columns[table.columns[i].key] =
          holds_words(table, i) ? words_json(table, i) : values_json(table, i);
    }
  }
  return {{"rows", table.rows.size()}, {"columns", std::move(columns)}};
}

Json charts_json(const Report& report, const std::filesystem::path& page_folder) {
  const Json schedules = schedules_of(report);
  Json json{{"schedules", schedules}, {"tables", Json::object()}, {"charts", Json::object()}};
  for (const Section& section : report.sections) {
    for (const Chart& chart : section.charts) {
      json["charts"][chart.id] = {
          {"title", chart.title},
          {"tables", chart.tables},
          {"filters", filters_json(chart)},
          {"spec", spec_json(page_folder / "charts" / (chart.id + ".vl.json"), schedules)}};
      for (const std::string& id : chart.tables) {
        const DataTable* table = report.table(id);
        TILECAST_ASSERT(table != nullptr);
        if (!json["tables"].contains(id)) {
          json["tables"][id] = table_json(*table);
        }
      }
    }
  }
  return json;
}

}  // namespace tilecast
