#include "reports/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "model/base/file.h"
#include "model/base/refuse.h"
#include "model/base/shown_text.h"
#include "reports/html_text.h"
#include "reports/tables.h"
#include "reports/template.h"

namespace tilecast {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCharts[] = {"waves",    "errors", "picks",      "clock",
                                   "timeline", "layers", "layer_parts"};

/// Returns a value in percent, with three digits; null if absent.
Json percent(const Json& report, const char* pointer) {
  const Json::json_pointer at(pointer);
  return report.contains(at) ? Json(fmt::format("{:.3g}", report[at].get<double>() * 100)) : Json();
}

/// Returns a cell of a table row, by column name.
const Json& cell(const Json& table, const Json& row, std::string_view column) {
  std::size_t at = 0;
  while (table["columns"][at] != column) {
    ++at;
  }
  return row[at];
}

/// Returns about eight widths, with measured and predicted times in columns.
Json wave_rows(const Json& curves) {
  std::map<long long, std::map<std::string, std::string>> by_n;
  for (const Json& row : curves["rows"]) {
    by_n[cell(curves, row, "n")][cell(curves, row, "series")] =
        fmt::format("{:.0f}", cell(curves, row, "tflops").get<double>());
  }
  Json rows = Json::array();
  const std::size_t step = (by_n.size() + 7) / 8;
  std::size_t place = 0;
  for (const auto& [n, speeds] : by_n) {
    if (place++ % step == 0) {
      rows.push_back(
          {{"n", n}, {"measured", speeds.at("measured")}, {"predicted", speeds.at("predicted")}});
    }
  }
  return rows;
}

Json error_rows(const Json& curve) {
  Json rows = Json::array();
  for (const int share : {50, 75, 90, 99}) {
    rows.push_back({{"share", share}, {"tilecast", "-"}, {"roofline", "-"}});
    for (const Json& row : curve["rows"]) {
      if (cell(curve, row, "kernels") == share) {
        rows.back()[cell(curve, row, "series").get<std::string>()] =
            fmt::format("{:.3g}", cell(curve, row, "error").get<double>());
      }
    }
  }
  return rows;
}

Json errors_view(const Json& errors) {
  Json view{{"rows", error_rows(errors["curve"])}, {"classes", Json::array()}};
  view["half"] = view["rows"][0]["tilecast"];
  view["p90"] = view["rows"][2]["tilecast"];
  for (const auto& [name, rule] : kProblemClasses) {
    for (const Json& item : errors["classes"]) {
      if (item["class"] == name) {
        view["classes"].push_back(
            {{"class", name}, {"rule", rule}, {"mean", percent(item, "/mean_error")}});
      }
    }
  }
  return view;
}

Json picks_view(const Json& picks) {
  Json view{{"rows", Json::array()}};
  for (const Json& row : picks["rows"]) {
    view["rows"].push_back(
        {{"choice", cell(picks, row, "choice")},
         {"of", cell(picks, row, "of")},
         {"speed", fmt::format("{:.1f}", cell(picks, row, "speed").get<double>() * 100)},
         {"worst", fmt::format("{:.1f}", cell(picks, row, "worst").get<double>() * 100)}});
  }
  view["first"] = view["rows"][0];
  return view;
}

Json clock_view(const Json& clock) {
  Json view = clock;
  view["rows"] = Json::array();
  const Json& kernels = clock["kernels"];
  for (const Json& row : kernels["rows"]) {
    if (cell(kernels, row, "label") != "") {
      Json& shown = view["rows"].emplace_back();
      for (const char* column : {"label", "config", "ghz", "kcycles", "us", "predicted_us"}) {
        shown[column] = cell(kernels, row, column);
      }
    }
  }
  return view;
}

struct ErrorRange {
  double sum = 0, worst = 0;
  int count = 0;

  void add(double error) {
    sum += error;
    worst = std::max(worst, error);
    ++count;
  }

