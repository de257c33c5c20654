// tilecast compare: our pick, cuBLASLt and the roofs, for one GEMM or a list of them.

#include <fmt/format.h>

#include <atomic>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/comparison.h"
#include "cli/in_order.h"
#include "cli/output_parts.h"
#include "cli/problem_options.h"
#include "cli/read_problems.h"
#include "cli/waiting.h"
#include "model/base/error.h"
#include "model/base/file.h"
#include "model/base/parallel.h"
#include "model/base/text.h"

namespace tilecast {
namespace {

struct CompareOptions : ProblemOptions {
  std::string gpu = "h200_sxm", regime = "burst", inputs = "normal", format = "table", problems;
  unsigned threads = 0;
};

void compare_one(const CompareOptions& options, const LoadedGpu& gpu) {
  const Waiting waiting(fmt::format("{} on {}", options.shape, gpu.spec.name));
  const Comparison comparison =
      compare(gpu.spec, options.problem(), parse_regime(options.regime),
              parse_inputs(options.inputs), {.threads = options.threads}, config_folder());
  fmt::print("{}", options.format == "json" ? json_text(comparison_object(gpu.spec, comparison), 2)
                                            : comparison_text(gpu, comparison));
}

void compare_list(const CompareOptions& options, const LoadedGpu& gpu) {
  const bool json = options.format == "json";
  std::ifstream file;
  if (options.problems != "-") {
    check_readable(options.problems);
    file.open(options.problems);
  }
  std::atomic<std::size_t> failed = 0, all = 0;
  const auto answer = [&](const ListedProblem& listed) -> std::string {
    ++all;
    std::string why = listed.error;
    if (why.empty()) {
      try {
        const Comparison comparison = compare(gpu.spec, listed.problem, listed.regime,
                                              listed.inputs, {.threads = 1}, config_folder());
        return json ? json_text(comparison_object(gpu.spec, comparison))
                    : comparison_row(comparison);
      } catch (const ConfigError& error) {
        why = error.what();
      }
    }
    ++failed;
    return json ? json_text({{"schema", kAnswerSchema}, {"line", listed.line}, {"error", why}})
                : fmt::format("line {}: {}\n", listed.line, why);
  };
  const Waiting waiting("compare");
  InOrder in_order(options.threads > 0 ? options.threads : processor_count(),
                   [](const std::string& text) {
                     fmt::print("{}", text);
                     std::fflush(stdout);
                   });
  if (!json) {
    fmt::print("{}", comparison_titles());
  }
  const ProblemDefaults defaults{options.op,     options.dtype, options.regime,
                                 options.inputs, options.batch, options.gemm_fields()};
  read_problems(options.problems == "-" ? std::cin : file,
                options.problems == "-" ? "standard input" : options.problems, defaults, Shard{},
                [&](ListedProblem listed) {
                  in_order.give([&answer, own = std::move(listed)] { return answer(own); });
                });
  in_order.finish();
  if (failed > 0) {
    throw Error(ExitCode::kPartial,
                fmt::format("{} of {} problems could not be compared", failed.load(), all.load()));
  }
}

}  // namespace

void add_compare(Program& program) {
  const Command command =
      program.command("compare", "Compare our pick with cuBLASLt and with the roofs");
  const auto options = std::make_shared<CompareOptions>();
  command.group("Problem");
  const Option shape = add_shape(command, *options);
  add_problem_options(command, *options);
  command
      .option("--problems", options->problems,
              "Many problems instead of SHAPE, one a line, as predict takes them; a row each")
      .excludes(shape);
  command.group("Machine");
  command.option("--gpu", options->gpu,
                 "GPU: a name or part of one (`tilecast list gpus`), or a path to a GPU file");
  command.option("--regime", options->regime,
                 "burst: a few milliseconds on an idle GPU; sustained: continuous load");
  command.option("--inputs", options->inputs,
                 "normal, uniform, ternary or zeros: they set the power");
  command.group("Output");
  command.option("--format", options->format, "table or json; of --problems a line each")
      .one_of({"table", "json"});
  command.group("Model");
  command.option("--threads", options->threads, "For simulations; 0: one for each processor")
      .in_range(0u, 1024u);
  command.examples({"compare 4096x28672x4096 --dtype bf16",
                    "compare --problems layers.csv --dtype bf16 --format json"});
  command.runs([options] {
    options->take_shape();
    if (options->shape.empty() == options->problems.empty()) {
      throw ConfigError("expected SHAPE, or --problems FILE");
    }
    const LoadedGpu gpu = load_asked_gpu(options->gpu, true);
    options->problems.empty() ? compare_one(*options, gpu) : compare_list(*options, gpu);
  });
}

}  // namespace tilecast
