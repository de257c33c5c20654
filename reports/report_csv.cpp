#include "reports/report_csv.h"

#include "validate/record/csv_text.h"

namespace tilecast {

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

}  // namespace tilecast
