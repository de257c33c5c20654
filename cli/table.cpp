#include "cli/table.h"

#include <fmt/format.h>

#include <algorithm>

namespace tilecast {

Table::Table(const std::vector<std::string>& titles, std::size_t gap) : gap_(gap) {
  for (const std::string& title : titles) {
    const bool left = title.starts_with('<');
    columns_.push_back({{title.substr(left ? 1 : 0)}, left});
  }
}

void Table::row(std::vector<std::string> cells) {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    columns_[i].cells.push_back(i < cells.size() ? std::move(cells[i]) : "");
  }
}

std::size_t Table::Column::width() const {
  return std::ranges::max(cells, {}, &std::string::size).size();
}

void Table::leave_out(std::string_view title) {
  std::erase_if(columns_, [&](const Column& column) { return column.cells.front() == title; });
}

void Table::fit(const std::vector<std::string>& spare) {
  for (const std::string& title : spare) {
    std::size_t width = gap_ * (columns_.size() - 1);
    for (const Column& column : columns_) {
      width += column.width();
    }
    if (width > kColumns) {
      leave_out(title);
    }
  }
}

std::string Table::text(std::size_t indent) const {
  const bool untitled =
      std::ranges::all_of(columns_, [](const Column& c) { return c.cells.front().empty(); });
  std::string text;
  for (std::size_t row = untitled ? 1 : 0; row < columns_.front().cells.size(); ++row) {
    std::string line(indent, ' ');
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const Column& column = columns_[i];
      line += std::string(i > 0 ? gap_ : 0, ' ') +
              (column.begins_left ? fmt::format("{:<{}}", column.cells[row], column.width())
                                  : fmt::format("{:>{}}", column.cells[row], column.width()));
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

std::string wrapped(const std::string& first, std::string_view text, std::string_view breaks) {
  const std::size_t width = kColumns - first.size();
  // A number is not separated from its unit, nor a letter such as K from the word after it.
  const auto binds = [&](std::size_t i) {
    const char before = i > 0 ? text[i - 1] : ' ';
    return text[i] == ' ' && ((before >= '0' && before <= '9') ||
                              (before >= 'A' && before <= 'Z' && (i < 2 || text[i - 2] == ' ')));
  };
  const auto may_end_at = [&](std::size_t i) {
    return breaks.find(text[i]) != std::string_view::npos && !binds(i);
  };
  const auto last_end = [&](const auto& may_end) {
    for (std::size_t i = std::min(width + (text[width] == ' ' ? 1 : 0), text.size()); i > 0; --i) {
      if (may_end(i - 1)) {
        return i;
      }
    }
    return std::size_t{0};
  };
  std::string lines;
  while (!text.empty()) {
    std::size_t end = text.size();
    if (end > width) {
      end = last_end(may_end_at);
      end =
          end > 0 ? end : last_end([&](std::size_t i) { return text[i] == ' ' || text[i] == ','; });
      end = end > 0 ? end : std::min(text.find(' '), text.size() - 1) + 1;
    }
    std::string_view line = text.substr(0, end);
    line = line.substr(0, line.find_last_not_of(' ') + 1);
    lines += (lines.empty() ? first : std::string(first.size(), ' ')) + std::string(line) + "\n";
    text.remove_prefix(end);
  }
  return lines;
}

}  // namespace tilecast
