// A table of the report as CSV, every column in it.
#pragma once

#include <string>

#include "reports/report.h"

namespace tilecast {

/// Header of keys, then a line for each row.
std::string table_csv(const DataTable& table);

}  // namespace tilecast
