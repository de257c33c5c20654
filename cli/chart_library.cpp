#include "cli/chart_library.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <map>

#include "cli/child_process.h"
#include "model/base/error.h"
#include "model/base/file.h"

namespace tilecast {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kScriptBegin = "<script id=\"chart-library\">\n";
constexpr std::string_view kScriptEnd = "</script>";

/// The environment's, where it names one.
fs::path folder_of(const char* variable, const char* otherwise) {
  const char* chosen = ::getenv(variable);
  return chosen != nullptr && *chosen != '\0' ? chosen : otherwise;
}

/// What a page written earlier carries; empty where there is none.
std::string script_of_page(const fs::path& page) {
  if (!fs::exists(page)) {
    return "";
  }
  const std::string text = read_file(page);
  const std::size_t begin = text.find(kScriptBegin);
  if (begin == std::string::npos) {
    return "";
  }
  const std::size_t from = begin + kScriptBegin.size();
  return text.substr(from, text.find(kScriptEnd, from) - from);
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

ChartLibrary find_chart_library(const fs::path& page_in) {
  const fs::path built = folder_of("TILECAST_REPORT_VEGA", TILECAST_REPORT_VEGA_DEFAULT);
  ChartLibrary library;
  if (!page_in.empty()) {
    library.script = script_of_page(page_in / "index.html");
  } else if (fs::exists(built / "vega.js")) {
    library.script = read_file(built / "vega.js");
  } else {
    library.script = script_of_page(report_folder() / "h200" / "index.html");
  }
  if (library.script.empty()) {
    library.notes.push_back(
        "the chart library was not found: the page has tables and no charts (reports/README.md)");
  } else {
    library.licences = read_file(report_folder() / "vega" / "licences.txt");
  }
  if (fs::exists(built / "packages")) {
    library.draw = [packages = built / "packages"](const std::string& json) {
      return draw_with_python(packages, json);
    };
  } else {
    library.figures_note =
        "figures not re-rendered: build the target tilecast_report_vega (reports/README.md)";
  }
  return library;
}

}  // namespace tilecast
