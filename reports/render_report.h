// Renders a report as the files of its folder (report_folder.h).
#pragma once

#include "reports/figures.h"
#include "reports/report.h"
#include "reports/report_folder.h"
#include "reports/report_html.h"

namespace tilecast {

/// Every file, their list among them.
ReportFiles report_files(const Report& report, const PageParts& parts, const Figures& figures);

}  // namespace tilecast
