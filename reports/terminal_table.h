// What a report says in a few lines, for a terminal: its headline tables, as wide as the terminal
// allows, without colour where standard output is not one.
#pragma once

#include <string>

#include "reports/report.h"

namespace tilecast {

struct Terminal {
  int columns = 80;
  bool styled = false;  // bold titles
};

/// Of standard output: its width, else the environment's COLUMNS, else 80.
Terminal terminal_of_output();

/// Texts that are too long lose their middle; what still does not fit is left out from the last
/// column on.
std::string terminal_table(const DataTable& table, const Terminal& terminal);

/// The headline tables and where the report lies, to standard output.
void print_summary(const Report& report, const std::string& folder);

}  // namespace tilecast
