#include "cli/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "cli/output_parts.h"
#include "cli/table.h"
#include "model/base/error.h"

namespace tilecast {
namespace {

constexpr double kEqual = 0.015;  // times that differ by less are called equal
constexpr int kComparedDigits = 6;

std::string more(double ratio) { return fmt::format("{:.0f} %", 100 * (ratio - 1)); }

std::string speed_text(const AnyProblem& problem, Seconds time) {
  return fmt::format("{:.0f}", flops_of(problem) / time.value * 1e-12);
}

std::string interval_text(Seconds low, Seconds high) {
  return fmt::format("{} to {}", micro_text(low), micro_text(high));
}

std::string source_of(const CublasltTime& library) {
  return library.measured ? "measured" : "forecast";
}

std::string against_cublaslt(const Comparison& c) {
  if (!c.cublaslt) {
    return fmt::format("tilecast's pick takes {} us. cuBLASLt's time is not known.",
                       micro_text(c.ours.time));
  }
  const double gain = *c.gain();
  const std::string times =
      fmt::format("{} and {} us", micro_text(c.ours.time), micro_text(c.cublaslt->time));
  if (std::abs(gain - 1) < kEqual) {
    return fmt::format("tilecast's pick and cuBLASLt are equally fast: {}.", times);
  }
  // The interval of the ratio, by the library's alone.
  const bool sure = gain > 1 ? c.cublaslt->low > c.ours.time : c.cublaslt->high < c.ours.time;
  return fmt::format("{} is {}{} faster: {}.", gain > 1 ? "tilecast's pick" : "cuBLASLt",
                     sure ? "" : "perhaps ", more(gain > 1 ? gain : 1 / gain), times);
}

std::string against_roof(const Comparison& c) {
  const Roof roof = roofs_of(c).front();
  const bool library = c.cublaslt && c.cublaslt->time < c.ours.time;
  const double left = (library ? c.cublaslt->time : c.ours.time) / roof.time;
  return fmt::format("At its clock no kernel can beat {} us ({}): at most {} is left.",
                     micro_text(roof.time), roof.name, more(std::max(1.0, left)));
}

}  // namespace

std::optional<double> Comparison::gain() const {
  return cublaslt ? std::optional(cublaslt->time / ours.time) : std::nullopt;
}

std::vector<Roof> roofs_of(const Comparison& comparison) {
  const HardBounds& bounds = comparison.ours.bounds;
  std::vector<Roof> roofs{{"tensor cores", time_of(bounds.tensor, comparison.ours.sm_clock)},
                          {"DRAM", bounds.dram},
                          {"launch", bounds.launch}};
  std::ranges::sort(roofs, std::greater<>{}, &Roof::time);
  return roofs;
}

Comparison compare(const GpuSpec& gpu, const AnyProblem& problem, Regime regime, Inputs inputs,
                   const Effort& effort, const std::filesystem::path& config_folder) {
  const GemmProblem* gemm = std::get_if<GemmProblem>(&problem);
  if (gemm == nullptr) {
    throw ConfigError("compare takes GEMMs");
  }
  const Ranking ranking = rank_candidates(gpu, problem, {}, regime, inputs, 1, effort);
  Comparison comparison{problem, regime, inputs, ranking.predictions.front(), {}, {}};
  try {
    comparison.cublaslt = cublaslt_time(
        gpu, *gemm, regime, comparison.ours.time - comparison.ours.copies, config_folder);
  } catch (const ConfigError& error) {
    comparison.why_not = error.what();
  }
  return comparison;
}

nlohmann::ordered_json comparison_object(const GpuSpec& gpu, const Comparison& c) {
  const auto micro = [](Seconds time) { return rounded(microseconds(time), kComparedDigits); };
  const Prediction& p = c.ours;
  nlohmann::ordered_json object = {
      {"schema", kAnswerSchema},
      {"gpu", gpu.name},
      {"problem", problem_json(c.problem)},
      {"regime", to_text(c.regime)},
      {"inputs", to_text(c.inputs)},
      {"ours",
       {{"config", to_text(p.config)},
        {"time_us", micro(p.time)},
        {"interval_us", {micro(p.interval_low), micro(p.interval_high)}},
        {"sm_clock_mhz", rounded(p.sm_clock.value * 1e-6, kComparedDigits)},
        {"power_w", rounded(p.power.value, kComparedDigits)},
        {"limiter", to_text(p.limiter)},
        {"dram_bytes", rounded((p.dram_read + p.dram_write).value, kComparedDigits)}}}};
  if (c.cublaslt) {
    object["cublaslt"] = {{"time_us", micro(c.cublaslt->time)},
                          {"interval_us", {micro(c.cublaslt->low), micro(c.cublaslt->high)}},
                          {"source", source_of(*c.cublaslt)},
                          {"over_ours", rounded(*c.gain(), kComparedDigits)},
                          {"rows_alike", rounded(c.cublaslt->like, 3)}};
  } else {
    object["cublaslt"] = {{"why_not", c.why_not}};
  }
  for (const Roof& roof : roofs_of(c)) {
    object["roofs_us"][roof.name] = micro(roof.time);
  }
  return object;
}

std::string comparison_text(const LoadedGpu& gpu, const Comparison& c) {
  std::string text = wrapped("", problem_title(c.problem)) +
                     wrapped("", conditions_title(gpu.spec, gpu.calibrated, c.regime, c.inputs)) +
                     "\n" + wrapped("", against_cublaslt(c)) + wrapped("", against_roof(c)) + "\n";
  Table table({"<", "time us", "TFLOP/s", "<90 % interval", "<"});
  table.row({"tilecast's pick", micro_text(c.ours.time), speed_text(c.problem, c.ours.time),
             interval_text(c.ours.interval_low, c.ours.interval_high), tile_text(c.ours.config)});
  if (c.cublaslt) {
    const CublasltTime& library = *c.cublaslt;
    table.row({"cuBLASLt, " + source_of(library), micro_text(library.time),
               speed_text(c.problem, library.time), interval_text(library.low, library.high),
               library.measured ? "" : fmt::format("ours times {:.3f}", library.ratio)});
  }
  for (const Roof& roof : roofs_of(c)) {
    table.row({fmt::format("roof: {}", roof.name), micro_text(roof.time),
               speed_text(c.problem, roof.time)});
  }
  text += table.text() + "\n";
  text += wrapped("", c.cublaslt
                          ? fmt::format("{}; {}.", bound_text(gpu.spec, c.ours), clock_text(c.ours))
                          : "cuBLASLt: " + c.why_not + ".");
  return text;
}

std::string comparison_titles() {
  return fmt::format("{:>10} {:>10} {:<8} {:>7}  {:>8} {:<12}  problem\n", "ours us", "cuBLASLt",
                     "", "gain", "roof us", "");
}

std::string comparison_row(const Comparison& c) {
  const Roof roof = roofs_of(c).front();
  return fmt::format("{:>10} {:>10} {:<8} {:>7}  {:>8} {:<12}  {}\n", micro_text(c.ours.time),
                     c.cublaslt ? micro_text(c.cublaslt->time) : "-",
                     c.cublaslt ? source_of(*c.cublaslt) : "",
                     c.cublaslt ? more_percent(*c.gain()) : "", micro_text(roof.time), roof.name,
                     to_text(c.problem));
}

}  // namespace tilecast
