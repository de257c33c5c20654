#include "reports/build_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "model/base/shown_text.h"
#include "reports/sections/sections.h"

namespace tilecast {
namespace {

std::string summary_of(const ReportInput& input) {
  std::set<std::string> cards, days;
  std::size_t rows = 0;
  for (const std::vector<MeasurementFile>* files : {&input.data, &input.more}) {
    for (const MeasurementFile& file : *files) {
      rows += file.rows.size();
      for (const MeasurementRow& row : file.rows) {
        const RunContext& context = row.measurement.context;
        cards.insert(context.gpu_uuid);
        days.insert(context.date.substr(0, context.date.find('T')));
      }
    }
  }
  const std::string when =
      days.size() == 1 ? *days.begin() : fmt::format("{} to {}", *days.begin(), *days.rbegin());
  return fmt::format("{}, {} {}, {} measured rows, {}", input.gpu.spec.product, cards.size(),
                     cards.size() == 1 ? "card" : "cards",
                     with_commas(static_cast<long long>(rows)), when);
}

}  // namespace

Report build_report(const ReportInput& input) {
  Report report{
      .title = fmt::format("tilecast: predicted beside measured, {}", input.gpu.spec.name),
      .summary = summary_of(input),
      .command = input.command,
      .sections = {}};
  const auto add = [&](MaybeSection section) {
    if (section) {
      report.sections.push_back(std::move(*section));
    }
  };
  add(headline_section(input));
  add(accuracy_section(input));
  add(clock_section(input));
  add(points_section(input));
  add(picks_section(input));
  add(libraries_section(input));
  add(ladder_section(input));
  add(limits_section(input));
  add(waves_section(input));
  add(groups_section(input));
  add(bytes_section(input));
  add(timelines_section(input));
  add(published_section(input));
  add(statements_section(input));
  add(context_section(input));
  add(constants_section(input));
  add(documents_section(input));
  return report;
}

}  // namespace tilecast
