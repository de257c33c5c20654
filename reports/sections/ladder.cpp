// What each mechanism saves, in cycles and in energy: the rungs of kernels/gemm/ladder.yaml, each
// beside the one that it is compared with, as measured and as predicted.

#include <fmt/format.h>

#include "model/tile/kernel_config_text.h"
#include "reports/commands.h"
#include "reports/quantities.h"
#include "reports/sections/sections.h"

namespace tilecast {
namespace {

struct RungRows {
  const JoinedPoint *burst, *sustained;

  std::optional<double> cycles() const {
    return burst != nullptr && burst->measured.cycles
               ? std::optional(burst->measured.cycles->value * kToKilocycles)
               : std::nullopt;
  }
  std::optional<double> predicted() const {
    return burst != nullptr ? std::optional(burst->predicted.cycles.value * kToKilocycles)
                            : std::nullopt;
  }
  std::optional<double> energy(const GpuSpec& gpu) const {
    return sustained != nullptr ? joules_per_tflop(gpu, sustained->measured) : std::nullopt;
  }
};

std::optional<double> change(std::optional<double> from, std::optional<double> to) {
  return from && to ? std::optional((*to / *from - 1) * kToPercent) : std::nullopt;
}

std::vector<Column> rung_columns() {
  return {{.key = "shape", .title = "shape"},
          {.key = "place", .title = "", .digits = 3},
          {.key = "rung", .title = "rung"},
          {.key = "schedule", .title = "schedule"},
          {.key = "config", .title = "configuration", .is_code = true},
          {.key = "against", .title = "against", .digits = 3},
          {.key = "kcycles", .title = "measured", .unit = "kcycles", .digits = 5},
          {.key = "predicted_kcycles", .title = "predicted", .unit = "kcycles", .digits = 5},
          {.key = "change", .title = "change", .unit = "%", .digits = 3},
          {.key = "predicted_change", .title = "predicted change", .unit = "%", .digits = 3},
          {.key = "ghz", .title = "clock", .unit = "GHz", .digits = 4},
          {.key = "tflops", .title = "burst", .unit = "TFLOPS", .digits = 3},
          {.key = "sustained_tflops", .title = "sustained", .unit = "TFLOPS", .digits = 3},
          {.key = "joules", .title = "energy", .unit = "J/TFLOP", .digits = 3},
          {.key = "energy_change", .title = "change", .unit = "%", .digits = 3},
          canonical_column()};
}

std::vector<Cell> rung_row(const ReportInput& input, const AnyProblem& problem, std::size_t place) {
  const Rung& rung = input.ladder->rungs[place];
  const auto rows_of = [&](const Rung& of) {
    const std::string text = to_text(of.config);
    return RungRows{find_point(input, problem, text, Regime::kBurst),
                    find_point(input, problem, text, Regime::kSustained)};
  };
  const RungRows own = rows_of(rung);
  const RungRows other =
      rung.against ? rows_of(input.ladder->rungs[*rung.against]) : RungRows{nullptr, nullptr};
  const auto speed = [&](const JoinedPoint* point) {
    return point == nullptr ? Cell() : maybe(tflops(problem, point->measured_time()));
  };
  return {problem_text(problem),
          static_cast<double>(place + 1),
          rung.name,
          std::string(to_text(rung.config.schedule)),
          config_text(rung.config),
          rung.against ? Cell(static_cast<double>(*rung.against + 1)) : Cell(),
          maybe(own.cycles()),
          maybe(own.predicted()),
          maybe(change(other.cycles(), own.cycles())),
          maybe(change(other.predicted(), own.predicted())),
          own.burst != nullptr && own.burst->measured.sm_clock
              ? Cell(own.burst->measured.sm_clock->value * kToGigahertz)
              : Cell(),
          speed(own.burst),
          speed(own.sustained),
          maybe(own.energy(input.gpu.spec)),
          maybe(change(other.energy(input.gpu.spec), own.energy(input.gpu.spec))),
          to_text(rung.config)};
}

std::vector<std::string> ladder_commands(const ReportInput& input, const AnyProblem& problem) {
  std::vector<std::string> commands;
  for (const Rung& rung : input.ladder->rungs) {
    const JoinedPoint* point = find_point(input, problem, to_text(rung.config), Regime::kBurst);
    if (point != nullptr && commands.empty()) {
      commands = point_commands(input, *point);
    }
  }
  return commands;
}

/// Problems of the pool on which at least half of the rungs were measured, and two.
std::vector<AnyProblem> ladder_problems(const ReportInput& input) {
  std::vector<AnyProblem> problems;
  for (const JoinedGroup& group : input.pool.groups) {
    if (group.regime != Regime::kBurst || op_of(group.problem) != Op::kGemm) {
      continue;
    }
    std::size_t rungs = 0;
    for (const Rung& rung : input.ladder->rungs) {
      rungs +=
          find_point(input, group.problem, to_text(rung.config), Regime::kBurst) != nullptr ? 1 : 0;
    }
    const bool usual = group.inputs == Inputs::kNormal && group.l2_state == L2State::kRotating;
    if (usual && rungs > 1 && 2 * rungs >= input.ladder->rungs.size()) {
      problems.push_back(group.problem);
    }
  }
  return problems;
}

}  // namespace

MaybeSection ladder_section(const ReportInput& input) {
  if (!input.ladder) {
    return std::nullopt;
  }
  const std::vector<AnyProblem> problems = ladder_problems(input);
  if (problems.empty()) {
    return std::nullopt;
  }
  DataTable table{"ladder", "The ladder of schedules", rung_columns(), {}};
  const AnyProblem* fullest = &problems.front();
  std::size_t most = 0;
  for (const AnyProblem& problem : problems) {
    std::size_t rows = 0;
    for (std::size_t place = 0; place < input.ladder->rungs.size(); ++place) {
      std::vector<Cell> row = rung_row(input, problem, place);
      if (!std::holds_alternative<std::monostate>(row[table.column("kcycles")])) {
        table.rows.push_back(std::move(row));
        ++rows;
      }
    }
    if (rows >= most) {  // of equally full ones the largest, which comes last
      most = rows;
      fullest = &problem;
    }
  }
  std::vector<std::string> files = input.data_files();
  for (const std::string& file : input.more_files()) {
    files.push_back(file);
  }
  files.push_back(input.ladder_file);
  Section section{.id = "ladder",
                  .title = "What each mechanism saves",
                  .text =
                      "Each rung adds one mechanism to the rung it is compared with "
                      "(*against*). *change*: of SM cycles in the burst regime, and of joules "
                      "for 10¹² operations under sustained load, static power included; less "
                      "than zero is better. A kernel that the power cap slows counts with the "
                      "cap's power, around which a row's meter scatters by 10 %.",
                  .files = std::move(files),
                  .commands = ladder_commands(input, *fullest)};
  section.charts = {{"ladder",
                     "Cycles, rung by rung",
                     "Bar: measured in a burst; tick: predicted.",
                     {"ladder"},
                     {{"shape", "Shape", true, problem_text(*fullest)}}}};
  const std::size_t joules = table.column("joules");
  for (const std::vector<Cell>& row : table.rows) {
    if (!std::holds_alternative<std::monostate>(row[joules])) {
      section.charts.push_back({"ladder_energy",
                                "Energy, rung by rung",
                                "Joules for 10¹² operations under sustained load.",
                                {"ladder"},
                                {{"shape", "Shape", true, problem_text(*fullest)}}});
      break;
    }
  }
  section.tables = {std::move(table)};
  return section;
}

}  // namespace tilecast
