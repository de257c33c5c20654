// The chart library of reports: where its script is found, and how charts are drawn without a
// browser. reports/README.md says in what order it is looked for.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "reports/figures.h"

namespace tilecast {

struct ChartLibrary {
  std::string script;  // empty: none was found
  std::string licences;
  DrawFigures draw;                // empty: charts cannot be drawn here
  std::vector<std::string> notes;  // what is missing, a line each
  std::string figures_note;        // why figures are not re-rendered; empty where they are
};

/// The environment's TILECAST_REPORT_DIR, else the folder `reports` this program was built from.
std::filesystem::path report_folder();

/// From the environment's TILECAST_REPORT_VEGA or the build folder, else from the page that is
/// committed. `page_in`: take the script from the page in that folder instead.
ChartLibrary find_chart_library(const std::filesystem::path& page_in);

}  // namespace tilecast
