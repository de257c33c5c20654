// tilecast report: predicted beside measured, as a page, Markdown, data and figures.

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/chart_library.h"
#include "cli/commands.h"
#include "cli/file_plan.h"
#include "cli/report_input.h"
#include "cli/waiting.h"
#include "model/base/error.h"
#include "model/base/file.h"
#include "model/base/shell_text.h"
#include "model/base/text.h"
#include "reports/build_report.h"
#include "reports/figures.h"
#include "reports/quantities.h"
#include "reports/render_report.h"
#include "reports/sections/sections.h"
#include "reports/terminal_table.h"

namespace tilecast {
namespace {

namespace fs = std::filesystem;

struct ReportOptions {
  std::string gpu = "h200_sxm", manifest, out, against, predictions;
  std::vector<std::string> data;
  bool no_calibration = false, no_figures = false;
};

std::string gpu_options(const ReportOptions& options, const Manifest& manifest) {
  return fmt::format("--gpu {}{}", shell_word(manifest.gpu),
                     options.no_calibration ? " --no-calibration" : "");
}

std::string data_options(const ReportOptions& options, const Manifest& manifest) {
  std::vector<std::string> files;
  for (const std::string& file : manifest.data) {
    files.push_back(shell_word(file));
  }
  return fmt::format("{} --data {}", gpu_options(options, manifest), join(files, " "));
}

/// As one would type it.
std::string command_line(const ReportOptions& options, const Manifest& manifest) {
  return fmt::format("./tilecast report {} --out {}{}",
                     options.manifest.empty()
                         ? data_options(options, manifest)
                         : "--manifest " + shell_word(options.manifest) +
                               (options.no_calibration ? " --no-calibration" : ""),
                     shell_word(options.out),
                     options.against.empty() ? "" : " --against " + shell_word(options.against));
}

/// Everything that is read and written, tried before the work.
void check_files(const ReportOptions& options, const Manifest& manifest, const fs::path& cache) {
  FilePlan plan;
  plan.reads("--manifest", options.manifest);
  const std::string data = options.manifest.empty() ? "--data" : "the manifest";
  for (const auto& paths : {manifest.data, manifest.fixed, manifest.more, manifest.counters}) {
    plan.reads(data, paths);
  }
  plan.reads(data, {manifest.split, manifest.ladder, manifest.published, manifest.deviations,
                    manifest.excluded});
  for (const TimelineFile& timeline : manifest.timelines) {
    plan.reads(data, timeline.file);
  }
  plan.writes("--predictions", cache);
  plan.writes_folder("--out", options.out);
  refuse_foreign_files({"index.html", "report.md", kReportList}, options.out);
  plan.check();
}

Manifest manifest_of(const ReportOptions& options) {
  if (!options.manifest.empty()) {
    return load_manifest(options.manifest);
  }
  if (options.data.empty()) {
    throw ConfigError("report needs measurements: --data CSV, or --manifest FILE that lists them");
  }
  Manifest manifest;
  manifest.gpu = options.gpu;
  manifest.data = options.data;
  return manifest;
}

void run_report(const ReportOptions& options) {
  const Waiting waiting = Waiting::off_terminal("report");
  const Manifest manifest = manifest_of(options);
  const fs::path out = options.out;
  const fs::path cache_file =
      options.predictions.empty() ? out / "predictions.cache.csv" : fs::path(options.predictions);
  check_files(options, manifest, cache_file);
  std::optional<OtherReport> other;
  if (!options.against.empty()) {
    other = read_other_report(options.against);
  }
  PredictionCache cache = PredictionCache::read(cache_file);
  cache.store_in(cache_file);
  ReportInput input = load_report_input(manifest, !options.no_calibration, cache);
  input.command = command_line(options, manifest);
  input.gpu_options = gpu_options(options, manifest);
  input.data_options = data_options(options, manifest);
  Report report = build_report(input);
  if (other) {
    report.sections.insert(report.sections.begin(), changes_section(report, *other));
  }

  const ChartLibrary library = find_chart_library();
  const Figures figures = figures_of(report, report_folder() / "page", out / "figures",
                                     options.no_figures ? DrawFigures() : library.draw);
  const auto files =
      report_files(report, {report_folder() / "page", library.script, library.licences}, figures);
  write_report(files, out);
  if (cache.made() > 0) {
    write_file(cache_file, cache.text());
  }
  for (const std::string& note : library.notes) {
    fmt::print(stderr, "tilecast: {}\n", note);
  }
  if (!options.no_figures && !library.figures_note.empty()) {
    fmt::print(stderr, "tilecast: {}\n", library.figures_note);
  }
  print_summary(report, out.string());
}

}  // namespace

void add_report(Program& program) {
  const Command command = program.command(
      "report", "Write a report of predicted against measured: page, Markdown, data");
  const auto options = std::make_shared<ReportOptions>();
  const Option gpu =
      command.option("--gpu", options->gpu, "GPU name (`tilecast gpus`), or a path to a GPU file");
  const Option data = command.option("--data", options->data, "Measurement files, .csv or .csv.gz");
  command.option("--manifest", options->manifest, "A file that lists what the report shows")
      .excludes(data)
      .excludes(gpu);
  command.option("--out", options->out, "Folder to write").required();
  command.option("--against", options->against,
                 "Another report's folder: show what is different here");
  command.option("--predictions", options->predictions,
                 "Where predictions are kept [OUT/predictions.cache.csv]");
  command.flag("--no-calibration", options->no_calibration, "Ignore the GPU's calibration");
  command.flag("--no-figures", options->no_figures, "Keep the figures as they are: render none");
  command.runs([options] { run_report(*options); });
}

}  // namespace tilecast
