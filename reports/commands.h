// Commands that give numbers of a report again, as one would type them in the repository's root.
// Checked by: commands_test.cpp, tests/cli/report_commands_test.sh.
#pragma once

#include <string>
#include <vector>

#include "reports/report.h"
#include "reports/report_input.h"

namespace tilecast {

/// What was asked of the model: the fields of one prediction.
struct Asked {
  AnyProblem problem;
  std::string config;  // canonical
  Regime regime = Regime::kBurst;
  Inputs inputs = Inputs::kNormal;
  L2State l2_state = L2State::kRotating;  // measured with; the model knows none
};

Asked asked_of(const Measurement& row);

/// tilecast predict of this configuration alone; `more` is put behind it.
std::string predict_command(const ReportInput& input, const Asked& asked,
                            const std::string& more = "");
/// The same on another GPU of configs/gpus.
std::string predict_command_on(const std::string& gpu, const Asked& asked);

/// tilecast explain: its simulated timeline among other things.
std::string explain_command(const ReportInput& input, const Asked& asked, const std::string& more);

/// tilecast-gpu timeline, a recorded one: needs the card.
std::string timeline_command(const Asked& asked, const std::string& more);

/// tilecast measure: needs the card.
std::string measure_command(const Asked& asked, const std::string& more = "");

/// Both for one point, which a section's text says to put other rows' shape and configuration into.
std::vector<std::string> point_commands(const ReportInput& input, const JoinedPoint& point);

/// Columns for data files: the configuration in full, as commands take it.
Column canonical_column(const std::string& key = "canonical");

}  // namespace tilecast
