#include "reports/report_csv.h"

#include "validate/record/csv_text.h"
#include "validate/record/stored_text.h"

namespace tilecast {
namespace {

constexpr std::size_t kMostPlainRows = 2000;

bool is_long(const DataTable& table) { return table.rows.size() > kMostPlainRows; }

}  // namespace

std::string table_csv(const DataTable& table) {
  std::vector<std::string> fields;
  for (const Column& column : table.columns) {
    fields.push_back(column.key);
  }
  std::string text = csv_line(fields);
  for (const std::vector<Cell>& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      fields[i] = cell_text(row[i], table.columns[i]);
    }
    text += csv_line(fields);
  }
  return text;
}

std::string data_file_name(const DataTable& table) {
  return table.id + (is_long(table) ? ".csv.gz" : ".csv");
}

std::string data_file(const DataTable& table) {
  return is_long(table) ? gzip_member(table_csv(table)) : table_csv(table);
}

}  // namespace tilecast
