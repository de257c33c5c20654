// The statements of public documents with their verdicts.

#include "reports/statements.h"

#include "reports/sections/sections.h"

namespace tilecast {

MaybeSection statements_section(const ReportInput& input) {
  if (input.published.empty()) {
    return std::nullopt;
  }
  DataTable table{"statements",
                  "Statements of the documents",
                  {{.key = "statement", .title = "statement"},
                   {.key = "source", .title = "document"},
                   {.key = "verdict", .title = "here"},
                   {.key = "criterion", .title = "confirmed where"},
                   {.key = "figure", .title = "figure"}},
                  {}};
  for (const Statement& statement : statements()) {
    const Finding finding = statement.finding(input);
    table.rows.push_back({std::string(statement.text), std::string(statement.source),
                          verdict_of(finding), std::string(statement.criterion), finding.figure});
  }
  std::vector<std::string> files = input.data_files();
  for (const std::string& file : input.more_files()) {
    files.push_back(file);
  }
  return Section{
      .id = "statements",
      .title = "What the documents state",
      .text =
          "Each statement is put to measured kernels that differ in that one choice; the rows "
          "decide. A *gain* is time without the choice over time with it; less than 2 % either "
          "way counts as none.\n\n"
          "Where groups of tiles differ here and not in the document: it times all sizes in one "
          "process, and a compile cache that tells schedulers apart by less than their group "
          "would hand out one kernel for all of them. That was not tried.",
      .files = std::move(files),
      .commands =
          {"./tilecast measure --suite validate/suites/h200_reference_statements.yaml --out "
           "CSV",
           "./tilecast measure --suite validate/suites/h200_reference_schedules.yaml --out "
           "CSV",
           "./tilecast measure --suite validate/suites/h200_reference_stream_k.yaml --out "
           "CSV",
           "./tilecast measure --suite validate/suites/h200_reference_small_mma.yaml --out "
           "CSV"},
      .charts = {},
      .tables = {std::move(table)}};
}

}  // namespace tilecast
