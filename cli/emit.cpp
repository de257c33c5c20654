// tilecast emit: writes the winner's kernel, or that of --config, to a self-contained source file.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <variant>

#include "cli/commands.h"
#include "cli/file_plan.h"
#include "cli/output_parts.h"
#include "cli/problem_options.h"
#include "cli/question.h"
#include "cli/say.h"
#include "cli/waiting.h"
#include "kernels/emit/emit.h"
#include "model/base/error.h"
#include "model/base/file.h"
#include "model/base/shell_text.h"
#include "model/base/shown_text.h"
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
    const KernelConfig* const gemm = std::get_if<KernelConfig>(&p.config);
    return gemm != nullptr && needs_all_pieces_resident(*gemm);
  });
  if (found == ranking.predictions.end()) {
    throw ConfigError(
        fmt::format("the {} fastest configurations all have reduction=spread, which must not run "
                    "concurrently with other kernels; name one with --config to write it anyway",
                    ranking.predictions.size()));
  }
  return *found;
}

[[noreturn]] void refuse_existing(const std::filesystem::path& path) {
  throw ConfigError(path.string() +
                    " already exists; --replace overwrites it, --out NAME.cu names "
                    "another file");
}

}  // namespace

void run_emit(const Arguments& args) {
  const AnyProblem problem = asked_problem(args);
  const LoadedGpu gpu = load_asked_gpu(args.text("--gpu"), !args.given("--no-calibration"));
  const bool prints = args.text("--out") == "-";
  std::filesystem::path path = prints ? "" : args.text("--out");
  if (path.extension() != ".cu") {
    path /= emitted_file_name(problem);
  }
  const std::string name = path.filename().string();
  const bool replace = args.given("--replace");
  std::error_code ignored;
  if (!prints && !replace && std::filesystem::exists(path, ignored)) {
    refuse_existing(path);
  }
  if (!prints && std::filesystem::is_symlink(path, ignored)) {
    throw ConfigError(path.string() + " is a symbolic link; emit replaces only regular files");
  }
  FilePlan plan;
  plan.writes("--out", prints ? std::filesystem::path() : path);
  plan.check();
  if (const std::string memory = memory_text(gpu.spec, problem); !memory.empty()) {
    say("{}", memory);
  }
  const Prediction best = chosen(args, gpu.spec);
  const Emitted emitted{
      .problem = problem, .config = best.config, .gpu = gpu.spec.product, .forecast = best.time};
  const std::string source = emitted_source(emitted, name);
  if (prints) {
    fmt::print("{}", source);
    say("{}: predicted {:.2f} us", kernel_text(best.config), best.time.value * 1e6);
    return;
  }
  if (replace) {
    write_file(path, source);
  } else if (!write_new_file(path, source)) {
    refuse_existing(path);
  }
  const std::string folder = path.has_parent_path() ? path.parent_path().string() : ".";
  fmt::print("{}\n{}: predicted {:.2f} us\ncd {} && {}\n", on_one_line(path.string()),
             kernel_text(best.config), best.time.value * 1e6,
             shell_word((folder.starts_with('-') ? "./" : "") + folder), build_line(emitted, name));
}

}  // namespace tilecast
