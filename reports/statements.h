// What public documents state about these schedules, each with the criterion that decides it here:
// confirmed, not confirmed, or not testable with what was measured. A verdict is worked out from
// the rows each time; none is written down. Checked by: statements_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reports/report_input.h"

namespace tilecast {

struct Finding {
  std::optional<bool> holds;  // nothing: not testable here
  std::string figure;
};

struct Statement {
  const char *text, *source;
  const char* criterion;  // what must hold of the rows for the statement to be confirmed
  Finding (*finding)(const ReportInput& input);
};

const std::vector<Statement>& statements();

/// "confirmed", "not confirmed" or "not testable here".
std::string verdict_of(const Finding& finding);

}  // namespace tilecast
