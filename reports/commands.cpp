#include "reports/commands.h"

#include <fmt/format.h>

#include "model/base/shell_text.h"
#include "model/tile/kernel_config_text.h"
#include "reports/quantities.h"

namespace tilecast {
namespace {

/// SHAPE and the options that say what the problem is, where they are not the usual ones.
std::string problem_options(const AnyProblem& problem) {
  const GemmProblem* gemm = std::get_if<GemmProblem>(&problem);
  const bool tn = gemm == nullptr || gemm->layout == Layout::kTn;
  const ElementType dtype = dtype_of(problem);
  const bool in_groups = gemm != nullptr && gemm->groups != nullptr;  // a shell's brackets
  return (in_groups ? shell_word(shape_text(problem)) : shape_text(problem)) +
         (gemm != nullptr ? "" : fmt::format(" --op {}", to_text(op_of(problem)))) +
         (dtype == ElementType::kFp16 ? "" : fmt::format(" --dtype {}", to_text(dtype))) +
         (gemm == nullptr || c_type_text(*gemm).empty()
              ? ""
              : fmt::format(" --dtype-c {}", c_type_text(*gemm))) +
         (gemm == nullptr || gemm->accumulate == Accumulate::kFast ? "" : " --accumulate exact") +
         (tn ? "" : fmt::format(" --layout {}", to_text(gemm->layout))) +
         (gemm == nullptr || !fuses(gemm->epilogue)
              ? ""
              : fmt::format(" --epilogue {}", to_text(gemm->epilogue)));
}

std::string asked_options(const Asked& asked) {
  return (asked.regime == Regime::kBurst ? ""
                                         : fmt::format(" --regime {}", to_text(asked.regime))) +
         (asked.inputs == Inputs::kNormal ? ""
                                          : fmt::format(" --inputs {}", to_text(asked.inputs))) +
         " --config " + shell_word(asked.config);
}

}  // namespace

Asked asked_of(const Measurement& row) {
  return {problem_of(row.point), row.point.config, row.point.regime, row.point.inputs,
          row.point.l2_state};
}

std::string predict_command(const ReportInput& input, const Asked& asked, const std::string& more) {
  return fmt::format("./tilecast predict {} {}{}{}", problem_options(asked.problem),
                     input.gpu_options, asked_options(asked), more);
}

std::string predict_command_on(const std::string& gpu, const Asked& asked) {
  return fmt::format("./tilecast predict {} --gpu {}{}", problem_options(asked.problem),
                     shell_word(gpu), asked_options(asked));
}

std::string explain_command(const ReportInput& input, const Asked& asked, const std::string& more) {
  return fmt::format("./tilecast explain {} {}{}{}", problem_options(asked.problem),
                     input.gpu_options, asked_options(asked), more);
}

std::string timeline_command(const Asked& asked, const std::string& more) {
  return fmt::format("build/release/tilecast-gpu timeline {}{}{}", problem_options(asked.problem),
                     asked_options(asked), more);
}

std::string measure_command(const Asked& asked, const std::string& more) {
  const std::string l2 =
      asked.l2_state == L2State::kRotating ? "" : fmt::format(" --l2 {}", to_text(asked.l2_state));
  return fmt::format("./tilecast measure {}{}{}{} --out CSV", problem_options(asked.problem),
                     asked_options(asked), l2, more);
}

std::vector<std::string> point_commands(const ReportInput& input, const JoinedPoint& point) {
  const Asked asked = asked_of(point.measured);
  return {predict_command(input, asked), measure_command(asked)};
}

Column canonical_column(const std::string& key) {
  return {.key = key, .title = "configuration in full", .on_page = false, .is_code = true};
}

}  // namespace tilecast
