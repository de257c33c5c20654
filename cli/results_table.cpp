// tilecast results-table: the table of results in docs/results.md, from the committed measurements.

#include <memory>
#include <string>

#include "cli/commands.h"
#include "cli/generated_block.h"
#include "cli/joined_input.h"
#include "validate/compare/results_table.h"

namespace tilecast {
namespace {

struct ResultsTableOptions {
  JoinedInputOptions input;
  std::string page = "docs/results.md";
  bool check = false;
};

void run_results_table(const ResultsTableOptions& options) {
  const GeneratedBlock block(options.page, options.check);
  const JoinedInput input = load_joined_input(options.input);
  block.update("./tilecast results-table " + command_line(options.input),
               results_table(input.data));
}

}  // namespace

void add_results_table(Program& program) {
  const Command command = program.command(
      "results-table", "Write the table of results between its markers in docs/results.md");
  const auto options = std::make_shared<ResultsTableOptions>();
  add_joined_input(command, options->input);
  command.option("--readme", options->page, "The file to change");
  command.flag("--check", options->check,
               "Change nothing; exit with 1 where the file is not up to date");
  command.runs([options] { run_results_table(*options); });
}

}  // namespace tilecast
