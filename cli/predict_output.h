// Rankings as text for a terminal (predict_table.cpp), JSON or CSV. The fields of the JSON are
// fixed; fields may be added.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/output_parts.h"
#include "model/gemm/problem/routing.h"
#include "model/predict/predict.h"
#include "model/rank/prediction.h"
#include "model/spec/load_gpu.h"
#include "validate/record/measurement.h"

namespace tilecast {

/// Measurements by canonical configuration.
using MeasuredByConfig = std::map<std::string, Measurement>;

/// A line of a list of configurations that has no rank, and why.
struct UnrankedLine {
  std::size_t line;
  std::string why;
};

struct RankingReport {
  const LoadedGpu& gpu;
  const Ranking& ranking;
  std::size_t top;  // number of rows shown
  Seconds elapsed;  // time spent predicting
  const MeasuredByConfig& measured;
  bool is_wide = false;                  // text: shows every column, and canonical configurations
  bool explains_rejected = false;        // JSON: gives an example of each rejection
  std::optional<Routing> routing = {};   // its median random routing is the ranking's problem
  std::optional<std::size_t> rows = {};  // rows of the text; as many as fit kLines if not set
  // Text: shows rows of the ranking instead of the best of each tile.
  bool every_candidate = false;
  std::vector<std::size_t> lines = {};  // of the listed configurations (Ranking::listed)
  std::vector<UnrankedLine> unread = {};
};

/// Returns the lines that stand for this configuration.
std::vector<std::size_t> lines_of(const RankingReport& report, const AnyConfig& config);
/// Returns the lines that no legal kernel matches.
std::vector<UnrankedLine> unranked_lines(const RankingReport& report);

/// Rows of the text output after the fastest: other tiles, and the nearest CUTLASS kernel if its
/// library supports the problem.
Shortlist shown_shortlist(const AnyProblem& problem, std::size_t rows = 0);

/// Number of different tiles that the text output ranks; those that it adds have no rank.
inline constexpr std::size_t kShortTiles = 12;
inline constexpr std::size_t kMostShortRows = 8;  // of the text output, if not asked for

std::size_t rows_of(const RankingReport& report);

/// Spread of the times over random routings, which `p` must have.
struct Spread {
  Seconds least, most, deviation;  // deviation: the standard deviation
};
Spread spread_of(const Prediction& p);
/// Returns the measurement of a configuration, or null if the files have no valid one.
const Measurement* measured(const RankingReport& report, const Prediction& prediction);

/// By how much the first kernel is ahead of the next one, relative to the first one's time, and the
/// fraction of measured pairs with such a difference that are in the predicted order, if known.
struct Lead {
  double apart;
  std::optional<double> in_order;
};
/// Whether pairs like the report's were counted: 16-bit kernels of one GEMM, like the training
/// data.
bool counts_order(const RankingReport& report);
/// Returns std::nullopt if no kernel with another time follows the first.
std::optional<Lead> lead_of(const RankingReport& report);

/// Returns "h200_sxm: 0 results clamped", followed by each clamped row.
std::string clamped_text(const RankingReport& report);

/// Formats the verdict, a row for each schedule and tile, and their interpretation: at most
/// kColumns and kLines, unless --wide or --rows is given.
constexpr std::size_t kLines = 24;
std::string ranking_table(const RankingReport& report);
/// Counts the rejected candidates by rule, with an example of each; names each listed configuration
/// that stands for no kernel.
std::string rejected_text(const RankingReport& report);
/// Describes how the ranking was found: candidates, rejected ones with an example of each rule,
/// simulations.
std::string search_text(const RankingReport& report);
nlohmann::ordered_json ranking_object(const RankingReport& report);
std::string ranking_json(const RankingReport& report);
inline constexpr std::string_view kRankingColumns =
    "rank,config,cycles,sm_clock_mhz,time_us,interval_low_us=/interval_us/0,"
    "interval_high_us=/interval_us/1,tflops,power_w,energy_mj,limiter,l2_to_sm_bytes,"
    "dram_read_bytes,dram_write_bytes,measured_time_us,method,extrapolated";
inline constexpr std::string_view kListedColumns =
    ",config_line,config_lines";  // of listed configurations
/// Formats a row of a list for each of the ranking's rows, and the titles of its columns; with
/// listed configurations their lines are a column.
std::string list_titles(bool listing);
std::string list_rows(const RankingReport& report);

/// A GPU without a prediction, and the reason.
struct GpuRefusal {
  std::string gpu, why;
};
/// Returns "b200: reason".
std::string to_text(const GpuRefusal& refusal);

/// One query for several GPUs, at least one of which has a prediction: one table, a list, and rows
/// with columns `gpu` first and `error` last. Refusals follow the predictions.
std::string rankings_table(const std::vector<RankingReport>& reports,
                           const std::vector<GpuRefusal>& refusals);
std::string rankings_json(const std::vector<RankingReport>& reports,
                          const std::vector<GpuRefusal>& refusals);
std::string rankings_csv(const std::vector<RankingReport>& reports,
                         const std::vector<GpuRefusal>& refusals);

}  // namespace tilecast
