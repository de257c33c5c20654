// tilecast pages: writes the tables between markers in this repository's pages, and their figures,
// from measurements and GPU files.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/chart_library.h"
#include "cli/commands.h"
#include "cli/generated_block.h"
#include "cli/report_input.h"
#include "cli/waiting.h"
#include "model/base/error.h"
#include "model/base/file.h"
#include "model/base/text.h"
#include "model/spec/constants_table.h"
#include "model/spec/load_gpu.h"
#include "model/spec/strict_map.h"
#include "model/tile/kernel_config_text.h"
#include "validate/compare/counter_file.h"
#include "validate/compare/data_split.h"
#include "validate/compare/dataset_tables.h"
#include "validate/compare/decomposition_table.h"
#include "validate/compare/ladder.h"
#include "validate/compare/ladder_table.h"
#include "validate/compare/public_cases.h"
#include "validate/compare/results_table.h"
#include "validate/record/measurement_csv.h"

namespace tilecast {
namespace {

namespace fs = std::filesystem;

/// At whose tile whole tiles are compared with what splits K.
constexpr const char* kSplitTile =
    "warp_specialized:tile=128x256x64,stages=4,warpgroups=2x1,cluster=2x1,ctas=1,inflight=1,"
    "c_slots=2,producer=40,grid=resident,raster=grouped_m,group=8,walk=strided";

struct PagesOptions {
  std::vector<std::string> names;
  std::string list = "validate/pages.yaml", predictions;
  bool check = false;
};

/// The input of an entry of the list: a GPU and its data, a report's manifest, or a list of
/// sources.
struct Source {
  std::string gpu, predictions;
  std::vector<std::string> data;
  std::string counters;  // empty: none
  std::optional<Manifest> manifest;
  std::string list;

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

/// A text for each page, in the order of `pages`, and the chart of `figure`, null where none is.
struct Made {
  std::vector<std::string> texts;
  nlohmann::ordered_json chart = {};
};

/// Tables by the name of their entry.
struct Tables {
  std::string name;
  Made (*make)(const Source&);
};

/// README's sentences about accuracy and its figure, the report's distribution of errors.
Made headline(const Source& source) {
  Manifest manifest = source.manifest.value();
  manifest.waves.reset();
  manifest.timelines.clear();
  JoinedInputOptions options;
  options.predictions = source.predictions;
  const nlohmann::ordered_json report = report_json(load_report_input(manifest, options));
  const fs::path page = load_page_parts().folder;
  return {{report_headline(report, page)},
          chart_with_rows(page, "errors", report["errors"]["curve"])};
}

Made results(const Source& source) { return {{results_table(source.joined().data)}}; }

Made dataset(const Source& source) {
  const std::vector<MeasuredGroup> groups = measured_groups(source.files());
  if (groups.empty()) {
    throw ConfigError(fmt::format("{}: expected a verified row of a GEMM of ours, found none",
                                  join(source.data, ", ")));
  }
  return {{dataset_tables(groups)}};
}

Made splits(const Source& source) {
  const KernelConfig at = parse_kernel_config(kSplitTile);
  const JoinedInput input = source.joined();
  return {{decomposition_tables(at, decomposition_rows(input.gpu.spec, at, input.data.groups))}};
}

Made ladder(const Source& source) {
  const CounterFile counters =
      source.counters.empty() ? CounterFile{} : CounterFile::read(source.counters);
  return {{ladder_tables(load_gpu(source.gpu, true).spec, load_ladder("kernels/gemm/ladder.yaml"),
                         source.files(), counters)}};
}

Made public_cases(const Source& source) { return {{public_table(judge_public_list(source.list))}}; }

Made constants(const Source& source) {
  std::vector<LoadedGpu> gpus;
  for (const std::string& path : source.data) {
    gpus.push_back(load_gpu(path, false));
  }
  return {{constants_table(std::move(gpus))}};
}

const std::vector<Tables>& every_table() {
  static const std::vector<Tables> tables{
      {"headline", headline}, {"results", results},     {"dataset", dataset},    {"splits", splits},
      {"ladder", ladder},     {"constants", constants}, {"public", public_cases}};
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

Source source_of(const StrictMap& map, const std::string& predictions) {
  Source source{.predictions = predictions};
  if (const std::optional<StrictValue> manifest = map.optional("manifest")) {
    source.manifest = load_manifest(manifest->text());
    return source;
  }
  if (const std::optional<StrictValue> list = map.optional("list")) {
    source.list = list->text();
    return source;
  }
  source.gpu = map.required("gpu").text();
  source.data = texts(map.required("data"));
  if (const std::optional<StrictValue> counters = map.optional("counters")) {
    source.counters = counters->text();
  }
  return source;
}

/// With `check` the figure must be up to date.
void update_figure(const fs::path& path, const nlohmann::ordered_json& chart,
                   const std::string& command, bool check) {
  if (fs::exists(path) && read_file(path).starts_with(figure_mark(chart))) {
    return;
  }
  if (check) {
    throw Error(ExitCode::kWrong,
                fmt::format("{}: is not up to date; run {}", path.string(), command));
  }
  write_file(path, draw_chart(chart));
}

void write_pages(const Tables& tables, const StrictValue& entry, const PagesOptions& options) {
  const StrictMap map =
      entry.map({"manifest", "list", "gpu", "data", "counters", "figure", "pages"});
  const Source source = source_of(map, options.predictions);
  std::vector<GeneratedBlock> blocks;
  for (const std::string& page : texts(map.required("pages"))) {
    blocks.emplace_back(page, options.check);
  }
  const Made made = tables.make(source);
  if (blocks.size() != made.texts.size()) {
    map.required("pages").fail(fmt::format("expected {} of them", made.texts.size()));
  }
  const std::string command = "./tilecast pages " + tables.name;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    blocks[i].update(command, made.texts[i]);
  }
  if (const std::optional<StrictValue> figure = map.optional("figure")) {
    update_figure(figure->text(), made.chart, command, options.check);
  }
}

void run_pages(const PagesOptions& options) {
  const Waiting waiting = Waiting::off_terminal("pages");
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
                 "File that keeps predictions from run to run");
  command.runs([options] { run_pages(*options); });
}

}  // namespace tilecast
