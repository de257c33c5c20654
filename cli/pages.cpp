// tilecast pages: the tables that this repository's pages have between markers, from measurements
// and GPU files.

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/generated_block.h"
#include "cli/joined_input.h"
#include "model/base/error.h"
#include "model/base/text.h"
#include "model/spec/constants_table.h"
#include "model/spec/load_gpu.h"
#include "model/spec/strict_map.h"
#include "model/tile/kernel_config_text.h"
#include "validate/compare/counter_file.h"
#include "validate/compare/dataset_tables.h"
#include "validate/compare/decomposition_table.h"
#include "validate/compare/ladder.h"
#include "validate/compare/ladder_table.h"
#include "validate/compare/results_table.h"
#include "validate/record/measurement_csv.h"

namespace tilecast {
namespace {

/// At whose tile whole tiles are compared with what splits K.
constexpr const char* kSplitTile =
    "warp_specialized:tile=128x256x64,stages=4,warpgroups=2x1,cluster=2x1,ctas=1,inflight=1,"
    "c_slots=2,producer=40,grid=resident,raster=grouped_m,group=8,walk=strided";

struct PagesOptions {
  std::vector<std::string> names;
  std::string list = "validate/pages.yaml", predictions;
  bool check = false;
};

/// What an entry of the list names.
struct Source {
  std::string gpu, predictions;
  std::vector<std::string> data;
  std::string counters;  // empty: none

  JoinedInput joined() const {
    JoinedInputOptions options;
    options.gpu = gpu;
    options.data = data;
    options.predictions = predictions;
    return load_joined_input(options);
  }
  std::vector<MeasurementFile> files() const {
    std::vector<MeasurementFile> read;
    for (const std::string& path : data) {
      read.push_back(read_measurements(path));
    }
    return read;
  }
};

/// Tables by the name of their entry; each text is for the page in its place.
struct Tables {
  std::string name;
  std::vector<std::string> (*make)(const Source&);
};

std::vector<std::string> results(const Source& source) {
  return {results_table(source.joined().data)};
}

std::vector<std::string> dataset(const Source& source) {
  const std::vector<MeasurementFile> files = source.files();
  const std::vector<MeasuredGroup> groups = measured_groups(files);
  if (groups.empty()) {
    throw ConfigError(fmt::format("{}: expected a verified row of a GEMM of ours, found none",
                                  join(source.data, ", ")));
  }
  return {dataset_tables(groups), coverage_tables(files)};
}

std::vector<std::string> splits(const Source& source) {
  const KernelConfig at = parse_kernel_config(kSplitTile);
  const JoinedInput input = source.joined();
  return {decomposition_tables(at, decomposition_rows(input.gpu.spec, at, input.data.groups))};
}

std::vector<std::string> ladder(const Source& source) {
  const CounterFile counters =
      source.counters.empty() ? CounterFile{} : CounterFile::read(source.counters);
  return {ladder_tables(load_gpu(source.gpu, true).spec, load_ladder("kernels/gemm/ladder.yaml"),
                        source.files(), counters)};
}

std::vector<std::string> constants(const Source& source) {
  std::vector<LoadedGpu> gpus;
  for (const std::string& path : source.data) {
    gpus.push_back(load_gpu(path, false));
  }
  return {constants_table(std::move(gpus))};
}

const std::vector<Tables>& every_table() {
  static const std::vector<Tables> tables{{"results", results},
                                          {"dataset", dataset},
                                          {"splits", splits},
                                          {"ladder", ladder},
                                          {"constants", constants}};
  return tables;
}

std::vector<std::string> names_of_tables() {
  std::vector<std::string> names;
  for (const Tables& tables : every_table()) {
    names.push_back(tables.name);
  }
  return names;
}

std::vector<std::string> texts(const StrictValue& list) {
  std::vector<std::string> result;
  for (const StrictValue& item : list.list()) {
    result.push_back(item.text());
  }
  return result;
}

void write_pages(const Tables& tables, const StrictValue& entry, const PagesOptions& options) {
  const StrictMap map = entry.map({"gpu", "data", "counters", "pages"});
  const std::optional<StrictValue> counters = map.optional("counters");
  const Source source{map.required("gpu").text(), options.predictions, texts(map.required("data")),
                      counters ? counters->text() : ""};
  std::vector<GeneratedBlock> blocks;
  for (const std::string& page : texts(map.required("pages"))) {
    blocks.emplace_back(page, options.check);
  }
  const std::vector<std::string> made = tables.make(source);
  if (blocks.size() != made.size()) {
    map.required("pages").fail(fmt::format("expected {} of them", made.size()));
  }
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    blocks[i].update("./tilecast pages " + tables.name, made[i]);
  }
}

void run_pages(const PagesOptions& options) {
  const StrictMap list = load_yaml(options.list).map(names_of_tables());
  for (const Tables& tables : every_table()) {
    const bool named = std::ranges::find(options.names, tables.name) != options.names.end();
    if (named) {
      write_pages(tables, list.required(tables.name), options);
    } else if (const std::optional<StrictValue> entry = list.optional(tables.name);
               entry && options.names.empty()) {
      write_pages(tables, *entry, options);
    }
  }
}

}  // namespace

void add_pages(Program& program) {
  const Command command =
      program.command("pages", "Write the generated tables of this repository's pages");
  const auto options = std::make_shared<PagesOptions>();
  command
      .option("NAME", options->names, join(names_of_tables(), ", ") + "; all where none is named")
      .one_of(names_of_tables());
  command.flag("--check", options->check,
               "Change nothing; exit with 1 where a page is not up to date");
  command.option("--list", options->list, "What each table is made from, and its page");
  command.option("--predictions", options->predictions,
                 "File that keeps predictions from run to run, as report's does");
  command.runs([options] { run_pages(*options); });
}

}  // namespace tilecast
