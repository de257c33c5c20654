// tilecast report: predicted and measured kernels as one page.

#include <fmt/format.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/file_plan.h"
#include "cli/report_input.h"
#include "cli/waiting.h"
#include "model/base/error.h"
#include "model/base/file.h"
#include "model/base/refuse.h"
#include "model/base/shell_text.h"
#include "model/base/shown_text.h"
#include "model/base/text.h"
#include "reports/page.h"
#include "validate/compare/data_split.h"
#include "validate/record/stored_text.h"

namespace tilecast {
namespace {

namespace fs = std::filesystem;

constexpr const char *kPage = "index.html", *kData = "report.json";

struct ReportOptions {
  JoinedInputOptions input;
  std::string manifest, out;
};

std::string with_files(const char* option, const std::vector<std::string>& files) {
  std::string text = files.empty() ? "" : option;
  for (const std::string& file : files) {
    text += " " + shell_word(file);
  }
  return text;
}

std::string model_options(const JoinedInputOptions& input) {
  return fmt::format("{}{}", input.no_calibration ? " --no-calibration" : "",
                     input.no_correction ? " --no-correction" : "");
}

/// Returns the command as typed by a user.
std::string command_line(const ReportOptions& options) {
  const std::string from = options.manifest.empty()
                               ? fmt::format("--gpu {}{}", shell_word(options.input.gpu),
                                             with_files(" --data", options.input.data))
                               : "--manifest " + shell_word(options.manifest);
  return fmt::format("./tilecast report {}{} --out {}", from, model_options(options.input),
                     shell_word(options.out));
}

/// Returns the command that prints the same errors and picks among measured kernels.
std::string validate_command(const ReportOptions& options, const Manifest& manifest) {
  const std::string split = manifest.split.empty()
                                ? ""
                                : fmt::format(" --split {} --part {}", shell_word(manifest.split),
                                              to_text(DataPart::kJudge));
  return fmt::format("./tilecast validate --gpu {}{}{}{}{}", shell_word(manifest.gpu),
                     with_files(" --data", manifest.data), with_files(" --fixed", manifest.fixed),
                     split, model_options(options.input));
}

Manifest manifest_of(const ReportOptions& options) {
  if (!options.manifest.empty()) {
    return load_manifest(options.manifest);
  }
  refuse_if(options.input.data.empty(),
            "report needs measurements: --data CSV, or --manifest FILE that lists them");
  Manifest manifest;
  manifest.gpu = options.input.gpu;
  manifest.data = options.input.data;
  return manifest;
}

/// Checks all files to read and write before the work starts.
void check_files(const ReportOptions& options, const Manifest& manifest) {
  FilePlan plan = files_of(options.input);
  plan.reads("--manifest", options.manifest);
  for (const auto& paths : {manifest.data, manifest.fixed, manifest.whole_space}) {
    plan.reads("the manifest", paths);
  }
  plan.reads("the manifest", manifest.split);
  plan.reads("the manifest", manifest.layers);
  if (manifest.waves) {
    plan.reads("the manifest", manifest.waves->data);
  }
  for (const TimelineFile& timeline : manifest.timelines) {
    plan.reads("the manifest", timeline.file);
  }
  plan.writes_folder("--out", options.out);
  plan.check();
  const fs::path out = options.out;
  const bool is_ours = fs::exists(out / kPage) &&
                       read_file(out / kPage).find("\"tilecast report\"") != std::string::npos;
  for (const char* const name : {kPage, kData}) {
    if (fs::exists(out / name) && !is_ours) {
      throw ConfigError((out / name).string() +
                        ": not written by `tilecast report`; refusing to overwrite it. Move it or "
                        "choose another folder");
    }
  }
}

/// Loads parts of the page from the folder TILECAST_REPORT_DIR, otherwise from `reports` of the
/// checkout from which this program was built, with the chart library and its licences.
PageParts load_page_parts() {
  const char* const chosen = std::getenv("TILECAST_REPORT_DIR");
  const fs::path folder =
      chosen != nullptr && *chosen != '\0' ? chosen : TILECAST_REPORT_PAGE_DEFAULT;
  const fs::path vega = folder / "vega";
  return {.folder = folder / "page",
          .chart_library = fmt::format("/*\n{}*/\n{}", read_file(vega / "licences.txt"),
                                       read_stored_text(vega / "vega.js.gz")),
          .links = {}};
}

/// Returns links to documents of the checkout from which the program was built, relative to `out`.
std::map<std::string, std::string> links_from(const fs::path& out, const fs::path& root) {
  std::map<std::string, std::string> links;
  for (const auto& [text, path] :
       {std::pair("Accuracy", "docs/accuracy.md"),
        std::pair("Configurations", "docs/configurations.md"),
        std::pair("Data", "validate/README.md"),
        std::pair("How kernels are measured", "docs/measuring.md"),
        std::pair("How the model works", "docs/model.md"),
        std::pair("Limitations", "docs/limitations.md"),
        std::pair("Kernels, one mechanism at a time", "kernels/gemm/README.md")}) {
    if (fs::exists(root / path)) {
      links[text] = fs::relative(root / path, out).generic_string();
    }
  }
  return links;
}

}  // namespace

void run_report(const Arguments& args) {
  const ReportOptions options{joined_input_options(args), args.text("--manifest"),
                              args.text("--out")};
  const Waiting waiting = Waiting::off_terminal("predicting the report's measurements");
  const Manifest manifest = manifest_of(options);
  check_files(options, manifest);
  PageParts parts = load_page_parts();
  parts.links = links_from(options.out, parts.folder.parent_path().parent_path());
  ReportInput input = load_report_input(manifest, options.input);
  input.command = command_line(options);
  input.validate_command = validate_command(options, manifest);
  const nlohmann::ordered_json report = report_json(input);
  const std::string page = report_page(report, parts);
  const fs::path out = options.out;
  write_file(out / kData,
             report.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  write_file(out / kPage, page);
  fmt::print("{}{}\n", report_headline(report, parts.folder), on_one_line((out / kPage).string()));
}

}  // namespace tilecast
