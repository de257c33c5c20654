// The report as Markdown, for a repository: text, tables, and links to figures that were drawn.
#pragma once

#include <set>
#include <string>

#include "reports/report.h"

namespace tilecast {

/// `figures`: ids of the charts that lie in figures/<id>.svg. Of long tables the first rows, and a
/// link to the rest.
std::string report_markdown(const Report& report, const std::set<std::string>& figures);

/// One table, all its rows on the page.
std::string table_markdown(const DataTable& table, std::size_t most_rows);

}  // namespace tilecast
