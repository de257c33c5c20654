// Every number the model has of the GPU, with where it comes from and, where it was calibrated,
// what it was before.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "reports/quantities.h"
#include "reports/sections/sections.h"

namespace tilecast {
namespace {

/// A number in the constant's unit, or a text where the prior is written in another one; nothing
/// where calibration left the constant alone.
Cell prior_of(const ReportInput& input, const Constant& constant) {
  if (!input.prior) {
    return {};
  }
  const std::vector<Constant>& all = input.prior->constants;
  const auto found = std::find_if(all.begin(), all.end(), [&](const Constant& other) {
    return other.key_path == constant.key_path;
  });
  const bool replaced =
      found != all.end() && (found->value != constant.value || found->source != constant.source ||
                             constant.standard_error.has_value());
  if (!replaced) {
    return {};
  }
  return found->unit == constant.unit
             ? Cell(found->value)
             : Cell(fmt::format("{} {}", number_text(found->value, 6), found->unit));
}

/// Those that the overlay replaced.
DataTable calibrated_table(const ReportInput& input) {
  DataTable table{"calibration",
                  "Constants that were calibrated on this card",
                  {{.key = "key", .title = "constant", .is_code = true},
                   {.key = "prior", .title = "prior", .digits = 6},
                   {.key = "value", .title = "calibrated", .digits = 6},
                   {.key = "standard_error", .title = "standard error", .digits = 2},
                   {.key = "change", .title = "change", .unit = "%", .digits = 3},
                   {.key = "errors_away", .title = "standard errors away", .digits = 3},
                   {.key = "unit", .title = "unit"},
                   {.key = "reference", .title = "from"}},
                  {}};
  for (const Constant& c : input.gpu.constants) {
    const Cell prior = prior_of(input, c);
    if (std::holds_alternative<std::monostate>(prior)) {
      continue;
    }
    const double* before = std::get_if<double>(&prior);
    const bool with_error = before != nullptr && c.standard_error && *c.standard_error > 0;
    table.rows.push_back(
        {c.key_path, prior, c.value, maybe(c.standard_error),
         before == nullptr || *before == 0 ? Cell() : Cell((c.value / *before - 1) * kToPercent),
         with_error ? Cell((c.value - *before) / *c.standard_error) : Cell(), c.unit, c.ref});
  }
  return table;
}

DataTable constants_table(const ReportInput& input) {
  DataTable table{"constants",
                  "All constants of the model",
                  {{.key = "key", .title = "constant", .is_code = true},
                   {.key = "value", .title = "value", .digits = 6},
                   {.key = "standard_error", .title = "standard error", .digits = 2},
                   {.key = "prior", .title = "prior", .digits = 6},
                   {.key = "unit", .title = "unit"},
                   {.key = "source", .title = "source"},
                   {.key = "confidence", .title = "confidence"},
                   {.key = "reference", .title = "from"}},
                  {}};
  for (const Constant& c : input.gpu.constants) {
    table.rows.push_back({c.key_path, c.value, maybe(c.standard_error), prior_of(input, c), c.unit,
                          std::string(to_text(c.source)), std::string(to_text(c.confidence)),
                          c.ref});
  }
  return table;
}

/// "12 assumed, 40 measured": constants by source.
std::string sources_text(const ReportInput& input) {
  std::map<std::string, int> counts;
  for (const Constant& c : input.gpu.constants) {
    ++counts[std::string(to_text(c.source))];
  }
  std::string text;
  for (const auto& [source, count] : counts) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, source);
  }
  return text;
}

}  // namespace

Section constants_section(const ReportInput& input) {
  DataTable calibrated = calibrated_table(input);
  const std::filesystem::path path = input.gpu.path;
  const std::string stem = "configs/gpus/" + path.stem().string();
  Section section{
      .id = "constants",
      .title = "Calibration",
      .text = fmt::format(
          "Every number that the model has of this GPU, with where it comes from: {}. {}",
          sources_text(input),
          input.gpu.calibrated
              ? fmt::format("{} of them were fitted again to measurements of this card; *prior* is "
                            "the value they started from.",
                            calibrated.rows.size())
              : std::string("No calibration of this card was used: the values are those of the GPU "
                            "file, and have no standard errors but those it states.")),
      .files = {stem + path.extension().string()}};
  if (input.gpu.calibrated) {
    section.files.push_back(stem + ".calibrated.yaml");
  }
  if (!calibrated.rows.empty()) {
    section.tables.push_back(std::move(calibrated));
  }
  section.tables.push_back(constants_table(input));
  return section;
}

}  // namespace tilecast
