#include "validate/compare/ladder_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "model/base/error.h"
#include "model/base/text.h"
#include "model/tile/kernel_config_text.h"
#include "model/tile/short_config_text.h"
#include "validate/compare/shown_figures.h"
#include "validate/record/verified_rows.h"

namespace tilecast {
namespace {

constexpr double kPerKilo = 1e-3;
constexpr double kPerGiga = 1e-9;

constexpr std::string_view kLadderHead =
    "| | rung | configuration | against | kcycles | change | GHz | TFLOPS | of peak | sustained "
    "TFLOPS | GHz | J/TFLOP | change | shown by |\n"
    "|--:|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|\n";

constexpr std::string_view kLadderLegend =
    "\n*against*: the rung that both *change* columns and *shown by* compare with; more than "
    "zero is worse.\nFrom *kcycles* to *of peak* the burst regime: thousands of SM cycles of the "
    "whole kernel, the mean SM\nclock, and the share of the tensor cores' peak at that clock. "
    "Then the sustained regime: speed and\nclock at the power cap, and joules for 10^12 "
    "operations, static power included. *shown by*: hardware\ncounters of a run of their own, of "
    "the other rung → of this one. Medians; normal(0,1) inputs. A\nconfiguration reads as in "
    "[the results](../../docs/dev/results.md). An empty cell was\nnot measured.\n";

/// What was measured of one kernel on one problem.
struct Measured {
  std::optional<Measurement> burst, sustained;
};

struct MeasuredProblem {
  GemmProblem problem;
  std::map<std::string, Measured> by_config;
};

/// The tables hold what is measured as usual.
bool belongs(const Measurement& row) {
  return row.point.op == Op::kGemm && row.point.inputs == Inputs::kNormal &&
         row.point.l2_state == L2State::kRotating;
}

std::vector<MeasuredProblem> by_problem(const GpuSpec& gpu,
                                        const std::vector<MeasurementFile>& files) {
  std::vector<MeasuredProblem> problems;
  for (const VerifiedRow& row :
       verified_rows(files, {gpu.name, gpu.product}, OtherGpus::kRefused)) {
    const Measurement& measurement = row.measurement();
    if (!belongs(measurement)) {
      continue;
    }
    const GemmProblem& problem = measurement.point.problem;
    auto at = std::find_if(problems.begin(), problems.end(),
                           [&](const MeasuredProblem& p) { return p.problem == problem; });
    if (at == problems.end()) {
      at = problems.insert(problems.end(), {problem, {}});
    }
    Measured& measured = at->by_config[measurement.point.config];
    (measurement.point.regime == Regime::kBurst ? measured.burst : measured.sustained) =
        measurement;
  }
  return problems;
}

const Measured& find_measured(const MeasuredProblem& problem, const std::string& config) {
  static const Measured kNothing;
  const auto found = problem.by_config.find(config);
  return found == problem.by_config.end() ? kNothing : found->second;
}

std::optional<Cycles> cycles_of(const Measured& measured) {
  return measured.burst ? measured.burst->cycles : std::nullopt;
}

/// Of 10^12 operations, in the sustained regime.
std::optional<Joules> energy_of(const Measured& measured, const GemmProblem& problem) {
  if (!measured.sustained || !measured.sustained->power) {
    return std::nullopt;
  }
  const double tera = gemm_flops(problem.shape) * kPerTera;
  return Joules{measured.sustained->power->value * measured.sustained->time->median.value / tera};
}

template <class T>
std::string change_text(const std::optional<T>& from, const std::optional<T>& to) {
  return from && to ? fmt::format("{:+.1f} %", (*to / *from - 1) * kToPercent) : "";
}

std::string clock_text(const std::optional<Measurement>& row) {
  return row && row->sm_clock ? fmt::format("{:.3f}", row->sm_clock->value * kPerGiga) : "";
}

std::string tflops_text(const std::optional<Measurement>& row) {
  return row ? fmt::format("{:.0f}", gemm_flops(row->point.problem.shape) * kPerTera /
                                         row->time->median.value)
             : "";
}

/// kcycles | change | GHz | TFLOPS | of peak | sustained TFLOPS | GHz | J/TFLOP | change
std::string measured_cells(const GemmProblem& problem, const Measured& measured,
                           const Measured& other, FlopsPerCycle peak) {
  const std::optional<Cycles> cycles = cycles_of(measured);
  const std::optional<Joules> energy = energy_of(measured, problem);
  const Cycles least = compute_cycles(Flops{gemm_flops(problem.shape)}, peak);
  return fmt::format("{} | {} | {} | {} | {} | {} | {} | {} | {}",
                     cycles ? fmt::format("{:.1f}", cycles->value * kPerKilo) : "",
                     change_text(cycles_of(other), cycles), clock_text(measured.burst),
                     tflops_text(measured.burst),
                     cycles ? fmt::format("{:.1f} %", least / *cycles * kToPercent) : "",
                     tflops_text(measured.sustained), clock_text(measured.sustained),
                     energy ? fmt::format("{:.3f}", energy->value) : "",
                     change_text(energy_of(other, problem), energy));
}

/// At least three digits.
std::string count_text(double count) {
  return fmt::format("{:.{}f}", count, count < 10 ? 2 : count < 100 ? 1 : 0);
}

std::string shown_by_text(const Ladder& ladder, const Rung& rung, const GemmProblem& problem,
                          const CounterFile& counters) {
  std::vector<std::string> parts;
  for (const LadderCounter& counter : rung.shown_by) {
    const auto count = [&](const Rung& of) {
      return counters.value(problem, to_text(of.config), counter.metric);
    };
    const std::optional<double> own = count(rung);
    if (!own) {
      continue;
    }
    const std::optional<double> other =
        rung.against ? count(ladder.rungs[*rung.against]) : std::nullopt;
    parts.push_back(
        fmt::format("{} {}{} {}", counter.name,
                    other ? count_text(*other / counter.per_unit) + " → " : std::string(),
                    count_text(*own / counter.per_unit), counter.unit));
  }
  return join(parts, "; ");
}

std::string rung_line(const Ladder& ladder, std::size_t place, const MeasuredProblem& measured,
                      const CounterFile& counters, FlopsPerCycle peak) {
  const Rung& rung = ladder.rungs[place];
  const Measured other = rung.against
                             ? find_measured(measured, to_text(ladder.rungs[*rung.against].config))
                             : Measured{};
  return fmt::format(
      "| {} | {} | `{}` | {} | {} | {} |\n", place + 1, rung.name, short_text(rung.config),
      rung.against ? fmt::format("{}", *rung.against + 1) : "",
      measured_cells(measured.problem, find_measured(measured, to_text(rung.config)), other, peak),
      shown_by_text(ladder, rung, measured.problem, counters));
}

std::string cublaslt_line(std::string_view config, std::string_view name,
                          const MeasuredProblem& measured, FlopsPerCycle peak) {
  const auto found = measured.by_config.find(std::string(config));
  return found == measured.by_config.end()
             ? ""
             : fmt::format("| | {} | | | {} | |\n", name,
                           measured_cells(measured.problem, found->second, {}, peak));
}

bool has_a_rung(const Ladder& ladder, const MeasuredProblem& measured) {
  return std::any_of(ladder.rungs.begin(), ladder.rungs.end(), [&](const Rung& rung) {
    return measured.by_config.contains(to_text(rung.config));
  });
}

std::string problem_title(const GemmProblem& problem) {
  return fmt::format("**{} {} {}**", to_text(problem.shape), to_text(problem.dtype),
                     to_text(problem.layout));
}

}  // namespace

std::string ladder_tables(const GpuSpec& gpu, const Ladder& ladder,
                          const std::vector<MeasurementFile>& files, const CounterFile& counters) {
  if (!gpu.wgmma && !gpu.tcgen05) {
    throw ConfigError(
        fmt::format("{}: expected a GPU whose file has a section wgmma, for its peak", gpu.name));
  }
  const FlopsPerCycle peak = tensor_rate(gpu) * gpu.sm.count;
  std::string text;
  for (const MeasuredProblem& measured : by_problem(gpu, files)) {
    if (!has_a_rung(ladder, measured)) {
      continue;
    }
    text += fmt::format("{}\n\n{}", problem_title(measured.problem), kLadderHead);
    for (std::size_t place = 0; place < ladder.rungs.size(); ++place) {
      text += rung_line(ladder, place, measured, counters, peak);
    }
    text += cublaslt_line(kCublasltTop1, "cuBLASLt top-1", measured, peak) +
            cublaslt_line(kCublasltBest, "cuBLASLt best", measured, peak) + "\n";
  }
  if (text.empty()) {
    std::vector<std::string> names;
    for (const MeasurementFile& file : files) {
      names.push_back(file.name);
    }
    throw ConfigError(join(names, ", ") + ": expected a verified row of at least one rung");
  }
  text.pop_back();  // the legend begins with the empty line
  return text + std::string(kLadderLegend);
}

}  // namespace tilecast
