// The folder of the report's page, and charts as SVG (reports/README.md).
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "reports/page.h"

namespace tilecast {

/// The environment's TILECAST_REPORT_DIR, else the folder `reports` this program was built from;
/// with the chart library and its licences. Throws FileError.
PageParts load_page_parts();

/// Vega-Lite drawn by the package in the environment's TILECAST_REPORT_VEGA, else in the build
/// folder. Throws FileError where it is not installed or fails.
std::string draw_chart(const nlohmann::ordered_json& spec);

/// Begins a figure that was drawn from this specification by this version of the script.
std::string figure_mark(const nlohmann::ordered_json& spec);

}  // namespace tilecast
