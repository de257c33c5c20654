#include "model/spec/constants_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "model/spec/gpu_fields.h"

namespace tilecast {
namespace {

std::string parts_of(const Field& field) {
  std::string text;
  for (const std::optional<Limiter> part : {field.part, field.other_part}) {
    text += part ? fmt::format("{}{}", text.empty() ? "" : ", ", to_text(*part)) : "";
  }
  return text;
}

std::string quoted(std::string_view key) { return key.empty() ? "" : fmt::format("`{}`", key); }

std::string constant_row(const Field& field, const Constant& constant) {
  return fmt::format("| `{}` | {:g} | {} | {:.7g} to {:.7g} | {} | {} | {} | {} | {} |\n",
                     field.path(), constant.value, constant.unit,
                     in_unit(field.least, constant.unit), in_unit(field.most, constant.unit),
                     parts_of(field), quoted(field.proportional_to),
                     field.prior_width > 0 ? fmt::format("{:g}", field.prior_width) : "",
                     to_text(constant.source), field.micro_kernel);
}

}  // namespace

std::string constants_table(std::vector<LoadedGpu> gpus) {
  std::string text =
      "| key | value | unit | range | limits | in proportion to | prior's width | source | "
      "measured "
      "by |\n"
      "|---|--:|---|---|---|---|--:|---|---|\n";
  std::set<std::string> shown;
  for (LoadedGpu& gpu : gpus) {
    for (const Field& field : fields_of(gpu.spec)) {
      const auto constant = std::ranges::find(gpu.constants, field.path(), &Constant::key_path);
      if (shown.insert(field.path()).second) {
        text += constant_row(field, *constant);
      }
    }
  }
  return text;
}

}  // namespace tilecast
