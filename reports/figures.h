// The report's figures: each chart drawn once, as SVG. A figure carries a mark of the chart, the
// rows and the script that it was drawn from, so that it is drawn again only when those changed,
// and so that a machine that cannot draw can tell whether it is up to date. Checked by:
// figures_test.cpp.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "reports/report.h"

namespace tilecast {

/// Draws charts: their JSON (report_json.h) in, an SVG for each that could be drawn out.
using DrawFigures = std::function<std::map<std::string, std::string>(const std::string& json)>;

using Figures = std::map<std::string, std::string>;  // SVG by chart

/// The figures of `folder` that still hold, and the others drawn by `draw`, which may be empty:
/// then they are absent.
Figures figures_of(const Report& report, const std::filesystem::path& page_folder,
                   const std::filesystem::path& folder, const DrawFigures& draw);

}  // namespace tilecast
