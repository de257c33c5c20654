// The sections of a report, one file each. A section that the data says nothing about is absent.
#pragma once

#include <optional>

#include "reports/other_report.h"
#include "reports/report.h"
#include "reports/report_input.h"
#include "validate/compare/validation.h"

namespace tilecast {

using MaybeSection = std::optional<Section>;

Section context_section(const ReportInput& input);     // cards, clocks, files, dates
Section headline_section(const ReportInput& input);    // the first screen
Section accuracy_section(const ReportInput& input);    // error, order, picks, baselines
Section points_section(const ReportInput& input);      // predicted against measured, and the errors
MaybeSection clock_section(const ReportInput& input);  // cycles against clock, clock and power
MaybeSection picks_section(const ReportInput& input);  // what the model picks for each shape
MaybeSection libraries_section(const ReportInput& input);  // beside cuBLASLt and the runtime's copy
MaybeSection ladder_section(const ReportInput& input);     // what each mechanism saves
MaybeSection limits_section(const ReportInput& input);     // shares of a point, roofline
MaybeSection waves_section(const ReportInput& input);      // wave quantisation
MaybeSection groups_section(const ReportInput& input);     // groups of a mixture of experts
MaybeSection bytes_section(const ReportInput& input);      // L2 and DRAM bytes beside counters
MaybeSection timelines_section(const ReportInput& input);
MaybeSection published_section(const ReportInput& input);   // figures of public documents
MaybeSection statements_section(const ReportInput& input);  // and what they state
Section constants_section(const ReportInput& input);
MaybeSection documents_section(const ReportInput& input);  // known gaps, points left out

/// Of the rows that the model is judged by.
Validation judged_validation(const ReportInput& input);

/// Cycles against clock of every configuration of one shape, which the first screen shows; over the
/// tables of points_section and clock_section. Nothing where that is left out.
std::optional<Chart> cycles_clock_chart(const ReportInput& input);

/// What is different from another report; needs the rest of this one.
Section changes_section(const Report& report, const OtherReport& other);

}  // namespace tilecast
