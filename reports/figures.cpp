#include "reports/figures.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "model/base/file.h"
#include "model/base/hash.h"
#include "reports/report_json.h"

namespace tilecast {
namespace {

using Json = nlohmann::ordered_json;

/// One chart and its tables alone.
Json alone(const Json& charts, const std::string& id) {
  Json json{{"tables", Json::object()}, {"charts", {{id, charts["charts"][id]}}}};
  for (const Json& table : charts["charts"][id]["tables"]) {
    json["tables"][table.get<std::string>()] = charts["tables"][table.get<std::string>()];
  }
  return json;
}

/// `how`: what draws it.
std::string mark_of(const Json& chart, const std::string& how) {
  return fmt::format("<!-- drawn from {:016x} -->\n",
                     hash_of(how, hash_of(chart.dump(), kHashSeed)));
}

}  // namespace

Figures figures_of(const Report& report, const std::filesystem::path& page_folder,
                   const std::filesystem::path& folder, const DrawFigures& draw) {
  const Json charts = charts_json(report, page_folder);
  const std::filesystem::path script = page_folder.parent_path() / "vega" / "draw.py";
  const std::string how = std::filesystem::exists(script) ? read_file(script) : "";
  Figures figures;
  std::map<std::string, std::string> marks;  // of the others
  Json others{{"tables", charts["tables"]}, {"charts", Json::object()}};
  for (const auto& [id, chart] : charts["charts"].items()) {
    const std::string mark = mark_of(alone(charts, id), how);
    const std::filesystem::path path = folder / (id + ".svg");
    std::string drawn = std::filesystem::exists(path) ? read_file(path) : "";
    if (drawn.starts_with(mark)) {
      figures[id] = std::move(drawn);
    } else {
      marks[id] = mark;
      others["charts"][id] = chart;
    }
  }
  if (draw && !marks.empty()) {
    for (const auto& [id, svg] : draw(others.dump())) {
      figures[id] = marks.at(id) + svg;
    }
  }
  return figures;
}

}  // namespace tilecast
