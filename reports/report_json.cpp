#include "reports/report_json.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "model/base/error.h"
#include "model/base/shown_text.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/ops/short_config_text.h"
#include "model/ops/short_legend.h"
#include "model/predict/roofline.h"
#include "validate/compare/validation.h"

namespace tilecast {

Json waves_json(const WaveInput& waves) {
  Json table = make_table({"n", "series", "tflops", "config"});
  const auto add = [&](const GemmProblem& problem, const char* series, Seconds time,
                       const std::string& config) {
    table["rows"].push_back(
        {problem.shape.n, series, shown_number(tflops_of(problem, time)), config});
  };
  Values apart;
  for (const JoinedGroup& group : waves.data.groups) {
    const auto* problem = std::get_if<GemmProblem>(&group.problem);
    // Skip widths that are not multiples of the tile: they take as many waves as the next multiple,
    // for less work.
    if (problem == nullptr || group.points.empty() ||
        problem->shape.n % waves.config.tiling.block_n != 0) {
      continue;
    }
    for (const JoinedPoint& point : group.points) {
      const std::string config = short_text(point.predicted.config);
      add(*problem, "measured", point.measured_time(), config);
      add(*problem, "predicted", point.predicted.time, config);
      apart.push_back(std::abs(point.predicted.time / point.measured_time() - 1));
    }
    if (!group.fixed.empty()) {
      const Measurement& fastest = *std::ranges::min_element(
          group.fixed, {}, [](const Measurement& m) { return m.time->median; });
      add(*problem, "fastest kernel measured", fastest.time->median,
          short_text(parse_kernel_config(fastest.point.config)));
    }
    if (group.baseline(kCublasltTop1)) {
      add(*problem, "cuBLASLt", group.baseline(kCublasltTop1)->time->median, "");
    }
  }
  if (apart.empty()) {
    return {};
  }
  const GemmProblem& first = std::get<GemmProblem>(waves.data.groups.front().problem);
  return {{"m", first.shape.m},
          {"k", first.shape.k},
          {"config", short_text(waves.config)},
          {"widths", apart.size()},
          {"median_error", rounded_figure(median(apart))},
          {"curves", std::move(table)}};
}

Json errors_json(const ReportInput& input, Regime regime) {
  std::map<std::string, Values> errors;   // absolute errors by series
  std::map<std::string, Values> classes;  // relative errors of the model
  std::size_t problems = 0;
  for (const JoinedGroup& group : input.judged.data.groups) {
    if (group.regime != regime || group.points.empty()) {
      continue;
    }
    ++problems;
    for (const JoinedPoint& point : group.points) {
      const Seconds measured = point.measured_time();
      const double error = point.predicted.time / measured - 1;
      errors["tilecast"].push_back(std::abs(error));
      classes[problem_class(group.problem)].push_back(error);
      if (const auto time = roofline_time(input.gpu, group.problem, point.predicted.config)) {
        errors["roofline"].push_back(std::abs(*time / measured - 1));
      }
    }
  }
  Json curve = make_table({"series", "kernels", "error"});  // both in percent
  for (const auto& [series, values] : errors) {
    for (int percent = 0; percent <= 100; ++percent) {
      curve["rows"].push_back(
          {series, percent, shown_number(quantile(values, percent / kToPercent) * kToPercent)});
    }
  }
  Json by_class = Json::array();
  for (const auto& [name, values] : classes) {
    const ErrorFigures figures = *error_figures(values);
    by_class.push_back({{"class", name},
                        {"kernels", figures.points},
                        {"mean_error", rounded_figure(figures.mape)}});
  }
  return {{"regime", to_text(regime)},
          {"problems", problems},
          {"kernels", errors["tilecast"].size()},
          {"classes", std::move(by_class)},
          {"curve", std::move(curve)}};
}

Json picks_json(const ReportInput& input, Regime regime) {
  Json table = make_table({"choice", "of", "speed", "worst"});
  const auto add = [&](const std::string& choice, const std::optional<RatioFigures>& figures,
                       const char* cases) {
    if (figures) {
      table["rows"].push_back({choice, counted(figures->groups, cases),
                               rounded_figure(figures->geomean), rounded_figure(figures->min)});
    }
  };
  const auto add_pick = [&](const std::string& choice, const Validation& validation,
                            std::size_t count) {
    const auto found = validation.pick.find(regime);
    if (found != validation.pick.end() && found->second.contains(count)) {
      add(choice, found->second.at(count), "problem");
    }
  };
  if (input.whole_space) {
    add_pick("top pick of the whole search space", input.whole_space->validation, 1);
    add_pick("fastest of top three, whole search space", input.whole_space->validation, 3);
  }
  const Validation& judged = input.judged.validation;
  add_pick("top pick among measured kernels", judged, 1);
  const char* const both = judged.time.size() > 1 ? "case" : "problem";  // a case has one regime
  const Baselines& baselines = judged.baselines;
  add("cuBLASLt, top heuristic, aligned", baselines.cublaslt_aligned, both);
  add("cuBLASLt, fastest of 16, aligned", baselines.cublaslt_best_aligned, both);
  add("one fixed configuration", baselines.fixed_tiling, both);
  add("random measured kernel", baselines.random, both);
  return table["rows"].empty() ? Json() : table;
}

namespace {

/// Returns the legend of all configurations that the page may show.
std::string legend_of(const ReportInput& input) {
  std::vector<AnyConfig> configs;
  const auto add = [&](const JoinedData& data) {
    for (const JoinedGroup& group : data.groups) {
      for (const JoinedPoint& point : group.points) {
        configs.push_back(point.predicted.config);
      }
    }
  };
  add(input.judged.data);
  if (input.whole_space) {
    add(input.whole_space->data);
  }
  if (input.waves) {
    add(input.waves->data);
  }
  return short_legend(configs);
}

}  // namespace

Json layers_json(const LayersInput& layers) {
  Json json = Json::parse(layers.text, nullptr, false);
  const auto has_columns = [&](const char* table, const Json& columns) {
    return json.contains(table) && json[table].is_object() &&
           json[table].value("columns", Json()) == columns &&
           !json[table].value("rows", Json()).empty();
  };
  if (!json.is_object() ||
      !has_columns("times", {"layer", "mode", "regime", "measured_us", "forecast_us"}) ||
      !has_columns("parts", {"layer", "part", "us"})) {
    throw ConfigError(layers.file +
                      ": expected tables `times` and `parts` of validate/decoder_layers.py --json");
  }
  return json;
}

Json report_json(const ReportInput& input) {
  const Validation& validation = input.judged.validation;
  Json json{{"schema", 1},
            {"gpu", input.gpu.name},
            {"product", input.gpu.product},
            {"command", input.command},
            {"validate_command", input.validate_command},
            {"rows", input.rows},
            {"cards", input.cards},
            {"drivers", input.drivers},
            {"toolkits", input.toolkits},
            {"power_limit_w",
             input.gpu.power ? Json(std::lround(input.gpu.power->sustained_limit.value)) : Json()},
            {"dates", input.dates},
            {"held_out", input.held_out},
            {"legend", legend_of(input)},
            {"validation", to_json(validation)}};
  const auto add = [&](const char* key, Json part) {
    if (!part.empty()) {
      json[key] = std::move(part);
    }
  };
  if (input.whole_space) {
    add("whole_space", to_json(input.whole_space->validation));
  }
  if (input.waves) {
    add("waves", waves_json(*input.waves));
  }
  const Regime regime = validation.time.begin()->first;  // bursts, if there are any
  add("errors", errors_json(input, regime));
  add("picks", picks_json(input, regime));
  add("clock", clock_json(input.judged.data));
  add("problems", problems_json(input));
  add("timelines", timelines_json(input));
  if (input.layers) {
    add("layers", layers_json(*input.layers));
  }
  return json;
}

}  // namespace tilecast
