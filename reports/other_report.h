// Another report, read from the CSV files of its data folder.
// Checked by: reports/sections/changes_test.cpp.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tilecast {

/// Rows by the texts of some columns, joined by ", ".
using OtherIndex = std::map<std::string, std::size_t>;

struct OtherTable {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;

  OtherIndex index(const std::vector<std::string>& keys) const;
  /// Of the first row whose columns hold these texts.
  std::optional<std::string> value(const std::vector<std::pair<std::string, std::string>>& where,
                                   const std::string& column) const;
  std::optional<std::string> text(std::size_t row, const std::string& column) const;
  std::optional<double> number(std::size_t row, const std::string& column) const;
};

struct OtherReport {
  std::string folder;
  std::map<std::string, OtherTable> tables;

  const OtherTable* table(const std::string& id) const;
};

/// Throws FileError where the folder holds no report, ConfigError where a table is no CSV.
OtherReport read_other_report(const std::filesystem::path& folder);

}  // namespace tilecast
