// Writes a report as a folder: index.html, report.md, data/*.csv[.gz] and figures/*.svg.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "reports/figures.h"
#include "reports/report.h"
#include "reports/report_html.h"

namespace tilecast {

/// Every file by its path in the folder.
std::map<std::string, std::string> report_files(const Report& report, const PageParts& parts,
                                                const Figures& figures);

/// Writes them and removes files of earlier reports in data/ and figures/. Throws FileError.
void write_report(const std::map<std::string, std::string>& files,
                  const std::filesystem::path& folder);

/// One line for each file of the folder that differs, is missing or is too many.
std::vector<std::string> out_of_date(const std::map<std::string, std::string>& files,
                                     const std::filesystem::path& folder);

}  // namespace tilecast
