// tilecast decompositions: what splitting K gives, as the table of a page, from measurements.

#include <fmt/format.h>

#include <memory>
#include <string>

#include "cli/commands.h"
#include "cli/generated_block.h"
#include "cli/joined_input.h"
#include "model/base/error.h"
#include "model/predict/legality.h"
#include "model/tile/kernel_config_text.h"
#include "validate/compare/decomposition_table.h"

namespace tilecast {
namespace {

constexpr const char* kAt =
    "warp_specialized:tile=128x256x64,stages=4,warpgroups=2x1,cluster=2x1,ctas=1,inflight=1,"
    "c_slots=2,producer=40,grid=resident,raster=grouped_m,group=8,walk=strided";
constexpr const char* kReadme = "validate/data/h200_sxm/splits/README.md";

struct DecompositionsOptions {
  JoinedInputOptions input;
  std::string at = kAt;
  std::string readme = kReadme;
  bool check = false;
};

void run_decompositions(const DecompositionsOptions& options) {
  const KernelConfig at = parse_kernel_config(options.at);
  const GeneratedBlock block(options.readme, options.check);
  const JoinedInput input = load_joined_input(options.input);
  const GemmProblem whole_tile{{at.tiling.block_m * at.tiling.cluster_m,
                                at.tiling.block_n * at.tiling.cluster_n, at.tiling.block_k},
                               ElementType::kFp16,
                               Layout::kTn};
  if (const Refusal refusal = check_legal(input.gpu.spec, whole_tile, at);
      refusal != Refusal::kNone) {
    throw ConfigError(fmt::format("--at {}: {}", options.at,
                                  describe_refusal(refusal, input.gpu.spec, whole_tile, at)));
  }
  std::string command = "./tilecast decompositions " + command_line(options.input);
  if (options.at != kAt) {
    command += " --at " + options.at;
  }
  block.update(command,
               decomposition_tables(at, decomposition_rows(input.gpu.spec, at, input.data.groups)));
}

}  // namespace

void add_decompositions(Program& program) {
  const Command command = program.command(
      "decompositions", "Write the table of what splitting K gives between its markers in a page");
  const auto options = std::make_shared<DecompositionsOptions>();
  add_joined_input(command, options->input);
  command.option("--at", options->at, "The configuration whose tile is compared");
  command.option("--readme", options->readme, "The file to change");
  command.flag("--check", options->check,
               "Change nothing; exit with 1 where the file is not up to date");
  command.runs([options] { run_decompositions(*options); });
}

}  // namespace tilecast
