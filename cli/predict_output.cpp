#include "cli/predict_output.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/cutlass_output.h"
#include "cli/output_parts.h"
#include "model/base/text.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/gemm/menu/legality.h"
#include "model/predict/rejected.h"
#include "model/rank/objective.h"
#include "model/rank/order_confidence.h"
#include "model/stream/stream_closed_form.h"
#include "validate/record/csv_text.h"
#include "validate/record/measurement.h"

namespace tilecast {
namespace {

constexpr int kFigureDigits = 6;

nlohmann::ordered_json prediction_json(const RankingReport& report,
                                       const std::vector<Prediction>& list, std::size_t place) {
  const Prediction& p = list[place];
  nlohmann::ordered_json row = {{"rank", place + 1}};
  row.update(kernel_json(p));
  if (const std::vector<std::size_t> lines = lines_of(report, p.config); !lines.empty()) {
    row["config_line"] = lines.front();
    row["config_lines"] = lines;
  }
  row["closed_form_time_us"] = rounded(microseconds(p.closed_form_time), kFigureDigits);
  row["cycles_correction"] = rounded(p.cycles_correction, kFigureDigits);
  row["clock_correction"] = rounded(p.clock_correction, kFigureDigits);
  row["clock_limiter"] = to_text(p.clock_limiter);
  row["shares"] = shares_json(p.shares, 3);
  row["l2_to_sm_bytes"] = rounded(p.l2_to_sm.value, kFigureDigits);
  row["l2_hit_rate"] = rounded(p.l2_hit_rate, 4);
  row["dram_read_bytes"] = rounded(p.dram_read.value, kFigureDigits);
  row["dram_write_bytes"] = rounded(p.dram_write.value, kFigureDigits);
  if (!p.of_draws.empty()) {
    row["time_deviation_us"] = rounded(microseconds(spread_of(p).deviation), kFigureDigits);
    for (const double of_draw : p.of_draws) {
      row["times_of_draws_us"].push_back(rounded(microseconds(p.time * of_draw), kFigureDigits));
    }
  }
  if (p.method == Method::kSimulated) {
    row["simulated_part"] = rounded(p.simulated_part, 3);
  }
  if (const AnyProblem& problem = report.ranking.problem; is_rated_in_bytes(problem)) {
    row["tb_per_s"] = rounded(least_bytes(problem) / p.time.value * 1e-12, kFigureDigits);
  }
  if (const StreamProblem* stream = std::get_if<StreamProblem>(&report.ranking.problem)) {
    const RateShares shares = rate_shares(report.gpu.spec, *stream, p.time);
    row["of_datasheet"] = rounded(shares.of_datasheet, 4);
    row["of_measured_rates"] = rounded(shares.of_measured, 4);
  }
  if (const Measurement* m = measured(report, p)) {
    row["measured_time_us"] = rounded(microseconds(m->time->median), kFigureDigits);
    if (m->cycles) {
      row["measured_cycles"] = rounded(m->cycles->value, kFigureDigits);
    }
    if (m->sm_clock) {
      row["measured_sm_clock_mhz"] = rounded(m->sm_clock->value * 1e-6, kFigureDigits);
    }
  }
  return row;
}

}  // namespace

std::vector<std::size_t> lines_of(const RankingReport& report, const AnyConfig& config) {
  std::vector<std::size_t> lines;
  for (std::size_t i = 0; i < report.ranking.listed.size(); ++i) {
    if (report.ranking.listed[i].config == std::optional(config)) {
      lines.push_back(report.lines[i]);
    }
  }
  return lines;
}

std::vector<UnrankedLine> unranked_lines(const RankingReport& report) {
  const Ranking& r = report.ranking;
  std::vector<UnrankedLine> unranked;
  for (std::size_t i = 0; i < r.listed.size(); ++i) {
    const auto& [config, why_none] = r.listed[i];
    if (!config) {
      unranked.push_back({report.lines[i], why_none});
    } else if (std::ranges::find(r.predictions, *config, &Prediction::config) ==
               r.predictions.end()) {
      unranked.push_back(
          {report.lines[i], why_not_legal(report.gpu.spec, std::get<GemmProblem>(r.problem),
                                          std::get<KernelConfig>(*config))});
    }
  }
  return unranked;
}

namespace {

/// Returns the rank of each listed configuration, or why it has none, by line.
nlohmann::ordered_json listed_json(const RankingReport& report) {
  const Ranking& r = report.ranking;
  std::map<std::size_t, nlohmann::ordered_json> by_line;
  for (std::size_t i = 0; i < r.listed.size(); ++i) {
    nlohmann::ordered_json& row = by_line[report.lines[i]] = {{"line", report.lines[i]}};
    if (const std::optional<AnyConfig>& config = r.listed[i].config) {
      row["config"] = to_text(*config);
      const auto found = std::ranges::find(r.predictions, *config, &Prediction::config);
      row["rank"] = found - r.predictions.begin() + 1;
    }
  }
  std::vector<UnrankedLine> without = unranked_lines(report);
  without.insert(without.end(), report.unread.begin(), report.unread.end());
  for (const auto& [line, why] : without) {
    by_line[line]["line"] = line;
    by_line[line].erase("rank");
    by_line[line]["error"] = why;
  }
  auto rows = nlohmann::ordered_json::array();
  for (const auto& [line, row] : by_line) {
    rows.push_back(row);
  }
  return rows;
}

}  // namespace

nlohmann::ordered_json ranking_object(const RankingReport& report) {
  const Ranking& r = report.ranking;
  nlohmann::ordered_json json = {{"schema", kAnswerSchema},
                                 {"gpu", report.gpu.spec.name},
                                 {"calibrated", report.gpu.calibrated},
                                 {"problem", problem_json(r.problem)},
                                 {"regime", to_text(r.regime)},
                                 {"inputs", to_text(r.inputs)},
                                 {"candidates", r.candidates},
                                 {"rejected", r.rejected},
                                 {"simulated", r.simulated},
                                 {"closed_form_scale", rounded(r.closed_form_scale, 6)},
                                 {"elapsed_ms", rounded(report.elapsed.value * 1e3, 4)},
                                 {"within_1_percent", r.within_1_percent},
                                 {"ranking", nlohmann::ordered_json::array()}};
  if (!r.listed.empty() || !report.unread.empty()) {
    json["listed"] = listed_json(report);
  }
  if (r.copies) {
    json["copies"] = copies_json(*r.copies);
  }
  for (std::size_t i = 0; i < rows_of(report); ++i) {
    json["ranking"].push_back(prediction_json(report, r.predictions, i));
  }
  if (const std::optional<Routing>& routing = report.routing) {
    json["routing"] = {{"experts", routing->experts}, {"tokens", routing->tokens},
                       {"top_k", routing->top_k},     {"zipf", routing->zipf},
                       {"seed", routing->seed},       {"draws", r.predictions[0].of_draws.size()}};
  }
  if (r.next_simulated) {
    json["next_simulated"] = {{"config", to_text(r.next_simulated->config)},
                              {"time_us", rounded(microseconds(r.next_simulated->time), 6)}};
  }
  for (std::size_t i = 0; i < r.by_tile.size(); ++i) {
    json["by_tile"].push_back(prediction_json(report, r.by_tile, i));
  }
  if (r.counterpart) {
    const KernelConfig& config = std::get<KernelConfig>(r.counterpart->config);
    json["cutlass"] = {{"kernel", cutlass_name(std::get<GemmProblem>(r.problem), config)},
                       {"config", to_text(config)},
                       {"method", to_text(r.counterpart->method)},
                       {"time_us", rounded(microseconds(r.counterpart->time), 6)}};
  }
  if (const std::optional<Lead> lead = lead_of(report)) {
    json["lead"] = rounded(lead->apart, 3);
    if (lead->in_order) {
      json["order_confidence"] = *lead->in_order;
    }
  }
  if (report.explains_rejected) {
    for (const auto& [reason, config] : r.rejected_example) {
      json["rejected_examples"][reason] = {
          {"config", to_text(config)},
          {"why", why_rejected(report.gpu.spec, r.problem, reason, config)}};
    }
  }
  return json;
}

std::string clamped_text(const RankingReport& report) {
  std::size_t count = 0;
  std::string rows;
  for (std::size_t i = 0; i < rows_of(report); ++i) {
    const std::vector<std::string_view>& clamped = report.ranking.predictions[i].clamped;
    count += clamped.size();
    if (!clamped.empty()) {
      rows += fmt::format("{} #{}: {}", rows.empty() ? "" : ";", i + 1, fmt::join(clamped, ", "));
    }
  }
  return fmt::format("{}: {} results clamped{}{}\n", report.gpu.spec.name, count,
                     rows.empty() ? "" : ":", rows);
}

std::size_t rows_of(const RankingReport& report) {
  return std::min(report.top, report.ranking.predictions.size());
}

Spread spread_of(const Prediction& p) {
  const auto [least, most] = std::ranges::minmax(p.of_draws);
  double squares = 0;
  for (const double of_draw : p.of_draws) {
    squares += (of_draw - 1) * (of_draw - 1);
  }
  const auto others = static_cast<double>(std::max<std::size_t>(p.of_draws.size() - 1, 1));
  return {p.time * least, p.time * most, p.time * std::sqrt(squares / others)};
}

const Measurement* measured(const RankingReport& report, const Prediction& prediction) {
  const auto found = report.measured.find(to_text(prediction.config));
  return found == report.measured.end() ? nullptr : &found->second;
}

Shortlist shown_shortlist(const AnyProblem& problem, std::size_t rows) {
  Shortlist shown{.tiles = std::max(rows, kShortTiles), .rows = rows > 0 ? rows : kMostShortRows};
  const GemmProblem* gemm = std::get_if<GemmProblem>(&problem);
  if (gemm != nullptr && why_not_listed(*gemm).empty()) {
    shown.has_counterpart = [p = *gemm](const AnyConfig& c) {
      return why_not_cutlass(p, std::get<KernelConfig>(c)).empty();
    };
  }
  return shown;
}

bool counts_order(const RankingReport& report) {
  const Ranking& r = report.ranking;
  const auto* gemm = std::get_if<GemmProblem>(&r.problem);
  return gemm != nullptr && gemm->batch.products == 1 && gemm->groups == nullptr &&
         !is_fp8(gemm->dtype) && report.gpu.calibrated && r.inputs == Inputs::kNormal &&
         !r.predictions.front().extrapolated && r.simulated > 0;
}

std::optional<Lead> lead_of(const RankingReport& report) {
  const Ranking& r = report.ranking;
  const Seconds best = r.predictions.front().time;
  Seconds next{std::numeric_limits<double>::infinity()};
  const auto add = [&](const Prediction& p) {
    next = p.time > best ? std::min(next, p.time) : next;
  };
  if (r.next_simulated) {
    add(*r.next_simulated);
  }
  std::ranges::for_each(r.by_tile, add);
  if (!std::isfinite(next.value)) {
    return {};
  }
  Lead lead{.apart = next / best - 1, .in_order = {}};
  if (counts_order(report)) {
    lead.in_order = share_in_order(lead.apart, r.regime);
  }
  return lead;
}

std::string ranking_json(const RankingReport& report) {
  return json_text(ranking_object(report), 2);
}

std::string to_text(const GpuRefusal& refusal) {
  return fmt::format("{}: {}", refusal.gpu, refusal.why);
}

std::string rankings_json(const std::vector<RankingReport>& reports,
                          const std::vector<GpuRefusal>& refusals) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const RankingReport& report : reports) {
    list.push_back(ranking_object(report));
  }
  for (const GpuRefusal& refusal : refusals) {
    list.push_back({{"schema", kAnswerSchema}, {"gpu", refusal.gpu}, {"error", refusal.why}});
  }
  return json_text(list.size() == 1 ? list.front() : list, 2);
}

std::string rankings_csv(const std::vector<RankingReport>& reports,
                         const std::vector<GpuRefusal>& refusals) {
  const bool many = reports.size() + refusals.size() > 1;
  const auto line = [&](const std::string& gpu, const std::string& cells, const std::string& why) {
    return many ? fmt::format("{},{},{}\n", gpu, cells, why) : cells + "\n";
  };
  const std::string columns =
      std::string(kRankingColumns)
          .append(!reports.empty() && !reports.front().lines.empty() ? kListedColumns : "");
  std::string text = line("gpu", csv_titles(columns), "error");
  for (const RankingReport& report : reports) {
    for (std::size_t i = 0; i < rows_of(report); ++i) {
      text += line(csv_field(report.gpu.spec.name),
                   csv_cells(prediction_json(report, report.ranking.predictions, i), columns), "");
    }
  }
  for (const GpuRefusal& refusal : refusals) {
    text += line(csv_field(refusal.gpu), csv_cells(nlohmann::ordered_json::object(), columns),
                 csv_field(refusal.why));
  }
  return text;
}

}  // namespace tilecast
