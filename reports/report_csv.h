// A table of the report as CSV, every column in it. Long tables are compressed.
// Checked by: report_csv_test.cpp.
#pragma once

#include <string>

#include "reports/report.h"

namespace tilecast {

/// Header of keys, then a line for each row.
std::string table_csv(const DataTable& table);

/// "error.csv", or "points.csv.gz" where there are many rows.
std::string data_file_name(const DataTable& table);

/// What lies in the file of that name.
std::string data_file(const DataTable& table);

}  // namespace tilecast
