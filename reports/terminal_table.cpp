#include "reports/terminal_table.h"

#include <fmt/format.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "model/base/text.h"

namespace tilecast {
namespace {

constexpr int kLeastColumns = 40, kGap = 2;

std::string title_of(const Column& column) {
  return column.title + (column.unit.empty()    ? ""
                         : column.title.empty() ? column.unit
                                                : " " + column.unit);
}

/// As terminals count: continuation bytes of UTF-8 take no place.
int width_of(const std::string& text) {
  return static_cast<int>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string shortened(const std::string& text, int width) {
  if (width_of(text) <= width || width < 3) {
    return text;
  }
  const auto half = static_cast<std::size_t>((width - 2) / 2);
  return text.substr(0, static_cast<std::size_t>(width - 2) - half) + ".." +
         text.substr(text.size() - half);
}

std::string padded(const std::string& text, int width, bool right) {
  const std::string blanks(static_cast<std::size_t>(std::max(0, width - width_of(text))), ' ');
  return right ? blanks + text : text + blanks;
}

struct ShownColumn {
  std::size_t at;
  std::string title;
  bool number = false;
  int width = 0;
};

std::vector<ShownColumn> columns_of(const DataTable& table) {
  std::vector<ShownColumn> shown;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    ShownColumn column{i, title_of(table.columns[i])};
    column.width = width_of(column.title);
    for (const std::vector<Cell>& row : table.rows) {
      column.width = std::max(column.width, width_of(cell_text(row[i], table.columns[i])));
      column.number |= std::holds_alternative<double>(row[i]);
    }
    if (table.columns[i].on_page) {
      shown.push_back(column);
    }
  }
  return shown;
}

int total_of(const std::vector<ShownColumn>& columns) {
  int sum = -kGap;
  for (const ShownColumn& column : columns) {
    sum += column.width + kGap;
  }
  return sum;
}

/// The widest column of words, or none that may still give something away.
ShownColumn* widest_text(std::vector<ShownColumn>& columns) {
  constexpr int kLeastText = 12;
  ShownColumn* widest = nullptr;
  for (ShownColumn& column : columns) {
    if (!column.number && column.width > kLeastText &&
        (widest == nullptr || column.width > widest->width)) {
      widest = &column;
    }
  }
  return widest;
}

/// Takes room from the widest texts, then drops columns from the last.
void fit(std::vector<ShownColumn>& columns, int width) {
  while (total_of(columns) > width) {
    if (ShownColumn* widest = widest_text(columns)) {
      --widest->width;
    } else if (columns.size() > 1) {
      columns.pop_back();
    } else {
      return;
    }
  }
}

std::string line_of(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

}  // namespace

Terminal terminal_of_output() {
  Terminal terminal;
  winsize size{};
  if (::isatty(STDOUT_FILENO) != 0) {
    terminal.styled = ::getenv("NO_COLOR") == nullptr;
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
      terminal.columns = size.ws_col;
      return terminal;
    }
  }
  const char* columns = ::getenv("COLUMNS");
  if (const std::optional<i64> chosen = parse_integer(columns == nullptr ? "" : columns);
      chosen && *chosen >= kLeastColumns && *chosen <= 1000) {
    terminal.columns = static_cast<int>(*chosen);
  }
  return terminal;
}

std::string terminal_table(const DataTable& table, const Terminal& terminal) {
  std::vector<ShownColumn> columns = columns_of(table);
  fit(columns, std::max(terminal.columns, kLeastColumns));
  std::string text = terminal.styled ? "\033[1m" + table.title + "\033[0m\n" : table.title + "\n";
  std::string head;
  for (const ShownColumn& column : columns) {
    head += padded(shortened(column.title, column.width), column.width, column.number) +
            std::string(kGap, ' ');
  }
  text += line_of(head);
  for (const std::vector<Cell>& row : table.rows) {
    std::string line;
    for (const ShownColumn& column : columns) {
      const std::string cell = cell_text(row[column.at], table.columns[column.at]);
      line += padded(shortened(cell, column.width), column.width, column.number) +
              std::string(kGap, ' ');
    }
    text += line_of(line);
  }
  return text;
}

void print_summary(const Report& report, const std::string& folder) {
  const Terminal terminal = terminal_of_output();
  fmt::print("{}\n\n", report.summary);
  for (const char* id : {"changes", "error", "order", "pick"}) {
    if (const DataTable* table = report.table(id); table != nullptr && !table->rows.empty()) {
      fmt::print("{}\n", terminal_table(*table, terminal));
    }
  }
  fmt::print("{}/index.html\n", folder);
}

}  // namespace tilecast
