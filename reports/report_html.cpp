#include "reports/report_html.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "model/base/error.h"
#include "model/base/file.h"
#include "reports/html_text.h"
#include "reports/markdown_html.h"
#include "reports/report_csv.h"
#include "reports/report_json.h"

namespace tilecast {
namespace {

constexpr std::size_t kRowsInView = 24;  // a longer table scrolls in its own frame

std::string column_title(const Column& column) {
  return column.title + (column.unit.empty()    ? ""
                         : column.title.empty() ? column.unit
                                                : ", " + column.unit);
}

std::string cell_html(const Cell& cell, const Column& column, bool with_title) {
  const std::string text = html_escaped(cell_text(cell, column));
  const std::string title =
      with_title ? fmt::format(" data-title=\"{}\"", html_escaped(column_title(column))) : "";
  if (std::holds_alternative<double>(cell)) {
    return fmt::format("<td class=\"n\"{}>{}</td>", title, text);
  }
  return column.is_code && !text.empty() ? fmt::format("<td{}><code>{}</code></td>", title, text)
                                         : fmt::format("<td{}>{}</td>", title, text);
}

/// n: numbers; t, w: texts that want some or much room.
std::string class_of(const DataTable& table, std::size_t column) {
  constexpr std::size_t kSome = 16, kMuch = 60;
  std::size_t longest = 0;
  for (const std::vector<Cell>& row : table.rows) {
    if (std::holds_alternative<double>(row[column])) {
      return "n";
    }
    longest = std::max(longest, cell_text(row[column], table.columns[column]).size());
  }
  return longest > kMuch ? "w" : longest > kSome && !table.columns[column].is_code ? "t" : "";
}

std::string table_html(const DataTable& table) {
  bool wordy = false;  // a phone shows its cells below one another
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    wordy |= table.columns[i].on_page && class_of(table, i) == "w";
  }
  std::string html = fmt::format(
      "<div class=\"table{}{}\" tabindex=\"0\" role=\"region\" aria-label=\"{}\"><table "
      "id=\"table-{}\">"
      "<caption>{}</caption><thead><tr>",
      table.rows.size() > kRowsInView ? " long" : "", wordy ? " wordy" : "",
      html_escaped(table.title), html_escaped(table.id), html_escaped(table.title));
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].on_page) {
      const std::string own = class_of(table, i);
      html +=
          fmt::format("<th scope=\"col\"{}>{}</th>", own.empty() ? "" : " class=\"" + own + "\"",
                      html_escaped(column_title(table.columns[i])));
    }
  }
  html += "</tr></thead><tbody>\n";
  for (const std::vector<Cell>& row : table.rows) {
    html += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) {
      html += table.columns[i].on_page ? cell_html(row[i], table.columns[i], wordy) : "";
    }
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

std::string chart_html(const Chart& chart) {
  return fmt::format(
      "<figure class=\"chart\" id=\"chart-{0}\" data-chart=\"{0}\" aria-labelledby=\"title-{0}\">\n"
      "<h3 id=\"title-{0}\">{1}</h3>\n<div class=\"filters\"></div>\n"
      "<div class=\"plot\" role=\"img\" aria-label=\"Chart: {2}\"></div>\n"
      "<figcaption>{3}</figcaption>\n</figure>\n",
      html_escaped(chart.id), html_escaped(chart.title), html_escaped(chart.title),
      inline_html(chart.caption));
}

std::string source_html(const Section& section) {
  std::string html = "<details class=\"source\"><summary>Where this comes from</summary>\n";
  for (const std::string& command : section.commands) {
    html += "<p>Again: <code>" + html_escaped(command) + "</code></p>\n";
  }
  if (!section.files.empty()) {
    html += "<p>From:</p>\n<ul>";
    for (const std::string& file : section.files) {
      html += "<li><code>" + html_escaped(file) + "</code></li>";
    }
    html += "</ul>\n";
  }
  if (!section.tables.empty()) {
    html += "<p>As data: ";
    for (const DataTable& table : section.tables) {
      html += fmt::format("<a href=\"data/{0}\">{0}</a> ", html_escaped(data_file_name(table)));
    }
    html += "</p>\n";
  }
  return html + "</details>\n";
}

std::string section_html(const Section& section, bool with_charts) {
  std::string html = fmt::format("<section id=\"{}\">\n<h2>{}</h2>\n{}", html_escaped(section.id),
                                 html_escaped(section.title), markdown_html(section.text, 3));
  for (const Chart& chart : section.charts) {
    html += with_charts ? chart_html(chart) : "";
  }
  for (const DataTable& table : section.tables) {
    html += table.listed && !table.rows.empty() ? table_html(table) : "";
  }
  return html + source_html(section) + "</section>\n";
}

std::string nav_html(const Report& report) {
  std::string html;
  for (const Section& section : report.sections) {
    html += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", html_escaped(section.id),
                        html_escaped(section.title));
  }
  return html;
}

void put(std::string& page, std::string_view mark, const std::string& content) {
  const std::size_t at = page.find(mark);
  if (at == std::string::npos) {
    throw ConfigError(fmt::format("page.html: expected the mark {} once", mark));
  }
  page.replace(at, mark.size(), content);
}

}  // namespace

std::string report_page(const Report& report, const PageParts& parts) {
  const bool with_charts = !parts.bundle.empty();
  std::string body;
  for (const Section& section : report.sections) {
    body += section_html(section, with_charts);
  }
  std::string page = read_file(parts.folder / "page.html");
  // The marks from last to first, so that no content is searched for a mark.
  put(page, "@licences@", html_escaped(parts.licences));
  put(page, "@script@",
      with_charts ? script_in_html(read_file(parts.folder / "page.js"), "page.js") : std::string());
  put(page, "@bundle@", script_in_html(parts.bundle, "the chart library"));
  put(page, "@data@",
      with_charts ? json_in_html(charts_json(report, parts.folder)) : std::string("{}"));
  put(page, "@command@", html_escaped(report.command));
  put(page, "@sections@", body);
  put(page, "@note@",
      with_charts ? std::string()
                  : "<p class=\"note\">This page was written without the chart library, so it has "
                    "the tables and no charts; <code>reports/README.md</code> says how to get it."
                    "</p>");
  put(page, "@summary@", html_escaped(report.summary));
  put(page, "@heading@", html_escaped(report.title));
  put(page, "@nav@", nav_html(report));
  put(page, "@style@", read_file(parts.folder / "page.css"));
  put(page, "@title@", html_escaped(report.title));
  return page;
}

}  // namespace tilecast
