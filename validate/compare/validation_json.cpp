#include <nlohmann/json.hpp>

#include "validate/compare/shown_figures.h"
#include "validate/compare/validation.h"

namespace tilecast {
namespace {

using Json = nlohmann::ordered_json;

void add_bytes(Json& json, const ByteFigures& bytes) {
  const auto add = [&](const char* name, const std::optional<ErrorFigures>& figures) {
    if (figures) {
      json[name] = error_json(*figures);
      json[name]["points"] = figures->points;
    }
  };
  add("l2_to_sm_bytes", bytes.l2_to_sm);
  add("dram_read_bytes", bytes.dram_read);
  if (bytes.l2_hit) {
    constexpr double kToPoints = 100;
    json["l2_hit"] = {{"mae_points", rounded_figure(bytes.l2_hit->mean_error * kToPoints)},
                      {"bias_points", rounded_figure(bytes.l2_hit->bias * kToPoints)},
                      {"points", bytes.l2_hit->points}};
  }
}

Json ratio_json(const RatioFigures& figures) {
  return {{"geomean", rounded_figure(figures.geomean)},
          {"p10", rounded_figure(figures.p10)},
          {"min", rounded_figure(figures.min)},
          {"shapes", figures.groups}};
}

Json rank_json(const RankFigures& figures) {
  Json json{{"kendall", rounded_figure(figures.kendall)}};
  add_figure(json, "kendall_near_best", figures.kendall_near_best);
  json["spearman"] = rounded_figure(figures.spearman);
  json["shapes"] = figures.shapes;
  return json;
}

Json baselines_json(const Baselines& baselines) {
  Json json = Json::object();
  const auto add = [&](const char* name, const std::optional<RatioFigures>& figures) {
    if (figures) {
      json[name] = ratio_json(*figures);
    }
  };
  add("pick_by_cycles", baselines.pick_by_cycles);
  add("closed_form", baselines.closed_form);
  add("fixed_tiling", baselines.fixed_tiling);
  if (baselines.fixed_tiling) {
    json["fixed_tiling"]["config"] = baselines.fixed_tiling_config;
    json["fixed_tiling"]["chosen_on"] = baselines.fixed_tiling_chosen_here ? "these" : "fit";
  }
  add("random", baselines.random);
  add("cublaslt_top1_of_best", baselines.cublaslt_top1_of_best);
  add("cublaslt_top1_of_ours", baselines.cublaslt_top1_of_ours);
  add("cublaslt_aligned", baselines.cublaslt_aligned);
  add("cublaslt_odd", baselines.cublaslt_odd);
  add("cublaslt_best_aligned", baselines.cublaslt_best_aligned);
  add("runtime_copy_of_ours", baselines.runtime_copy_of_ours);
  add_figure(json, "roofline_mape", baselines.roofline_mape);
  return json;
}

template <class Key>
void add_parts(Json& json, const char* name, const std::map<Key, PartFigures>& parts) {
  for (const auto& [part, figures] : parts) {
    Json& own = json[name][std::string(to_text(part))];
    own["points"] = figures.points;
    own["mape"] = rounded_figure(figures.time_mape);
    own["median"] = rounded_figure(figures.time_median);
    own["coverage_90"] = rounded_figure(figures.coverage);
    add_figure(own, "cycles_mape", figures.cycles_mape);
    add_figure(own, "cycles_median", figures.cycles_median);
  }
}

void add_figures(Json& json, const Validation& v) {
  if (v.cycles) {
    json["cycles"] = error_json(*v.cycles);
  }
  if (v.cycles_near_best) {
    json["cycles_near_best"] = error_json(*v.cycles_near_best);
  }
  for (const auto& [regime, figures] : v.time) {
    json["time"][std::string(to_text(regime))] = error_json(figures);
  }
  if (v.clock) {
    json["clock"] = error_json(v.clock->error);
    add_figure(json["clock"], "kendall", v.clock->kendall);
    if (v.clock->pairs_ordered) {
      json["clock"]["pairs"] = v.clock->pairs;
      add_figure(json["clock"], "pairs_ordered", v.clock->pairs_ordered);
    }
  }
  for (const auto& [regime, figures] : v.rank) {
    json["rank"][std::string(to_text(regime))] = rank_json(figures);
  }
  for (const auto& [regime, picks] : v.pick) {
    for (const auto& [count, figures] : picks) {
      json["pick"][std::string(to_text(regime))]["top" + std::to_string(count)] =
          ratio_json(figures);
    }
  }
  json["baselines"] = baselines_json(v.baselines);
  if (v.interval) {
    json["interval"] = {{"coverage_90", rounded_figure(v.interval->coverage_90)},
                        {"median_width", rounded_figure(v.interval->median_width)}};
  }
  add_bytes(json, v.bytes);
}

}  // namespace

Json error_json(const ErrorFigures& figures) {
  return {{"mape", rounded_figure(figures.mape)},
          {"median", rounded_figure(figures.median)},
          {"p90", rounded_figure(figures.p90)},
          {"bias", rounded_figure(figures.bias)}};
}

Json to_json(const Validation& v) {
  Json json{{"schema", 1},
            {"gpu", v.gpu},
            {"calibrated", v.calibrated},
            {"method", to_text(v.method)},
            {"rows", v.rows},
            {"points", v.points},
            {"simulated", v.simulated},
            {"unmatched", v.unmatched},
            {"excluded", v.excluded},
            {"cublaslt", v.cublaslt},
            {"repeated", v.repeated},
            {"split", v.split}};
  add_figures(json, v);
  json["residual_model"] = {{"used", v.corrected}};
  add_parts(json, "by_schedule", v.by_schedule);
  add_parts(json, "by_limiter", v.by_limiter);
  add_parts(json, "by_size", v.by_size);
  if (!v.worst.empty()) {
    json["worst"] = to_json(v.worst);
    json["worst_picks"] = to_json(v.worst_picks);
  }
  return json;
}

}  // namespace tilecast
