// Every number the model has of the GPU, with where it comes from.

#include <algorithm>
#include <filesystem>

#include "reports/quantities.h"
#include "reports/sections/sections.h"

namespace tilecast {
namespace {

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
  return replaced ? Cell(found->value) : Cell();
}

}  // namespace

Section constants_section(const ReportInput& input) {
  DataTable table{"constants",
                  "Constants of the GPU file",
                  {{.key = "key", .title = "constant", .is_code = true},
                   {.key = "value", .title = "value", .digits = 6},
                   {.key = "standard_error", .title = "standard error", .digits = 2},
                   {.key = "prior", .title = "before calibration", .digits = 6},
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
  return {.id = "constants",
          .title = "Constants of the model",
          .text = input.gpu.calibrated
                      ? "Constants with a standard error were calibrated on this card; *before "
                        "calibration* is the value they started from."
                      : "No calibration of this card was used: the values are those of the GPU "
                        "file, fitted ones with the data they were fitted to.",
          .files = {"configs/gpus/" + std::filesystem::path(input.gpu.path).filename().string()},
          .commands = {},
          .charts = {},
          .tables = {std::move(table)}};
}

}  // namespace tilecast
