// Cells in columns: the one printer of tables. A column's cells end where its title ends; those of
// a column whose title begins with '<' begin where it begins. Checked by: table_test.cpp.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tilecast {

constexpr std::size_t kColumns = 80;  // of a terminal

class Table {
 public:
  /// Columns are `gap` spaces apart.
  explicit Table(const std::vector<std::string>& titles, std::size_t gap = 2);

  /// Missing cells are empty.
  void row(std::vector<std::string> cells);
  void leave_out(std::string_view title);
  /// Leaves out columns of these titles, in their order, until lines have at most kColumns.
  void fit(const std::vector<std::string>& spare);

  /// Without titles where all are empty. `indent`: spaces in front of each line.
  std::string text(std::size_t indent = 0) const;

 private:
  struct Column {
    std::vector<std::string> cells;  // the title first
    bool begins_left;
    std::size_t width() const;
  };

  std::vector<Column> columns_;
  std::size_t gap_;
};

/// The text in lines of at most kColumns, broken after one of `breaks`, or else after a comma, each
/// after `first` or as much space. Words and numbers are not broken, and a number keeps its unit.
std::string wrapped(const std::string& first, std::string_view text, std::string_view breaks = " ");

}  // namespace tilecast
