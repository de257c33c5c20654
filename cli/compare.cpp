// tilecast compare: the top pick, the library's kernel (cuBLASLt's or cuDNN's) and the rooflines,
// for one problem or a list of them.

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/comparison.h"
#include "cli/output_parts.h"
#include "cli/predict_output.h"
#include "cli/problem_list.h"
#include "cli/problem_options.h"
#include "cli/question.h"
#include "cli/waiting.h"

namespace tilecast {
namespace {

void compare_one(const Arguments& args, const LoadedGpu& gpu) {
  const Waiting waiting(fmt::format("{} on {}", asked_shape(args), gpu.spec.name));
  const Comparison comparison =
      compare(gpu.spec, rank(question_of(args, gpu.spec), gpu.spec, 1), config_folder());
  const std::string format = args.text("--format");
  const nlohmann::ordered_json object = comparison_object(gpu.spec, comparison);
  fmt::print("{}", format == "json"    ? json_text(object, 2)
                   : format == "jsonl" ? json_text(object)
                   : format == "csv"   ? fmt::format("{}\n{}\n", csv_titles(kComparedColumns),
                                                     csv_cells(object, kComparedColumns))
                                       : comparison_text(gpu, comparison));
}

void compare_list(const Arguments& args, const LoadedGpu& gpu) {
  const auto answer = [&](const ListedProblem& listed) -> ListAnswer {
    const Comparison comparison = compare(
        gpu.spec,
        rank_candidates(gpu.spec, listed.problem, asked_schedules(args, listed.problem, gpu.spec),
                        listed.regime, listed.inputs, 1,
                        {.threads = 1, .shortlist = shown_shortlist(listed.problem)}),
        config_folder());
    const nlohmann::ordered_json object = comparison_object(gpu.spec, comparison);
    return {object, {object}, comparison_row(comparison)};
  };
  answer_list(args, {comparison_titles(), kComparedColumns, answer});
}

}  // namespace

void run_compare(const Arguments& args) {
  const LoadedGpu gpu = load_asked_gpu(args.text("--gpu"), true);
  asks_for_list(args) ? compare_list(args, gpu) : compare_one(args, gpu);
}

}  // namespace tilecast
