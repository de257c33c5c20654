// tilecast dataset: what a set of measurements says with no model, and which points are missing, as
// blocks of two pages.

#include <memory>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/generated_block.h"
#include "model/base/error.h"
#include "validate/compare/dataset_tables.h"
#include "validate/record/measurement_csv.h"

namespace tilecast {
namespace {

struct DatasetOptions {
  std::vector<std::string> data;
  std::string readme = "validate/data/h200_sxm/dataset/README.md",
              excluded = "validate/EXCLUDED.md";
  bool check = false;
};

void run_dataset(const DatasetOptions& options) {
  const GeneratedBlock readme(options.readme, options.check);
  const GeneratedBlock excluded(options.excluded, options.check);
  std::string command = "./tilecast dataset --data";
  std::vector<MeasurementFile> files;
  for (const std::string& path : options.data) {
    command += " " + path;
    files.push_back(read_measurements(path));
  }
  const std::vector<MeasuredGroup> groups = measured_groups(files);
  if (groups.empty()) {
    throw ConfigError("--data: expected a verified row of a GEMM of ours, found none");
  }
  readme.update(command, dataset_tables(groups));
  excluded.update(command, coverage_tables(files));
}

}  // namespace

void add_dataset(Program& program) {
  const Command command = program.command(
      "dataset", "Write the data set's own tables, and which points are missing, into two pages");
  const auto options = std::make_shared<DatasetOptions>();
  command
      .option("--data", options->data,
              "Measurement CSVs, plain or .gz; of a repeated point the first row counts")
      .required();
  command.option("--readme", options->readme, "The page with the tables");
  command.option("--excluded", options->excluded, "The page with coverage and missing points");
  command.flag("--check", options->check,
               "Change nothing; exit with 1 where a page is not up to date");
  command.runs([options] { run_dataset(*options); });
}

}  // namespace tilecast
