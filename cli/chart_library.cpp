#include "cli/chart_library.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <map>

#include "cli/child_process.h"
#include "model/base/error.h"
#include "model/base/file.h"
#include "validate/record/stored_text.h"

namespace tilecast {
namespace {

namespace fs = std::filesystem;

/// The environment's, where it names one.
fs::path folder_of(const char* variable, const char* otherwise) {
  const char* chosen = ::getenv(variable);
  return chosen != nullptr && *chosen != '\0' ? chosen : otherwise;
}

class DrawingFolder {
 public:
  DrawingFolder() {
    std::string name = (fs::temp_directory_path() / "tilecast-figures-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
      throw FileError(name + ": cannot be created");
    }
    path_ = name;
  }
  ~DrawingFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  DrawingFolder(const DrawingFolder&) = delete;
  DrawingFolder& operator=(const DrawingFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::map<std::string, std::string> draw_with_python(const fs::path& packages,
                                                    const std::string& json) {
  const DrawingFolder folder;
  write_file(folder.path() / "charts.json", json);
  const ChildResult result =
      run_child("/usr/bin/env",
                {"python3", (report_folder() / "vega" / "draw.py").string(), packages.string(),
                 (folder.path() / "charts.json").string(), folder.path().string()});
  if (!result.started || result.exit_code != 0 || !result.output.empty()) {
    fmt::print(stderr, "tilecast: figures that could not be drawn: {}\n", result.output);
  }
  std::map<std::string, std::string> figures;
  for (const auto& entry : fs::directory_iterator(folder.path())) {
    if (entry.path().extension() == ".svg") {
      figures[entry.path().stem()] = read_file(entry.path());
    }
  }
  return figures;
}

}  // namespace

fs::path report_folder() { return folder_of("TILECAST_REPORT_DIR", TILECAST_REPORT_PAGE_DEFAULT); }

ChartLibrary find_chart_library() {
  const fs::path vega = report_folder() / "vega";
  ChartLibrary library;
  if (fs::exists(vega / "vega.js.gz")) {
    library.script = read_stored_text(vega / "vega.js.gz");
  }
  if (library.script.empty()) {
    library.notes.push_back(
        "the chart library was not found: the page has tables and no charts (reports/README.md)");
  } else {
    library.licences = read_file(vega / "licences.txt");
  }
  const fs::path packages =
      folder_of("TILECAST_REPORT_VEGA", TILECAST_REPORT_VEGA_DEFAULT) / "packages";
  if (fs::exists(packages)) {
    library.draw = [packages](const std::string& json) { return draw_with_python(packages, json); };
  } else {
    library.figures_note =
        "figures not re-rendered: build the target tilecast_report_vega (reports/README.md)";
  }
  return library;
}

}  // namespace tilecast
