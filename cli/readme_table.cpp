// tilecast readme-table: the table of results in README.md, from the committed measurements.

#include <memory>
#include <string>

#include "cli/commands.h"
#include "cli/generated_block.h"
#include "cli/joined_input.h"
#include "validate/compare/results_table.h"

namespace tilecast {
namespace {

struct ReadmeTableOptions {
  JoinedInputOptions input;
  std::string readme = "README.md";
  bool check = false;
};

void run_readme_table(const ReadmeTableOptions& options) {
  const GeneratedBlock block(options.readme, options.check);
  const JoinedInput input = load_joined_input(options.input);
  block.update("./tilecast readme-table " + command_line(options.input), results_table(input.data));
}

}  // namespace

void add_readme_table(Program& program) {
  const Command command = program.command(
      "readme-table", "Write the table of results between its markers in README.md");
  const auto options = std::make_shared<ReadmeTableOptions>();
  add_joined_input(command, options->input);
  command.option("--readme", options->readme, "The file to change");
  command.flag("--check", options->check,
               "Change nothing; exit with 1 where the file is not up to date");
  command.runs([options] { run_readme_table(*options); });
}

}  // namespace tilecast
