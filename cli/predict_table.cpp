// Rankings as tables for a terminal.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "cli/output_parts.h"
#include "cli/predict_output.h"
#include "model/base/shown_text.h"
#include "model/base/text.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/gemm/problem/group_rows.h"
#include "model/gemm/problem/operand_copies.h"
#include "model/ops/short_config_text.h"
#include "model/predict/rejected.h"
#include "model/predict/why_extrapolated.h"
#include "model/stream/stream_closed_form.h"

namespace tilecast {
namespace {

/// What people judge the op's speed by.
struct Rate {
  const char* name;
  double value;
};

Rate rate_of(const AnyProblem& problem, const Prediction& p) {
  const StreamProblem* stream = std::get_if<StreamProblem>(&problem);
  return stream != nullptr ? Rate{"TB/s", stream_bytes(*stream) / p.time.value * 1e-12}
                           : Rate{"TFLOPS", p.tflops};
}

std::string rate_text(const Rate& rate) {
  constexpr double kFewDigits = 10;  // of a rate below this show decimals
  return fmt::format("{:.{}f}", rate.value, rate.value < kFewDigits ? 3 : 1);
}

struct Column {
  std::string title;
  std::vector<std::string> cells;
  bool is_text = false;  // begins at the left

  std::size_t width() const {
    std::size_t most = title.size();
    for (const std::string& cell : cells) {
      most = std::max(most, cell.size());
    }
    return most;
  }
};

std::size_t width_of(const std::vector<Column>& columns) {
  std::size_t width = columns.size() - 1;
  for (const Column& column : columns) {
    width += column.width();
  }
  return width;
}

/// Leaves out one after the other of the `spare` columns until the rest fits.
void narrow(std::vector<Column>& columns, const std::vector<std::string>& spare) {
  for (const std::string& title : spare) {
    if (width_of(columns) > kColumns) {
      std::erase_if(columns, [&](const Column& column) { return column.title == title; });
    }
  }
}

std::string table_of(const std::vector<Column>& columns) {
  std::string text;
  for (std::size_t row = 0; row <= columns.front().cells.size(); ++row) {
    std::string line;
    for (const Column& column : columns) {
      const std::string& cell = row == 0 ? column.title : column.cells[row - 1];
      line += (line.empty() ? "" : " ") + (column.is_text
                                               ? fmt::format("{:<{}}", cell, column.width())
                                               : fmt::format("{:>{}}", cell, column.width()));
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

/// The rows of a report below those that there are.
void add_rows(const RankingReport& report, bool marks, std::vector<Column>& columns) {
  const Ranking& r = report.ranking;
  for (std::size_t i = 0; i < rows_of(report); ++i) {
    const Prediction& p = r.predictions[i];
    const Measurement* m = measured(report, p);
    const char* mark = !marks ? "" : p.method == Method::kSimulated ? " " : "~";
    const std::vector<std::string> cells{report.gpu.spec.name,
                                         fmt::format("{}", i + 1),
                                         micro_text(p.time) + mark,
                                         m != nullptr ? micro_text(m->time->median) : "-",
                                         rate_text(rate_of(r.problem, p)),
                                         fmt::format("{:.3f}", p.sm_clock.value * 1e-9),
                                         fmt::format("{:.1f}", p.cycles.value * 1e-3),
                                         fmt::format("{:.0f}", p.power.value),
                                         shown_limiter(to_text(p.limiter)),
                                         report.is_wide ? to_text(p.config) : short_text(p.config)};
    for (std::size_t c = 0; c < columns.size(); ++c) {
      columns[c].cells.push_back(cells[c]);
    }
  }
}

/// All reports have the first one's problem. Where they are not wide, what does not fit is left
/// out.
std::string rows_text(const std::vector<RankingReport>& reports) {
  const RankingReport& first = reports.front();
  const auto any = [&](const auto& holds) { return std::ranges::any_of(reports, holds); };
  std::vector<Column> columns{
      {"gpu", {}, true},
      {"#", {}},
      {"time us", {}},
      {"measured", {}},
      {rate_of(first.ranking.problem, first.ranking.predictions[0]).name, {}},
      {"GHz", {}},
      {"kcycles", {}},
      {"W", {}},
      {"limiter", {}, true},
      {"configuration", {}, true}};
  const bool marks = any([](const RankingReport& r) { return r.ranking.simulated > 0; });
  for (const RankingReport& report : reports) {
    add_rows(report, marks, columns);
  }
  std::vector<std::string> without;
  if (reports.size() == 1) {
    without.emplace_back("gpu");
  }
  if (!any([](const RankingReport& r) { return !r.measured.empty(); })) {
    without.emplace_back("measured");
  }
  std::erase_if(columns, [&](const Column& column) {
    return std::ranges::find(without, column.title) != without.end();
  });
  if (!first.is_wide) {
    narrow(columns, {"kcycles", "W", "GHz", "limiter"});
  }
  return table_of(columns);
}

/// "rejected: 35,446 never pays, 720 shared memory"; empty where nothing was.
std::string rejected_text(const Ranking& r) {
  std::string text;
  for (const auto& [reason, count] : r.rejected) {
    text += fmt::format("{}{} {}", text.empty() ? "rejected: " : ", ", with_commas(count),
                        rejection_words(reason));
  }
  return text;
}

/// A paragraph for each reason.
std::string examples_text(const RankingReport& report) {
  std::string text;
  for (const auto& [reason, config] : report.ranking.rejected_example) {
    text +=
        wrapped("  ",
                fmt::format("{}: {}: {}", rejection_words(reason), short_text(config),
                            why_rejected(report.gpu.spec, report.ranking.problem, reason, config)),
                " ");
  }
  return text;
}

/// Which of the rows are like no kernel that the calibration has seen; empty where all are.
std::string extrapolated_text(const RankingReport& report) {
  std::string text;
  bool all = true;
  for (std::size_t i = 0; i < rows_of(report); ++i) {
    if (report.ranking.predictions[i].extrapolated) {
      text += fmt::format(" #{}", i + 1);
    } else {
      all = false;
    }
  }
  return text.empty()
             ? ""
             : fmt::format("extrapolated{}: {}", all ? "" : text,
                           why_extrapolated(report.gpu.spec,
                                            std::get<GemmProblem>(report.ranking.problem)));
}

std::string_view inputs_word(const Ranking& r) {
  return r.inputs == Inputs::kZeros ? "all-zero" : to_text(r.inputs);
}

std::string conditions(const Ranking& r) {
  return fmt::format("{}, {} inputs", to_text(r.regime), inputs_word(r));
}

std::string counts_text(const RankingReport& report) {
  const Ranking& r = report.ranking;
  const std::string simulated =
      r.simulated > 0 ? fmt::format(", {} simulated", r.simulated) : std::string();
  return fmt::format(
      "{}, {}calibrated, {:.0f} ms",
      r.candidates == 1
          ? fmt::format("1 configuration, {}", r.simulated > 0 ? "simulated" : "by closed form")
          : fmt::format("{} candidates{}", with_commas(r.candidates), simulated),
      report.gpu.calibrated ? "" : "not ", report.elapsed.value * 1e3);
}

/// Where operands and result are more than the card holds; else empty.
std::string memory_text(const RankingReport& report) {
  constexpr double kGibi = 1024.0 * 1024 * 1024;
  const GemmProblem* gemm = std::get_if<GemmProblem>(&report.ranking.problem);
  const double bytes = gemm != nullptr
                           ? bytes_of_a(*gemm) + bytes_of_b(*gemm) + bytes_of_c(*gemm)
                           : stream_bytes(std::get<StreamProblem>(report.ranking.problem));
  const double most = report.gpu.spec.dram->capacity.value;
  return bytes <= most ? ""
                       : fmt::format("{} need {:.0f} GiB, this card has {:.0f} GiB",
                                     gemm != nullptr ? "A, B and C" : "inputs and result",
                                     bytes / kGibi, most / kGibi);
}

/// Where a kernel alone is longer than any burst that was measured; else empty.
std::string outlasting_text(const Ranking& r) {
  constexpr double kLongestBurst = 10e-3;  // seconds: of its few milliseconds, generously
  return r.regime == Regime::kBurst && r.predictions.front().time.value > kLongestBurst
             ? "#1 outlasts a burst, which is a few milliseconds of work: --regime sustained is "
               "closer"
             : "";
}

/// Where the interval is not one that was learned; else empty.
std::string interval_source(const RankingReport& report, bool fitted) {
  const Ranking& r = report.ranking;
  if (!fitted) {
    return " (default error, not calibrated)";
  }
  return op_of(r.problem) == Op::kGemm && r.inputs != Inputs::kNormal
             ? fmt::format(" (default error: no interval was learned of {} inputs)", inputs_word(r))
             : "";
}

/// How far the first is ahead, and what that says; empty where nothing is to compare it with.
std::string lead_text(const RankingReport& report) {
  const Ranking& r = report.ranking;
  if (r.simulated == 0) {
    return r.within_1_percent > 1
               ? fmt::format(
                     "by closed form alone, without anything learned, {} candidates are "
                     "within 1 % of the fastest one",
                     with_commas(r.within_1_percent))
               : "";
  }
  const std::optional<Lead> lead = lead_of(report);
  if (!lead) {
    return "";
  }
  const auto shown = r.predictions.begin() + static_cast<std::ptrdiff_t>(rows_of(report));
  const bool passes_others = std::any_of(r.predictions.begin(), shown, [&](const Prediction& p) {
    return p.method == Method::kAnalytic && p.time <= r.next_simulated->time;
  });
  return fmt::format("#1 leads the next simulated kernel, {}{}, by {:.1f} %{}",
                     short_text(r.next_simulated->config),
                     passes_others ? " (rows marked ~ are not simulated)" : "", 100 * lead->apart,
                     lead->in_order
                         ? fmt::format(": about {:.0f} % of measured pairs so far apart are in "
                                       "the predicted order",
                                       100 * *lead->in_order)
                         : "");
}

/// The problem; of a routing that, since its groups are only one draw's.
std::string asked_text(const RankingReport& report) {
  const Ranking& r = report.ranking;
  if (!report.routing) {
    return to_text(r.problem);
  }
  const GemmProblem& draw = std::get<GemmProblem>(r.problem);
  const std::string words = to_text(r.problem);
  const auto& [m, n, k] = draw.shape;
  const std::string sides =
      grouped_along_k(draw) ? fmt::format("M {} N {}", m, n) : fmt::format("N {} K {}", n, k);
  return fmt::format("{}, {}{}", to_text(*report.routing), sides, words.substr(words.find(' ')));
}

/// What draws differ by; empty where there are none.
std::string spread_text(const RankingReport& report) {
  const Prediction& best = report.ranking.predictions.front();
  if (best.of_draws.empty()) {
    return "";
  }
  const auto& groups = *std::get<GemmProblem>(report.ranking.problem).groups;
  const Spread spread = spread_of(best);
  return fmt::format(
      "times are means over {} draws (seed {}): #1 takes {} to {} us, standard deviation {:.1f} %; "
      "the first draw's largest group has {} rows, {:.1f} times the mean",
      best.of_draws.size(), report.routing->seed, micro_text(spread.least), micro_text(spread.most),
      100 * (spread.deviation / best.time), with_commas(groups.largest()),
      static_cast<double>(groups.largest() * report.routing->experts) /
          static_cast<double>(groups.total()));
}

/// What is said below the rows, a line each.
std::vector<std::string> notes(const RankingReport& report) {
  const Ranking& r = report.ranking;
  const Prediction& best = r.predictions.front();
  const StreamProblem* stream = std::get_if<StreamProblem>(&r.problem);
  const GpuSpec& gpu = report.gpu.spec;
  const bool fitted =
      stream != nullptr ? gpu.stream->interval != gpu.default_interval : report.gpu.calibrated;
  std::vector<std::string> lines{
      fmt::format("90 % interval for #1: {} to {} us{}", micro_text(best.interval_low),
                  micro_text(best.interval_high), interval_source(report, fitted))};
  if (r.copies) {
    const GemmProblem& gemm = std::get<GemmProblem>(r.problem);
    lines.push_back(fmt::format(
        "{} copied into rows of whole 16 bytes first, {:.3g} MB read and written: {} us of each "
        "time; an operand that lies in rows of whole {} elements (--lda, --ldb) is not",
        copied_words(r.copies->operands), r.copies->bytes.value * 1e-6, micro_text(r.copies->time),
        kWholeRowBytes / element_bytes(gemm.dtype)));
  }
  if (stream != nullptr) {
    const RateShares shares = rate_shares(gpu, *stream, best.time);
    lines.push_back(
        fmt::format("#1 reaches {:.1f} % of the datasheet's bandwidth, {:.1f} % of what reads and "
                    "writes alone {}",
                    100 * shares.of_datasheet, 100 * shares.of_measured,
                    fitted ? "were measured at" : "are assumed to reach"));
  }
  lines.push_back(spread_text(report));
  if (best.simulated_part > 0 && best.simulated_part < 1) {
    lines.push_back(fmt::format("{:.3g} % of #1 was simulated; its steady middle is extrapolated",
                                100 * best.simulated_part));
  }
  lines.push_back(lead_text(report));
  lines.push_back(outlasting_text(r));
  lines.push_back(memory_text(report));
  lines.push_back(extrapolated_text(report));
  const auto shown = r.predictions.begin() + static_cast<std::ptrdiff_t>(rows_of(report));
  if (r.simulated > 0 && std::any_of(r.predictions.begin(), shown, [](const Prediction& p) {
        return p.method == Method::kAnalytic;
      })) {
    lines.push_back(fmt::format(
        "~ not simulated: closed form, times the mean ratio of simulated to closed-form "
        "times ({:.3f} over all)",
        r.closed_form_scale));
  }
  return lines;
}

std::string paragraph(const RankingReport& report, const std::string& line) {
  return report.is_wide && !line.empty() ? line + "\n" : wrapped("", line, " ");
}

}  // namespace

std::string ranking_table(const RankingReport& report) {
  const Ranking& r = report.ranking;
  std::string text = paragraph(report, fmt::format("{} on {}: {}", asked_text(report),
                                                   report.gpu.spec.product, conditions(r)));
  text += counts_text(report) + "\n" + paragraph(report, rejected_text(r));
  if (report.explains_rejected) {
    text += examples_text(report);
  }
  text += "\n" + rows_text({report}) + "\n";
  for (const std::string& line : notes(report)) {
    text += paragraph(report, line);
  }
  return text;
}

std::string rankings_table(const std::vector<RankingReport>& reports,
                           const std::vector<GpuRefusal>& refusals) {
  const RankingReport& first = reports.front();
  std::string text =
      paragraph(first, fmt::format("{}: {}", asked_text(first), conditions(first.ranking))) + "\n" +
      rows_text(reports) + "\n";
  for (const RankingReport& report : reports) {
    const std::string name = report.gpu.spec.name + ": ";
    text += paragraph(report, name + notes(report).front());
    if (const std::string memory = memory_text(report); !memory.empty()) {
      text += paragraph(report, name + memory);
    }
    if (report.explains_rejected) {
      text += paragraph(report, name + rejected_text(report.ranking)) + examples_text(report);
    }
  }
  for (const GpuRefusal& refusal : refusals) {
    text += paragraph(first, to_text(refusal));
  }
  return text;
}

}  // namespace tilecast
