// The chart library of reports: where its script is found, and how charts are drawn without a
// browser. reports/README.md says where both come from.
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

/// The script is vega/vega.js.gz in the report folder. Charts are drawn by the package in the
/// environment's TILECAST_REPORT_VEGA, else in the build folder.
ChartLibrary find_chart_library();

}  // namespace tilecast
