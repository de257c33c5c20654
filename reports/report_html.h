// The report as one page that needs nothing beside it: text and tables as HTML, charts as their
// specifications and rows in JSON, style and scripts inside.
#pragma once

#include <filesystem>
#include <string>

#include "reports/report.h"

namespace tilecast {

struct PageParts {
  std::filesystem::path folder;  // reports/page: page.html, page.css, page.js, charts/
  std::string bundle;    // Vega, Vega-Lite and Vega-Embed; empty: no charts, and the page says so
  std::string licences;  // of the bundle
};

/// Throws FileError, or ConfigError where a template lacks a mark, a chart is not
/// JSON, or a script cannot stand in a page.
std::string report_page(const Report& report, const PageParts& parts);

}  // namespace tilecast
