// Prints cells in columns; the only printer of tables. Columns are right-aligned, those whose title
// begins with '<' left-aligned. Checked by: table_test.cpp.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tilecast {

constexpr std::size_t kColumns = 80;  // columns of a terminal

class Table {
 public:
  /// Columns are `gap` spaces apart.
  explicit Table(const std::vector<std::string>& titles, std::size_t gap = 2);

  /// Missing cells are empty.
  void row(std::vector<std::string> cells);
  void leave_out(std::string_view title);
  /// Removes columns with these titles, in order, until lines have at most kColumns.
  void fit(const std::vector<std::string>& spare);

  /// Formats the table, without titles if all are empty. `indent`: spaces before each line.
  std::string text(std::size_t indent = 0) const;

 private:
  struct Column {
    std::vector<std::string> cells;  // cells, the title first
    bool begins_left;
    std::size_t width() const;
  };

  std::vector<Column> columns_;
  std::size_t gap_;
};

/// Wraps the text at kColumns, after one of `breaks` or else after a comma. The first line follows
/// `first`; the others are indented by its width. Words, numbers, and numbers with their unit are
/// not split.
std::string wrapped(const std::string& first, std::string_view text, std::string_view breaks = " ");

}  // namespace tilecast
