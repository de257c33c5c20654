// tilecast compare: our pick, cuBLASLt and the roofs, for one GEMM or a list of them.

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/comparison.h"
#include "cli/output_parts.h"
#include "cli/problem_list.h"
#include "cli/problem_options.h"
#include "cli/question.h"
#include "cli/table.h"
#include "cli/waiting.h"

namespace tilecast {
namespace {

void compare_one(const Arguments& args, const LoadedGpu& gpu) {
  const Waiting waiting(fmt::format("{} on {}", asked_shape(args), gpu.spec.name));
  const Comparison comparison =
      compare(gpu.spec, asked_problem(args), parse_regime(args.text("--regime")),
              parse_inputs(args.text("--inputs")), asked_effort(args), config_folder());
  fmt::print("{}", args.text("--format") == "json"
                       ? json_text(comparison_object(gpu.spec, comparison), 2)
                       : comparison_text(gpu, comparison));
}

void compare_list(const Arguments& args, const LoadedGpu& gpu) {
  const bool json = args.text("--format") == "json";
  const ListAnswers answers{
      .header = json ? "" : comparison_titles(),
      .answer =
          [&](const ListedProblem& listed) {
            const Comparison comparison = compare(gpu.spec, listed.problem, listed.regime,
                                                  listed.inputs, {.threads = 1}, config_folder());
            return json ? json_text(comparison_object(gpu.spec, comparison))
                        : comparison_row(comparison);
          },
      .refusal =
          [&](const ListedProblem& listed, const std::string& why) {
            return json ? json_text(
                              {{"schema", kAnswerSchema}, {"line", listed.line}, {"error", why}})
                        : wrapped(fmt::format("line {}: ", listed.line), why);
          }};
  answer_list(args, answers, "could not be compared");
}

}  // namespace

void run_compare(const Arguments& args) {
  const LoadedGpu gpu = load_asked_gpu(args.text("--gpu"), true);
  args.given("--problems") ? compare_list(args, gpu) : compare_one(args, gpu);
}

}  // namespace tilecast
