// tilecast ladder: the tables of kernels/gemm/README.md, from the committed measurements.

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/generated_block.h"
#include "model/base/text.h"
#include "model/spec/load_gpu.h"
#include "validate/compare/counter_file.h"
#include "validate/compare/ladder.h"
#include "validate/compare/ladder_table.h"

namespace tilecast {
namespace {

constexpr const char* kLadder = "kernels/gemm/ladder.yaml";
constexpr const char* kLadderReadme = "kernels/gemm/README.md";

struct LadderOptions {
  std::string gpu = "h200_sxm";
  std::vector<std::string> data;
  std::string counters;
  std::string ladder = kLadder;
  std::string readme = kLadderReadme;
  bool check = false;
};

/// The options that decide what the tables hold, as one would type them.
std::string command_line(const LadderOptions& options) {
  std::string text =
      fmt::format("./tilecast ladder --gpu {} --data {}", options.gpu, join(options.data, " "));
  if (!options.counters.empty()) {
    text += " --counters " + options.counters;
  }
  if (options.ladder != kLadder) {
    text += " --ladder " + options.ladder;
  }
  return text;
}

void run_ladder(const LadderOptions& options) {
  const GeneratedBlock block(options.readme, options.check);
  const LoadedGpu gpu = load_gpu(options.gpu, true);
  const Ladder ladder = load_ladder(options.ladder);
  std::vector<MeasurementFile> files;
  for (const std::string& path : options.data) {
    files.push_back(read_measurements(path));
  }
  const CounterFile counters =
      options.counters.empty() ? CounterFile{} : CounterFile::read(options.counters);
  block.update(command_line(options), ladder_tables(gpu.spec, ladder, files, counters));
}

}  // namespace

void add_ladder(Program& program) {
  const Command command = program.command(
      "ladder", "Write the tables of rungs between their markers in kernels/gemm/README.md");
  const auto options = std::make_shared<LadderOptions>();
  command.option("--gpu", options->gpu, "A name in configs/gpus, or a path");
  command.option("--data", options->data, "Measurement files, .csv or .csv.gz").required();
  command.option("--counters", options->counters,
                 "Hardware counters of the same kernels, .csv or .csv.gz");
  command.option("--ladder", options->ladder, "The rungs and what shows them");
  command.option("--readme", options->readme, "The file to change");
  command.flag("--check", options->check,
               "Change nothing; exit with 1 where the file is not up to date");
  command.runs([options] { run_ladder(*options); });
}

}  // namespace tilecast
