#include "cli/predict_output.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/output_parts.h"
#include "model/analytic/stream_closed_form.h"
#include "model/base/shown_text.h"
#include "model/tile/kernel_config_text.h"
#include "validate/record/measurement.h"

namespace tilecast {
namespace {

std::size_t rows_of(const RankingReport& report) {
  return std::min(report.top, report.ranking.predictions.size());
}

/// The measurement of a configuration, if the files had a good one.
const Measurement* measured(const RankingReport& report, const Prediction& prediction) {
  const auto found = report.measured.find(to_text(prediction.config));
  return found == report.measured.end() ? nullptr : &found->second;
}

double microseconds(Seconds time) { return time.value * 1e6; }
constexpr double kFewDigits = 10;  // of a rate below this show decimals

double mega(Hertz clock) { return clock.value * 1e-6; }

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

nlohmann::ordered_json prediction_json(const RankingReport& report, const Prediction& p) {
  constexpr int kFigureDigits = 6;
  nlohmann::ordered_json row = {
      {"config", to_text(p.config)},
      {"method", to_text(p.method)},
      {"cycles", rounded(p.cycles.value, kFigureDigits)},
      {"sm_clock_mhz", rounded(mega(p.sm_clock), kFigureDigits)},
      {"time_us", rounded(microseconds(p.time), kFigureDigits)},
      {"interval_us",
       {rounded(microseconds(p.interval_low), kFigureDigits),
        rounded(microseconds(p.interval_high), kFigureDigits)}},
      {"closed_form_time_us", rounded(microseconds(p.closed_form_time), kFigureDigits)},
      {"cycles_correction", rounded(p.cycles_correction, kFigureDigits)},
      {"clock_correction", rounded(p.clock_correction, kFigureDigits)},
      {"extrapolated", p.extrapolated},
      {"tflops", rounded(p.tflops, kFigureDigits)},
      {"power_w", rounded(p.power.value, kFigureDigits)},
      {"limiter", to_text(p.limiter)},
      {"shares",
       {{"tensor", rounded(p.shares.tensor, 3)},
        {"shared_memory", rounded(p.shares.shared_memory, 3)},
        {"sm_intake", rounded(p.shares.sm_intake, 3)},
        {"l2", rounded(p.shares.l2, 3)},
        {"dram", rounded(p.shares.dram, 3)}}},
      {"l2_to_sm_bytes", rounded(p.l2_to_sm.value, kFigureDigits)},
      {"l2_hit_rate", rounded(p.l2_hit_rate, 4)},
      {"dram_read_bytes", rounded(p.dram_read.value, kFigureDigits)},
      {"dram_write_bytes", rounded(p.dram_write.value, kFigureDigits)}};
  if (p.method == Method::kSimulated) {
    row["simulated_part"] = rounded(p.simulated_part, 3);
  }
  if (const StreamProblem* stream = std::get_if<StreamProblem>(&report.ranking.problem)) {
    const RateShares shares = rate_shares(report.gpu.spec, *stream, p.time);
    row["tb_per_s"] = rounded(stream_bytes(*stream) / p.time.value * 1e-12, kFigureDigits);
    row["of_datasheet"] = rounded(shares.of_datasheet, 4);
    row["of_measured_rates"] = rounded(shares.of_measured, 4);
  }
  if (const Measurement* m = measured(report, p)) {
    row["measured_time_us"] = rounded(microseconds(m->time->median), kFigureDigits);
    if (m->cycles) {
      row["measured_cycles"] = rounded(m->cycles->value, kFigureDigits);
    }
    if (m->sm_clock) {
      row["measured_sm_clock_mhz"] = rounded(mega(*m->sm_clock), kFigureDigits);
    }
  }
  return row;
}

}  // namespace

std::string ranking_json(const RankingReport& report) {
  const Ranking& r = report.ranking;
  nlohmann::ordered_json json = {{"schema", 1},
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
  for (std::size_t i = 0; i < rows_of(report); ++i) {
    json["ranking"].push_back(prediction_json(report, r.predictions[i]));
  }
  // A GPU's name comes from its file, as whatever bytes stand there.
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string ranking_csv(const RankingReport& report) {
  std::string text =
      "rank,config,cycles,sm_clock_mhz,time_us,interval_low_us,interval_high_us,tflops,power_w,"
      "limiter,l2_to_sm_bytes,dram_read_bytes,dram_write_bytes,measured_time_us,method\n";
  for (std::size_t i = 0; i < rows_of(report); ++i) {
    const Prediction& p = report.ranking.predictions[i];
    const Measurement* m = measured(report, p);
    text += fmt::format(
        "{},\"{}\",{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{},{:.6g},{:.6g},{:.6g},{},{}"
        "\n",
        i + 1, to_text(p.config), p.cycles.value, mega(p.sm_clock), microseconds(p.time),
        microseconds(p.interval_low), microseconds(p.interval_high), p.tflops, p.power.value,
        to_text(p.limiter), p.l2_to_sm.value, p.dram_read.value, p.dram_write.value,
        m ? fmt::format("{:.6g}", microseconds(m->time->median)) : "", to_text(p.method));
  }
  return text;
}

namespace {

/// "rejected: 35,446 never profitable, 720 shared memory"; empty where nothing was.
std::string rejected_text(const Ranking& r) {
  std::string text;
  for (const auto& [reason, count] : r.rejected) {
    std::string words = reason == "never_pays" ? "never profitable"
                        : reason == "tma_box"  ? "TMA box"
                                               : reason;
    std::ranges::replace(words, '_', ' ');
    text += fmt::format("{}{} {}", text.empty() ? "rejected: " : ", ", with_commas(count), words);
  }
  return text.empty() ? "" : text + "\n";
}

/// Which of the rows are like no kernel that the calibration has seen; empty where all are.
std::string extrapolated_text(const RankingReport& report) {
  std::string text;
  for (std::size_t i = 0; i < rows_of(report); ++i) {
    if (report.ranking.predictions[i].extrapolated) {
      text += fmt::format(" #{}", i + 1);
    }
  }
  return text.empty() ? ""
                      : "extrapolated, like no kernel that the calibration has seen:" + text + "\n";
}

}  // namespace

std::string ranking_table(const RankingReport& report) {
  const Ranking& r = report.ranking;
  const char mark = r.simulated > 0 ? '~' : ' ';  // of what was not simulated
  const bool any_measured = !report.measured.empty();
  std::string text = fmt::format("{} on {}: {}, {} inputs, {}calibrated\n", to_text(r.problem),
                                 report.gpu.spec.product, to_text(r.regime),
                                 r.inputs == Inputs::kZeros ? "all-zero" : to_text(r.inputs),
                                 report.gpu.calibrated ? "" : "not ");
  const std::string simulated =
      r.simulated > 0 ? fmt::format(", {} simulated", r.simulated) : std::string();
  text += r.candidates == 1 ? fmt::format("1 configuration{}", r.simulated > 0 ? ", simulated" : "")
                            : fmt::format("{} candidates{}", with_commas(r.candidates), simulated);
  text += fmt::format(", {:.0f} ms\n{}\n", report.elapsed.value * 1e3, rejected_text(r));
  text += fmt::format("  # {:>10} {:>8} {:>6} {:>9} {:>6} {:<13} {}configuration\n", "time us",
                      rate_of(r.problem, r.predictions.front()).name, "GHz", "kcycles", "W",
                      "limiter", any_measured ? "measured us  " : "");
  for (std::size_t i = 0; i < rows_of(report); ++i) {
    const Prediction& p = r.predictions[i];
    const Rate rate = rate_of(r.problem, p);
    std::string beside;
    if (any_measured) {
      const Measurement* m = measured(report, p);
      beside =
          fmt::format("{:>11}  ", m ? fmt::format("{:.2f}", microseconds(m->time->median)) : "-");
    }
    text +=
        fmt::format("{:>3} {:>9.2f}{} {:>8.{}f} {:>6.3f} {:>9.1f} {:>6.0f} {:<13} {}{}\n", i + 1,
                    microseconds(p.time), p.method == Method::kSimulated ? ' ' : mark, rate.value,
                    rate.value < kFewDigits ? 3 : 1, p.sm_clock.value * 1e-9, p.cycles.value * 1e-3,
                    p.power.value, to_text(p.limiter), beside, to_text(p.config));
  }
  const Prediction& best = r.predictions.front();
  const StreamProblem* stream = std::get_if<StreamProblem>(&r.problem);
  text += fmt::format(
      "\n90 % interval for #1: {:.2f} to {:.2f} us{}\n", microseconds(best.interval_low),
      microseconds(best.interval_high),
      report.gpu.calibrated || stream != nullptr ? "" : " (default error, no calibration)");
  if (stream != nullptr) {
    const RateShares shares = rate_shares(report.gpu.spec, *stream, best.time);
    text += fmt::format(
        "#1 reaches {:.1f} % of the datasheet's bandwidth, {:.1f} % of what reads and "
        "writes alone were measured at\n",
        100 * shares.of_datasheet, 100 * shares.of_measured);
  }
  if (best.simulated_part > 0 && best.simulated_part < 1) {
    text += fmt::format("{:.3g} % of #1 was simulated, the steady middle extrapolated from it\n",
                        100 * best.simulated_part);
  }
  if (r.within_1_percent > 1) {
    text += fmt::format("{} candidates are within 1 % of the fastest by closed form\n",
                        r.within_1_percent);
  }
  text += extrapolated_text(report);
  if (mark != ' ' &&
      std::any_of(r.predictions.begin(),
                  r.predictions.begin() + static_cast<std::ptrdiff_t>(rows_of(report)),
                  [](const Prediction& p) { return p.method == Method::kAnalytic; })) {
    text += fmt::format(
        "~ not simulated: closed form, times the mean ratio of simulated to closed-form times "
        "({:.3f} over all)\n",
        r.closed_form_scale);
  }
  return text;
}

}  // namespace tilecast
