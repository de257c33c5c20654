// The folder of a report: index.html, report.md, data/*.csv[.gz], figures/*.svg, and
// report_files.txt, which lists them. A later report replaces and removes what that list names and
// nothing else, so that a file of the user's in the same folder stays. Checked by:
// report_folder_test.cpp.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace tilecast {

/// By path in the folder.
using ReportFiles = std::map<std::string, std::string>;

/// The list of `files`, itself one of a report's files.
inline constexpr const char* kReportList = "report_files.txt";
std::string report_list(const ReportFiles& files);

/// What an earlier report wrote there; nothing where there is no list. Throws FileError, and
/// ConfigError `file:line: ...` where the list names what no report writes.
std::set<std::string> listed_files(const std::filesystem::path& folder);

/// Throws ConfigError where one of `names` is there and no report wrote it.
void refuse_foreign_files(const std::vector<std::string>& names,
                          const std::filesystem::path& folder);

/// Writes the files beside their places, then renames all of them and removes those of an earlier
/// report that this one does not have: until then the earlier report stays whole. Throws FileError,
/// and as refuse_foreign_files before anything is changed.
void write_report(const ReportFiles& files, const std::filesystem::path& folder);

}  // namespace tilecast
