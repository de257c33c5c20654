#include "cli/chart_library.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <nlohmann/json.hpp>

#include "cli/child_process.h"
#include "model/base/error.h"
#include "model/base/file.h"
#include "model/base/hash.h"
#include "validate/record/stored_text.h"

namespace tilecast {
namespace {

namespace fs = std::filesystem;

/// The environment's, where it names one.
fs::path folder_of(const char* variable, const char* otherwise) {
  const char* chosen = ::getenv(variable);
  return chosen != nullptr && *chosen != '\0' ? chosen : otherwise;
}

fs::path report_folder() { return folder_of("TILECAST_REPORT_DIR", TILECAST_REPORT_PAGE_DEFAULT); }

fs::path draw_script() { return report_folder() / "vega" / "draw.py"; }

}  // namespace

PageParts load_page_parts() {
  const fs::path vega = report_folder() / "vega";
  return {.folder = report_folder() / "page",
          .chart_library = fmt::format("/*\n{}*/\n{}", read_file(vega / "licences.txt"),
                                       read_stored_text(vega / "vega.js.gz")),
          .links = {}};
}

std::string draw_chart(const nlohmann::ordered_json& spec) {
  const fs::path packages =
      folder_of("TILECAST_REPORT_VEGA", TILECAST_REPORT_VEGA_DEFAULT) / "packages";
  if (!fs::exists(packages)) {
    throw FileError(packages.string() +
                    ": charts are drawn by a package that is not installed; build the target "
                    "tilecast_report_vega (reports/README.md)");
  }
  const ChildResult result = run_child(
      "/usr/bin/env", {"python3", draw_script().string(), packages.string(), spec.dump()});
  if (!result.started || result.exit_code != 0) {
    throw FileError(fmt::format("{}: cannot draw: {}", draw_script().string(), result.output));
  }
  return figure_mark(spec) + result.output;
}

std::string figure_mark(const nlohmann::ordered_json& spec) {
  const u64 hash = hash_of(read_file(draw_script()), hash_of(spec.dump(), kHashSeed));
  return fmt::format("<!-- drawn from {:016x} -->\n", hash);
}

}  // namespace tilecast