  Json figures() const {
    return {{"mean", fmt::format("{:.1f}", sum / count * 100)},
            {"worst", fmt::format("{:.1f}", worst * 100)},
            {"count", count}};
  }
};

Json layers_view(const Json& layers) {
  ErrorRange all;
  std::map<std::pair<std::string, std::string>, ErrorRange> kinds;  // by mode and regime
  const Json& times = layers["times"];
  for (const Json& row : times["rows"]) {
    const double error = std::abs(cell(times, row, "forecast_us").get<double>() /
                                      cell(times, row, "measured_us").get<double>() -
                                  1);
    all.add(error);
    kinds[{cell(times, row, "mode"), cell(times, row, "regime")}].add(error);
  }
  Json view = all.figures();
  for (const auto& [kind, range] : kinds) {
    view["rows"].push_back(range.figures());
    view["rows"].back().update({{"mode", kind.first}, {"regime", kind.second}});
  }
  std::vector<std::pair<std::string, std::map<std::string, double>>> parts;  // us by layer
  for (const Json& row : layers["parts"]["rows"]) {
    const std::string layer = cell(layers["parts"], row, "layer");
    if (parts.empty() || parts.back().first != layer) {
      parts.emplace_back(layer, std::map<std::string, double>{});
    }
    parts.back().second[cell(layers["parts"], row, "part")] = cell(layers["parts"], row, "us");
  }
  double least = 1, most = 0;
  for (auto& [layer, us] : parts) {
    double total = 0;
    for (const auto& [part, time] : us) {
      total += time;
    }
    Json shown{{"layer", layer}};
    for (const auto& [part, time] : us) {
      shown[part] = fmt::format("{:.0f}", time / total * 100);
    }
    view["parts"].push_back(shown);
    least = std::min(least, us["GEMM"] / total);
    most = std::max(most, us["GEMM"] / total);
  }
  view["about"] = layers.value("about", Json());
  view["least"] = fmt::format("{:.0f}", least * 100);
  view["most"] = fmt::format("{:.0f}", most * 100);
  return view;
}

Json chart_spec(const fs::path& page_folder, const std::string& chart) {
  const fs::path path = page_folder / "charts" / (chart + ".vl.json");
  Json spec = Json::parse(read_file(path), nullptr, false);
  refuse_if(spec.is_discarded(), "{}: expected a chart specification in JSON", path.string());
  return spec;
}

/// Returns `one` and the text, or `several` and "FIRST to LAST" of sorted texts; null if there are
/// none.
Json range_of(const Json& texts, std::string_view one, std::string_view several) {
  if (texts.empty()) {
    return {};
  }
  const std::string first = texts.front(), last = texts.back();
  return first == last ? fmt::format("{}{}", one, first)
                       : fmt::format("{}{} to {}", several, first, last);
}

/// Returns the values that page.html and headline.md refer to.
Json view_of(const Json& report) {
  const bool held_out = report["held_out"] == true;
  const bool bursts = report["errors"]["regime"] == "burst";
  const std::string time =
      fmt::format("/validation/time/{}", report["errors"]["regime"].get<std::string>());
  const std::string pick = fmt::format("pick/{}", report["errors"]["regime"].get<std::string>());
  const auto number = [](const Json& value) { return with_commas(value.get<long long>()); };
  Json view{{"product", report["product"]},
            {"command", report["command"]},
            {"validate_command", report["validate_command"]},
            {"rows", number(report["rows"])},
            {"cards", counted(report["cards"], "GPU")},
            {"regime", bursts ? "burst" : "sustained"},
            {"mean", percent(report, (time + "/mape").c_str())},
            {"median", percent(report, (time + "/median").c_str())},
            {"roofline", percent(report, "/validation/baselines/roofline_mape")},
            {"kernels", fmt::format("{} measured kernel{}", number(report["errors"]["kernels"]),
                                    report["errors"]["kernels"] == 1 ? "" : "s")},
            {"problems",
             counted(report["errors"]["problems"], held_out ? "held-out problem" : "problem")},
            {"held_out", held_out ? Json("yes") : Json()},
            {"not_held_out", held_out ? Json() : Json("yes")},
            {"measured", range_of(report["dates"], "on ", "from ")},
            {"drivers", range_of(report["drivers"], "version ", "versions ")},
            {"toolkits", range_of(report["toolkits"], "", "")},
            {"power", report["power_limit_w"]},
            {"legend", report["legend"]},
            {"errors", errors_view(report["errors"])}};
  const auto ratio = [&](const char* key, const std::string& pointer) {
    if (const Json::json_pointer at(pointer); report.contains(at)) {
      view[key] = {
          {"speed", percent(report, (pointer + "/geomean").c_str())},
          {"worst", percent(report, (pointer + "/min").c_str())},
          {"cases", counted(report[at]["shapes"],
                            pointer.find("cublaslt") == pointer.npos ? "problem" : "case")}};
    }
  };
  ratio("whole_top1", "/whole_space/" + pick + "/top1");
  ratio("whole_top3", "/whole_space/" + pick + "/top3");
  ratio("top1", "/validation/" + pick + "/top1");
  for (const char* key :
       {"fixed_tiling", "cublaslt_aligned", "cublaslt_best_aligned", "cublaslt_odd"}) {
    ratio(key, fmt::format("/validation/baselines/{}", key));
  }
  if (report.contains("waves")) {
    view["waves"] = report["waves"];
    view["waves"]["apart"] = percent(report, "/waves/median_error");
    view["waves"]["rows"] = wave_rows(report["waves"]["curves"]);
  }
  if (report.contains("picks")) {
    view["picks"] = picks_view(report["picks"]);
  }
  if (report.contains("layers")) {
    view["layers"] = layers_view(report["layers"]);
  }
  if (report.contains("clock")) {
    view["clock"] = clock_view(report["clock"]);
  }
  return view;
}

std::string unescaped(std::string_view text) { return std::string(text); }

}  // namespace

std::string report_page(const Json& report, const PageParts& parts) {
  Json view = view_of(report);
  for (const auto& [text, address] : parts.links) {
    view["links"].push_back({{"text", text}, {"address", address}});
  }
  Json specs;
  for (const char* chart : kCharts) {
    specs[chart] = chart_spec(parts.folder, chart);
  }
  const auto script = [&](const char* name) {
    return script_in_html(read_file(parts.folder / name), name);
  };
  return fill_template(read_file(parts.folder / "page.html"), view, html_escaped,
                       {{"style", read_file(parts.folder / "page.css")},
                        {"report", json_in_html(report)},
                        {"specs", json_in_html(specs)},
                        {"chart_library", script_in_html(parts.chart_library, "the chart library")},
                        {"script", script("page.js")}});
}

std::string report_headline(const Json& report, const fs::path& page_folder) {
  return fill_template(read_file(page_folder / "headline.md"), view_of(report), unescaped);
}

}  // namespace tilecast
