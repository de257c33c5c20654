#include "reports/report_markdown.h"

#include <fmt/format.h>

#include <algorithm>

#include "reports/report_csv.h"

namespace tilecast {
namespace {

constexpr std::size_t kMostRows = 24;

/// A bar would end the cell.
std::string in_cell(std::string text) {
  for (std::size_t at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2)) {
    text.insert(at, "\\");
  }
  return text;
}

bool is_number(const DataTable& table, std::size_t column) {
  return std::any_of(table.rows.begin(), table.rows.end(), [&](const std::vector<Cell>& row) {
    return std::holds_alternative<double>(row[column]);
  });
}

std::string section_markdown(const Section& section, const std::set<std::string>& figures) {
  // A document's own headings stand below the section's.
  std::string text;
  for (std::size_t at = 0; at < section.text.size();) {
    const std::size_t end = std::min(section.text.find('\n', at), section.text.size());
    const std::string line = section.text.substr(at, end - at);
    text += (line.starts_with('#') ? "##" : "") + line + "\n";
    at = end + 1;
  }
  std::string markdown = fmt::format("\n## {}\n\n{}", section.title, text);
  for (const Chart& chart : section.charts) {
    if (figures.contains(chart.id)) {
      markdown += fmt::format("\n![{0}](figures/{1}.svg)\n\n*{0}.* {2}\n", chart.title, chart.id,
                              chart.caption);
    }
  }
  for (const DataTable& table : section.tables) {
    if (table.listed && !table.rows.empty()) {
      markdown += fmt::format("\n**{}**\n\n{}", table.title, table_markdown(table, kMostRows));
    }
  }
  for (const std::string& command : section.commands) {
    markdown += fmt::format("\n`{}`\n", command);
  }
  return markdown;
}

}  // namespace

std::string table_markdown(const DataTable& table, std::size_t most_rows) {
  std::string head = "|", rule = "|";
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const Column& column = table.columns[i];
    if (column.on_page) {
      head += fmt::format(" {}{} |", column.title,
                          column.unit.empty()    ? ""
                          : column.title.empty() ? column.unit
                                                 : ", " + column.unit);
      rule += is_number(table, i) ? "--:|" : "---|";
    }
  }
  std::string markdown = head + "\n" + rule + "\n";
  for (std::size_t r = 0; r < std::min(most_rows, table.rows.size()); ++r) {
    markdown += "|";
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      if (table.columns[i].on_page) {
        const std::string text = in_cell(cell_text(table.rows[r][i], table.columns[i]));
        markdown += table.columns[i].is_code && !text.empty() ? " `" + text + "` |"
                    : text.empty()                            ? " |"
                                                              : " " + text + " |";
      }
    }
    markdown += "\n";
  }
  if (table.rows.size() > most_rows) {
    markdown += fmt::format("\n{0} more rows in [data/{1}](data/{1}).\n",
                            table.rows.size() - most_rows, data_file_name(table));
  }
  return markdown;
}

std::string report_markdown(const Report& report, const std::set<std::string>& figures) {
  std::string markdown = fmt::format(
      "# {}\n\n{}. Written by `{}`; do not edit. `index.html` in this folder is the page with "
      "charts, `data/` holds what they are drawn from.\n",
      report.title, report.summary, report.command);
  for (const Section& section : report.sections) {
    markdown += section_markdown(section, figures);
  }
  return markdown;
}

}  // namespace tilecast
