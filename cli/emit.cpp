// tilecast emit: writes the winner's kernel, or that of --config, to a self-contained source file.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <variant>

#include "cli/commands.h"
#include "cli/problem_options.h"
#include "cli/question.h"
#include "cli/waiting.h"
#include "kernels/emit/emit_gemm.h"
#include "model/base/error.h"
#include "model/base/file.h"
#include "model/base/shell_text.h"
#include "model/base/shown_text.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/gemm/problem/group_rows.h"
#include "model/gemm/problem/leading_text.h"
#include "model/gemm/problem/operand_copies.h"
#include "model/gemm/problem/problem_text.h"
#include "model/gemm/rules/split_rules.h"
#include "model/predict/predict.h"
#include "model/spec/load_gpu.h"

namespace tilecast {
namespace {

Prediction chosen(const Arguments& args, const GpuSpec& gpu) {
  const Waiting waiting(fmt::format("{} on {}", asked_shape(args), gpu.name));
  // An emitted kernel may run concurrently with others.
  constexpr std::size_t kMost = 64;
  const bool named = args.given("--config");
  const Ranking ranking = rank(question_of(args, gpu), gpu, named ? 1 : kMost);
  if (named) {
    return ranking.predictions.front();
  }
  const auto found = std::ranges::find_if_not(ranking.predictions, [](const Prediction& p) {
    return needs_all_pieces_resident(std::get<KernelConfig>(p.config));
  });
  if (found == ranking.predictions.end()) {
    throw ConfigError(
        fmt::format("the {} fastest all have reduction=spread, which must not run concurrently "
                    "with other kernels; --config writes one of them",
                    ranking.predictions.size()));
  }
  return *found;
}

[[noreturn]] void refuse_existing(const std::filesystem::path& path) {
  throw ConfigError(path.string() + " exists; --replace overwrites it");
}

}  // namespace

void run_emit(const Arguments& args) {
  const GemmProblem problem = std::get<GemmProblem>(asked_problem(args));
  if (copied_operands(problem).any()) {
    throw ConfigError(
        "emit: expected rows of A and B in whole 16 bytes, such as --lda and --ldb can say: the "
        "file "
        "has one kernel, and none that copies others");
  }
  const LoadedGpu gpu = load_asked_gpu(args.text("--gpu"), !args.given("--no-calibration"));
  std::string name = fmt::format("gemm_{}_{}_{}", to_text(problem.shape), to_text(problem.dtype),
                                 to_text(problem.layout));
  if (const std::string c = c_type_text(problem); !c.empty()) {
    name += "_" + c;
  }
  if (problem.accumulate == Accumulate::kExact) {
    name += "_exact";
  }
  if (problem.groups != nullptr) {
    name += fmt::format("_{}{}groups", problem.groups->count(),
                        grouped_along_k(problem)         ? "k"
                        : problem.groups->capacity() > 0 ? "masked"
                                                         : "");
  }
  if (problem.batch.products > 1) {
    name += "_batch" + to_text(problem.batch);
    std::ranges::replace(name, ':', '_');
  }
  if (const std::string leading = to_text(problem.leading); !leading.empty()) {
    name += "_" + leading;
    std::ranges::replace(name, ' ', '_');
    std::erase(name, '=');
  }
  if (fuses(problem.epilogue)) {
    name += "_" + to_text(problem.epilogue);
    std::ranges::replace(name, '+', '_');
  }
  name += ".cu";
  const std::filesystem::path path = std::filesystem::path(args.text("--out")) / name;
  const bool replace = args.given("--replace");
  std::error_code ignored;
  if (!replace && std::filesystem::exists(path, ignored)) {
    refuse_existing(path);
  }
  const Prediction best = chosen(args, gpu.spec);
  const KernelConfig config = std::get<KernelConfig>(best.config);
  const std::string source = emitted_source(
      {.problem = problem, .config = config, .gpu = gpu.spec.product, .forecast = best.time}, name);
  if (replace) {
    write_file(path, source);
  } else if (!write_new_file(path, source)) {
    refuse_existing(path);
  }
  const std::string folder = (path.string().starts_with('-') ? "./" : "") + args.text("--out");
  fmt::print("{}\n{}: predicted {:.2f} us\ncd {} && {}\n", on_one_line(path.string()),
             to_text(config), best.time.value * 1e6, shell_word(folder), build_line(config, name));
}

}  // namespace tilecast
