// A report from what it is made of.
#pragma once

#include "reports/report.h"
#include "reports/report_input.h"

namespace tilecast {

/// Sections that the data says nothing about are absent.
Report build_report(const ReportInput& input);

}  // namespace tilecast
