// What a report is: sections of tables and charts, worked out once. Every form of it (page,
// Markdown, CSV, figures, terminal) is written from these values and adds none of its own.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tilecast {

using Cell = std::variant<std::monostate, double, std::string>;

struct Column {
  std::string key;    // in data files and charts: snake_case
  std::string title;  // for people
  std::string unit = "";
  int digits = 4;         // significant ones, of numbers, wherever they are written
  bool on_page = true;    // else in the CSV alone
  bool is_code = false;   // a configuration, a file, a command
  std::string help = "";  // what the column means, where its title does not say so
};

/// A file of the report's data folder. Charts name it by its id.
struct DataTable {
  std::string id;
  std::string title;
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;
  bool listed = true;  // as a table for reading; else it feeds charts

  std::size_t column(const std::string& key) const;
};

/// A choice above a chart: rows whose `column` does not hold the chosen word are left out of every
/// table that has the column.
struct Filter {
  std::string column, label;
  bool one = false;         // exactly one of the words, else any of them
  std::string chosen = "";  // of `one`, at first
};

struct Chart {
  std::string id;  // its Vega-Lite specification: reports/page/charts/<id>.vl.json
  std::string title;
  std::string caption;              // Markdown: what is seen, and how it was got
  std::vector<std::string> tables;  // ids
  std::vector<Filter> filters = {};
};

struct Section {
  std::string id, title;
  std::string text;                        // Markdown
  std::vector<std::string> files;          // that the numbers come from
  std::vector<std::string> commands = {};  // that give them again, besides the report's own
  std::vector<Chart> charts = {};
  std::vector<DataTable> tables = {};
};

struct Report {
  std::string title;
  std::string summary;  // one line: card, rows, dates
  std::string command;  // that wrote it
  std::vector<Section> sections;

  const DataTable* table(const std::string& id) const;
  const Section* section(const std::string& id) const;
};

/// As the CSV and the charts have it: no exponent, no trailing zeros.
std::string number_text(double value, int digits);

/// Of a number or a word; empty where there is nothing.
std::string cell_text(const Cell& cell, const Column& column);

/// A number, or nothing.
Cell maybe(const std::optional<double>& value);

}  // namespace tilecast
