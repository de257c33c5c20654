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

/// Measurements by canonical configuration text.
using MeasuredByConfig = std::map<std::string, Measurement>;

struct RankingReport {
  const LoadedGpu& gpu;
  const Ranking& ranking;
  std::size_t top;  // rows shown
  Seconds elapsed;  // spent predicting
  const MeasuredByConfig& measured;
  bool is_wide = false;                  // the text: every column, and canonical configurations
  bool explains_rejected = false;        // the JSON: by an example each
  std::optional<Routing> routing = {};   // that the ranking's problem is the first draw of
  std::optional<std::size_t> rows = {};  // of the text; none: those that fit kLines
  bool every_candidate = false;          // the text's rows: of the ranking, not of each tile
};

/// The rows of an answer in text besides the fastest: tiles, and CUTLASS's nearest kernel if its
/// library has such a problem.
Shortlist shown_shortlist(const AnyProblem& problem, std::size_t rows = 0);

std::size_t rows_of(const RankingReport& report);

/// Spread of the times over draws, which `p` has.
struct Spread {
  Seconds least, most, deviation;  // the standard deviation
};
Spread spread_of(const Prediction& p);
/// The measurement of a configuration, if the files had a good one.
const Measurement* measured(const RankingReport& report, const Prediction& prediction);

/// How far the first is ahead of the next simulated kernel, over the first one's time, and the
/// share of measured pairs so far apart that are in the predicted order; none where that is not
/// known.
struct Lead {
  double apart;
  std::optional<double> in_order;
};
/// Whether pairs like the report's were counted: 16-bit kernels of one GEMM, like the training
/// data.
bool counts_order(const RankingReport& report);
/// Nothing if no simulated kernel follows the first.
std::optional<Lead> lead_of(const RankingReport& report);

/// "h200_sxm: 0 results clamped"; with those of each row that were.
std::string clamped_text(const RankingReport& report);

/// The verdict, a row for each schedule and tile, and their interpretation: at most kColumns and
/// kLines, unless --wide or --rows is given.
constexpr std::size_t kLines = 24;
std::string ranking_table(const RankingReport& report);
/// How the ranking was found: candidates, rejected ones with an example of each rule, simulations.
std::string search_text(const RankingReport& report);
nlohmann::ordered_json ranking_object(const RankingReport& report);
std::string ranking_json(const RankingReport& report);
inline constexpr std::string_view kRankingColumns =
    "rank,config,cycles,sm_clock_mhz,time_us,interval_low_us=/interval_us/0,"
    "interval_high_us=/interval_us/1,tflops,power_w,limiter,l2_to_sm_bytes,dram_read_bytes,"
    "dram_write_bytes,measured_time_us,method,extrapolated";
/// A row of the table of a list for each of the ranking's rows, and the titles of its columns.
std::string list_titles();
std::string list_rows(const RankingReport& report);

/// A GPU that does not answer, and why.
struct GpuRefusal {
  std::string gpu, why;
};
/// "b200: why".
std::string to_text(const GpuRefusal& refusal);

/// One question for several GPUs, at least one of which answers: one table, a list, and rows with
/// columns `gpu` first and `error` last. Refusals follow the answers.
std::string rankings_table(const std::vector<RankingReport>& reports,
                           const std::vector<GpuRefusal>& refusals);
std::string rankings_json(const std::vector<RankingReport>& reports,
                          const std::vector<GpuRefusal>& refusals);
std::string rankings_csv(const std::vector<RankingReport>& reports,
                         const std::vector<GpuRefusal>& refusals);

}  // namespace tilecast
