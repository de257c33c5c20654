// Rankings as text for a terminal: verdict, rows, and their interpretation.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "cli/cutlass_output.h"
#include "cli/output_parts.h"
#include "cli/predict_output.h"
#include "model/base/shown_text.h"
#include "model/base/text.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/gemm/predict/gemm_form.h"
#include "model/gemm/problem/group_rows.h"
#include "model/gemm/problem/operand_copies.h"
#include "model/ops/short_config_text.h"
#include "model/ops/short_legend.h"
#include "model/predict/rejected.h"
#include "model/predict/why_extrapolated.h"
#include "model/rank/objective.h"
#include "model/rank/order_confidence.h"
#include "model/rank/shortlist.h"
#include "model/stream/stream_closed_form.h"

namespace tilecast {
namespace {

constexpr std::size_t kFewestRows = 4;
constexpr double kClose = 1.01;  // bound if no such fraction is known
constexpr std::size_t kSomeRows = 10;
constexpr char kUsualMark[] = "*";

const StreamProblem* stream_of(const RankingReport& report) {
  return std::get_if<StreamProblem>(&report.ranking.problem);
}

/// Returns the unit of the op's speed.
std::string rate_name(const RankingReport& report) {
  return is_rated_in_bytes(report.ranking.problem) ? "TB/s" : "TFLOP/s";
}
std::string rate_text(const RankingReport& report, const Prediction& p) {
  const AnyProblem& problem = report.ranking.problem;
  const double rate =
      is_rated_in_bytes(problem) ? least_bytes(problem) / p.time.value * 1e-12 : p.tflops;
  return fmt::format("{:.{}f}", rate, rate < 10 ? 3 : rate < 100 ? 1 : 0);
}

/// Returns the ranking, or the best of each schedule and tile.
const std::vector<Prediction>& listed(const RankingReport& report) {
  return report.every_candidate || report.ranking.by_tile.empty() ? report.ranking.predictions
                                                                  : report.ranking.by_tile;
}

struct ShownRow {
  std::size_t place;  // index in the whole list
  Prediction prediction;
};

bool is_usual(const RankingReport& report, const Prediction& p) {
  return is_usual_tile(p.config, dtype_of(report.ranking.problem));
}

/// Returns the first `most` of these; unless the user gave the number, the last rows are the best
/// of the kernels that engineers compare.
std::vector<ShownRow> rows_shown(const RankingReport& report, std::size_t most) {
  const std::vector<Prediction>& rows = listed(report);
  std::vector<ShownRow> shown;
  for (const std::size_t place :
       table_rows(rows, most,
                  report.every_candidate || report.rows
                      ? ComparedKernels{}
                      : compared_kernels(dtype_of(report.ranking.problem)))) {
    shown.push_back({place, rows[place]});
  }
  return shown;
}

bool is_estimate(const RankingReport& report, const Prediction& p) {
  return report.ranking.simulated > 0 && p.method == Method::kAnalytic;
}

constexpr std::size_t kLineColumns = 6;

/// Returns "3,7", or "3+6" for the first of many lines and the number of the others.
std::string lines_text(const std::vector<std::size_t>& lines) {
  const std::string all = fmt::format("{}", fmt::join(lines, ","));
  return all.size() <= kLineColumns ? all : fmt::format("{}+{}", lines.front(), lines.size() - 1);
}

/// Formats rows. All reports have the problem of the first.
std::string rows_text(const std::vector<RankingReport>& reports, std::size_t rows) {
  const RankingReport& first = reports.front();
  const bool all = first.every_candidate, wide = first.is_wide;
  using Cell = std::function<std::string(const RankingReport&, const Prediction&, std::size_t)>;
  struct Column {
    std::string title;
    bool shown;
    Cell cell;
  };
  const bool gemm = std::holds_alternative<GemmProblem>(first.ranking.problem);
  const bool energy = first.ranking.objective == Objective::kEnergy;
  const bool any_measured =
      std::ranges::any_of(reports, [](const RankingReport& r) { return !r.measured.empty(); });
  const std::vector<Column> columns{
      {"<gpu", reports.size() > 1, [](auto& r, auto&, auto) { return r.gpu.spec.name; }},
      {"#", true,
       [](auto& r, auto&, std::size_t i) {
         return r.every_candidate || r.rows || i < kShortTiles ? std::to_string(i + 1) : "-";
       }},
      {"line", !first.lines.empty(),
       [](auto& r, auto& p, auto) { return lines_text(lines_of(r, p.config)); }},
      {"time us", true,
       [](auto& r, auto& p, auto) { return micro_text(p.time) + (is_estimate(r, p) ? "~" : " "); }},
      {"measured", any_measured,
       [](auto& r, auto& p, auto) {
         const Measurement* m = measured(r, p);
         return m != nullptr ? micro_text(m->time->median) : "-";
       }},
      {"vs #1", true,
       [](auto& r, auto& p, std::size_t i) {
         return i == 0 ? "-" : more_percent(p.time / listed(r).front().time);
       }},
      {"mJ", energy || wide,
       [](auto&, auto& p, auto) { return four_digits(energy_of(p).value * 1e3); }},
      {rate_name(first), true, [](auto& r, auto& p, auto) { return rate_text(r, p); }},
      {"GHz", wide,
       [](auto&, auto& p, auto) { return fmt::format("{:.3f}", p.sm_clock.value * 1e-9); }},
      {"kcycles", wide,
       [](auto&, auto& p, auto) { return fmt::format("{:.1f}", p.cycles.value * 1e-3); }},
      {"W", wide, [](auto&, auto& p, auto) { return fmt::format("{:.0f}", p.power.value); }},
      {"<bound by", true, [](auto&, auto& p, auto) { return shown_limiter(to_text(p.limiter)); }},
      {"<schedule", !all && !wide, [](auto&, auto& p, auto) { return field_name(p.config); }},
      {stream_of(first) == nullptr ? "<tile" : "<block", !all && !wide,
       [](auto& r, auto& p, auto) {
         return tile_text(p.config) + (is_usual(r, p) ? kUsualMark : "");
       }},
      {"<cluster", gemm && !all && !wide,
       [](auto&, auto& p, auto) { return cluster_text(p.config); }},
      {"<configuration", all || wide,
       [&](auto&, auto& p, auto) { return wide ? to_text(p.config) : short_text(p.config); }}};
  std::vector<std::string> titles;
  for (const Column& column : columns) {
    if (column.shown) {
      titles.push_back(column.title);
    }
  }
  Table table(titles, wide ? 1 : 2);
  for (const RankingReport& report : reports) {
    for (const ShownRow& row : rows_shown(report, rows)) {
      std::vector<std::string> cells;
      for (const Column& column : columns) {
        if (column.shown) {
          cells.push_back(column.cell(report, row.prediction, row.place));
        }
      }
      table.row(std::move(cells));
    }
  }
  if (!wide) {
    table.fit({"cluster", "bound by", rate_name(first)});
  }
  return table.text();
}

/// Returns "173.6 to 180.2 us (+-1.9 %)", and the reason if the interval is not a learned one.
std::string interval_text(const RankingReport& report) {
  const Ranking& r = report.ranking;
  const Prediction& best = r.predictions.front();
  const GpuSpec& gpu = report.gpu.spec;
  const bool attention = std::holds_alternative<AttentionProblem>(r.problem);
  const bool fitted = stream_of(report) != nullptr
                          ? gpu.stream->interval != gpu.default_interval
                          : (attention ? gpu.attention_learned : gpu.learned) != nullptr;
  std::string text =
      fmt::format("90 % interval {} to {} us", four_digits(microseconds(best.interval_low)),
                  four_digits(microseconds(best.interval_high)));
  if (!fitted) {
    text += " (default error: docs/accuracy.md)";
  } else if (stream_of(report) == nullptr && r.inputs != Inputs::kNormal) {
    text += fmt::format(" (default error: {} inputs were not measured)",
                        r.inputs == Inputs::kZeros ? "all-zero" : to_text(r.inputs));
  }
  return text;
}

/// Returns the first row's configuration, time and bottleneck.
std::vector<std::string> verdict(const RankingReport& report) {
  const Ranking& r = report.ranking;
  const Prediction& best = r.predictions.front();
  const GpuSpec& gpu = report.gpu.spec;
  std::vector<std::string> lines{
      fmt::format("{} us, {} {}; {}", four_digits(microseconds(best.time)), rate_text(report, best),
                  rate_name(report), interval_text(report)),
      kernel_text(best.config),
      fmt::format("bound by {}; {}", bound_text(gpu, best),
                  clock_text(best, report.gpu.calibrated))};
  if (best.extrapolated) {
    lines.push_back("extrapolated: " + why_extrapolated(gpu, r.problem));
  }
  if (const StreamProblem* stream = stream_of(report)) {
    const RateShares shares = rate_shares(gpu, *stream, best.time);
    lines.push_back(fmt::format(
        "{:.1f} % of the datasheet's bandwidth, {:.1f} % of what reads and writes alone {}",
        100 * shares.of_datasheet, 100 * shares.of_measured,
        gpu.stream->interval != gpu.default_interval ? "were measured at"
                                                     : "are assumed to reach"));
  } else {
    lines.push_back(floor_text(gpu, r.problem, best));
  }
  lines.push_back(memory_text(gpu, r.problem));
  return lines;
}

/// Returns which rows are too close to call, or how certain the first one's lead is.
std::string order_text(const RankingReport& report) {
  const std::vector<Prediction>& rows = listed(report);
  if (rows.size() < 2) {
    return "";
  }
  const bool known = counts_order(report);
  const Regime regime = report.ranking.regime;
  const auto apart = [&](const Prediction& p) { return p.time / rows[0].time - 1; };
  const auto far = std::find_if(rows.begin() + 1, rows.end(), [&](const Prediction& p) {
    return known ? !too_close(apart(p), regime) : p.time > rows[0].time * kClose;
  });
  const auto close = static_cast<std::size_t>(far - rows.begin());
  if (close > 1) {
    const std::string which =
        close == 2 ? std::string("#1 and #2") : fmt::format("#1 to #{}", close);
    return fmt::format("{} are too close to call{}. Benchmark {}.", which,
                       known
                           ? fmt::format(": the predicted order is right in {:.0f} % of such pairs",
                                         100 * share_in_order(apart(rows[1]), regime))
                           : ", within 1 %",
                       close == 2 ? "both" : "them");
  }
  return fmt::format("#1 leads #2{} by {:.1f} %{}.",
                     is_estimate(report, rows[1]) ? " (estimated)" : "", 100 * apart(rows[1]),
                     known ? fmt::format(": the predicted order is right in {:.0f} % of such pairs",
                                         100 * share_in_order(apart(rows[1]), regime))
                           : "");
}

/// Compares the first row with the fastest, if it was preferred for its energy.
std::string energy_text(const RankingReport& report) {
  const std::vector<Prediction>& rows = listed(report);
  const auto fastest = std::ranges::min_element(rows, {}, &Prediction::time);
  const double longer = rows[0].time / fastest->time,
               energy = energy_of(rows[0]) / energy_of(*fastest);
  return fastest == rows.begin()
             ? ""
             : fmt::format("#1 takes {:.1f} % longer than #{} and {:.1f} % less energy.",
                           100 * (longer - 1), fastest - rows.begin() + 1, 100 * (1 - energy));
}

/// Returns the nearest kernel that CUTLASS has, or why none is named.
std::string cutlass_text(const RankingReport& report) {
  const Ranking& r = report.ranking;
  if (!r.counterpart) {
    const auto* const gemm = std::get_if<GemmProblem>(&r.problem);
    return report.gpu.spec.architecture == Architecture::kHopper && gemm != nullptr &&
                   gemm->groups == nullptr && is_fp8(gemm->dtype)
               ? "No kernel of CUTLASS is named for fp8, only for fp16 and bf16."
               : "";
  }
  const KernelConfig& config = std::get<KernelConfig>(r.counterpart->config);
  const double ratio = r.counterpart->time / r.predictions.front().time;
  return config == std::get<KernelConfig>(r.predictions.front().config)
             ? fmt::format("CUTLASS has #1 (M and N swapped): {}", builder_text(config))
             : fmt::format("Nearest in CUTLASS (M and N swapped), {} us{}, {}: {}",
                           four_digits(microseconds(r.counterpart->time)),
                           is_estimate(report, *r.counterpart) ? "~" : "", more_percent(ratio),
                           builder_text(config));
}

/// Returns the spread over random routings; empty if there are none.
std::string spread_text(const RankingReport& report) {
  const Prediction& best = report.ranking.predictions.front();
  if (best.of_draws.empty()) {
    return "";
  }
  const auto& groups = *std::get<GemmProblem>(report.ranking.problem).groups;
  const Spread spread = spread_of(best);
  return fmt::format(
      "Times are means over {} random routings (seed {}): #1 takes {} to {} us, standard deviation "
      "{:.1f} %; the median routing's largest group has {} rows, {:.1f} times the mean.",
      best.of_draws.size(), report.routing->seed, micro_text(spread.least), micro_text(spread.most),
      100 * (spread.deviation / best.time), with_commas(groups.largest()),
      static_cast<double>(groups.largest() * report.routing->experts) /
          static_cast<double>(groups.total()));
}

std::string copies_text(const Ranking& r) {
  return r.copies ? fmt::format(
                        "{} first copied into rows padded to 16 bytes: {} us of each time. Rows of "
                        "a multiple of {} elements (--lda, --ldb) need no copy.",
                        copied_words(r.copies->operands), micro_text(r.copies->time),
                        kWholeRowBytes / element_bytes(dtype_of(r.problem)))
                  : "";
}

/// Returns a note if a single kernel is longer than any measured burst; else empty.
std::string outlasting_text(const Ranking& r) {
  // Seconds; a generous bound of a burst's few milliseconds.
  constexpr double kLongestBurst = 10e-3;
  return r.regime == Regime::kBurst && r.predictions.front().time.value > kLongestBurst
             ? "#1 takes longer than a burst (a few milliseconds): --regime sustained is more "
               "accurate."
             : "";
}

/// Returns which rows are unlike every kernel of the calibration, if the first one is not.
std::string extrapolated_text(const RankingReport& report, std::size_t rows) {
  const std::vector<ShownRow> shown = rows_shown(report, rows);
  std::vector<std::string> names;
  for (const auto& [place, prediction] : shown) {
    if (prediction.extrapolated && !shown.front().prediction.extrapolated) {
      names.push_back(
          fmt::format("{} {}", field_name(prediction.config), tile_text(prediction.config)));
    }
  }
  return names.empty() ? ""
                       : "Extrapolated, no such kernel was measured: " + join(names, ", ") + ".";
}

/// Explains the abbreviations in the rows' configurations.
std::string legend_text(const RankingReport& report, std::size_t rows) {
  std::vector<AnyConfig> configs;
  for (const ShownRow& row : rows_shown(report, rows)) {
    configs.push_back(row.prediction.config);
  }
  return "Configurations: " + short_legend(configs) +
         " (`tilecast predict --wide` prints them in full).";
}

std::string paragraph(const RankingReport& report, const std::string& first,
                      const std::string& line) {
  return line.empty() ? "" : report.is_wide ? first + line + "\n" : wrapped(first, line);
}

}  // namespace

std::string ranking_table(const RankingReport& report) {
  const Ranking& r = report.ranking;
  std::string head =
      paragraph(report, "", problem_title(r.problem, report.routing)) +
      paragraph(report, "",
                conditions_title(report.gpu.spec, report.gpu.calibrated, r.regime, r.inputs)) +
      "\n";
  const char* first = "Best: ";
  for (const std::string& line : verdict(report)) {
    head += paragraph(report, first, line);
    first = "      ";
  }
  head += "\n";
  const bool estimates = std::ranges::any_of(
      rows_shown(report, report.rows.value_or(report.every_candidate ? kSomeRows : kMostShortRows)),
      [&](const ShownRow& row) { return is_estimate(report, row.prediction); });
  std::string notes = "\n";
  for (const std::string& line : {order_text(report), energy_text(report), cutlass_text(report),
                                  copies_text(r), spread_text(report), outlasting_text(r)}) {
    notes += paragraph(report, "", line);
  }
  const bool usual =
      !report.every_candidate && !report.is_wide &&
      std::ranges::any_of(listed(report), [&](const Prediction& p) { return is_usual(report, p); });
  notes +=
      paragraph(report, "",
                fmt::format("{}{}See also: --all, --verbose, explain{}.",
                            estimates ? "~ not simulated. " : "", usual ? "* common tile. " : "",
                            is_emitted(r.problem) ? ", emit" : ""));
  const std::size_t others = lines_in(head) + lines_in(notes) + 1;
  const std::size_t fitting =
      std::clamp(kLines - std::min(kLines, others), kFewestRows, kMostShortRows);
  const std::size_t rows = report.rows.value_or(report.every_candidate ? kSomeRows : fitting);
  if (report.every_candidate && !report.is_wide) {
    notes += paragraph(report, "", legend_text(report, rows));
  }
  if (const std::string more = paragraph(report, "", extrapolated_text(report, rows));
      report.rows || report.every_candidate || others + rows + lines_in(more) <= kLines) {
    notes = notes.substr(0, 1) + more + notes.substr(1);
  }
  return head + rows_text({report}, rows) + notes;
}

constexpr char kListLine[] = "{:>6} ", kListRow[] = "{:>9} {:>7}  ", kListProblem[] = "{:<26} {}";

std::string list_titles(bool listing) {
  return (listing ? fmt::format(kListLine, "line") : "") +
         fmt::format(kListRow, "time us", "TFLOP/s") +
         fmt::format(kListProblem, "problem", "kernel\n");
}

std::string list_rows(const RankingReport& report) {
  std::string text;
  for (std::size_t i = 0; i < rows_of(report); ++i) {
    const Prediction& p = report.ranking.predictions[i];
    const std::string cluster = cluster_text(p.config);
    text += wrapped(
        (report.lines.empty() ? ""
                              : fmt::format(kListLine, lines_text(lines_of(report, p.config)))) +
            fmt::format(kListRow, micro_text(p.time), rate_text(report, p)),
        fmt::format(kListProblem, without_groups(to_text(report.ranking.problem)),
                    fmt::format("{} {}{}", field_name(p.config), tile_text(p.config),
                                cluster.empty() || cluster == "1x1" ? "" : " c" + cluster)));
  }
  for (const auto& [line, why] : unranked_lines(report)) {
    text +=
        wrapped(fmt::format(kListLine, line) + fmt::format(kListRow, "-", "-"),
                fmt::format(kListProblem, without_groups(to_text(report.ranking.problem)), why));
  }
  return text;
}

std::string rejected_text(const RankingReport& report) {
  const Ranking& r = report.ranking;
  std::string text;
  for (const auto& [line, why] : unranked_lines(report)) {
    text += wrapped(fmt::format("  line {}: ", line), why);
  }
  for (const auto& [reason, count] : r.rejected) {
    text +=
        wrapped("  ", fmt::format("{} rejected: {}", with_commas(count), rejection_words(reason)));
    if (const auto example = r.rejected_example.find(reason); example != r.rejected_example.end()) {
      text += wrapped(
          "    ", fmt::format("{}: {}", short_text(example->second),
                              why_rejected(report.gpu.spec, r.problem, reason, example->second)));
    }
  }
  return text;
}

std::string search_text(const RankingReport& report) {
  const Ranking& r = report.ranking;
  std::string text =
      fmt::format("{}: {} candidates, {} simulated, {:.0f} ms\n", report.gpu.spec.name,
                  with_commas(r.candidates), r.simulated, report.elapsed.value * 1e3) +
      rejected_text(report);
  const Prediction& best = r.predictions.front();
  if (r.simulated > 0) {
    text +=
        fmt::format("  ratio of simulated to analytic times: mean {:.3f}\n", r.closed_form_scale);
  }
  if (best.simulated_part > 0 && best.simulated_part < 1) {
    text += fmt::format("  {:.3g} % of #1 simulated, its steady middle extrapolated\n",
                        100 * best.simulated_part);
  }
  if (r.within_1_percent > 1) {
    text += fmt::format("  {} candidates within 1 % of the fastest by the analytic model\n",
                        with_commas(r.within_1_percent));
  }
  return text + clamped_text(report);
}

std::string rankings_table(const std::vector<RankingReport>& reports,
                           const std::vector<GpuRefusal>& refusals) {
  const RankingReport& first = reports.front();
  std::string text = paragraph(first, "", problem_title(first.ranking.problem, first.routing)) +
                     "\n" + rows_text(reports, first.rows.value_or(1)) + "\n";
  for (const RankingReport& report : reports) {
    const std::string name = report.gpu.spec.name + ": ";
    text += paragraph(report, "", name + interval_text(report));
    if (const std::string memory = memory_text(report.gpu.spec, report.ranking.problem);
        !memory.empty()) {
      text += paragraph(report, "", name + memory);
    }
  }
  for (const GpuRefusal& refusal : refusals) {
    text += paragraph(first, "", to_text(refusal));
  }
  return text;
}

}  // namespace tilecast
