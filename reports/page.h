// A report as one self-contained HTML page, and as the sentences of docs/accuracy.md; a template
// converts a report's JSON (report_json.h) to either. Checked by: page_test.cpp,
// tests/cli/report_test.sh, reports/browser/page_test.py.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tilecast {

struct PageParts {
  std::filesystem::path folder;              // reports/page: page.html, page.css, page.js, charts/
  std::string chart_library;                 // Vega, Vega-Lite and Vega-Embed, with their licences
  std::map<std::string, std::string> links;  // URL by link text
};

/// Throws FileError, or ConfigError for an invalid template or chart.
std::string report_page(const nlohmann::ordered_json& report, const PageParts& parts);

/// Returns the figures of docs/accuracy.md as Markdown.
std::string report_headline(const nlohmann::ordered_json& report,
                            const std::filesystem::path& page_folder);

}  // namespace tilecast
