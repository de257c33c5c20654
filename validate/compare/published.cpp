#include "validate/compare/published.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/base/error.h"
#include "model/base/text.h"
#include "model/base/words.h"
#include "model/tile/kernel_config_text.h"
#include "validate/record/csv_text.h"
#include "validate/record/measurement.h"

namespace tilecast {
namespace {

constexpr Words<FigureUnit, 4> kUnits{{{FigureUnit::kTflops, "TFLOPS"},
                                       {FigureUnit::kTebibytesPerSecond, "TiB/s"},
                                       {FigureUnit::kMicroseconds, "us"},
                                       {FigureUnit::kHitPercent, "L2 hit %"}}};

const std::vector<std::string>& columns() {
  static const std::vector<std::string> kColumns{
      "source", "table",        "gpu",         "op",    "shape", "dtype", "layout",
      "kernel", "config_there", "config_here", "value", "unit",  "regime"};
  return kColumns;
}

std::string without_remarks(std::string_view text) {
  std::string left;
  for (const std::string_view line : split(text, '\n')) {
    // An empty line keeps the count.
    left += (line.starts_with('#') ? std::string() : std::string(line)) + "\n";
  }
  return left;
}

std::string canonical(std::string_view text) {
  return text.empty() || is_baseline(std::string(text)) ? std::string(text)
                                                        : to_text(parse_config(text));
}

double parse_value(std::string_view text) {
  const std::optional<double> value = parse_number(text);
  if (!value || *value <= 0) {
    throw ConfigError(fmt::format("expected a number above 0, got '{}'", text));
  }
  return *value;
}

/// One line, whose complaints name the column.
class PublishedLine {
 public:
  PublishedLine(const std::vector<std::string>& fields, std::string where)
      : fields_(fields), where_(std::move(where)) {}

  const std::string& text(std::string_view column) const {
    const auto found = std::find(columns().begin(), columns().end(), column);
    return fields_[static_cast<std::size_t>(found - columns().begin())];
  }

  template <class Parse>
  auto get(std::string_view column, const Parse& parse) const {
    try {
      return parse(std::string_view(text(column)));
    } catch (const ConfigError& error) {
      throw ConfigError(fmt::format("{}: {}: {}", where_, column, error.what()));
    }
  }

 private:
  const std::vector<std::string>& fields_;
  std::string where_;
};

PublishedFigure parse_row(const PublishedLine& line) {
  const Op op = line.get("op", parse_op);
  const ElementType dtype = line.get("dtype", parse_element_type);
  const Layout layout = line.get("layout", [](std::string_view text) {
    return text.empty() ? Layout::kTn : parse_layout(text);
  });
  return {
      .source = line.text("source"),
      .table = line.text("table"),
      .gpu = line.text("gpu"),
      .problem = line.get(
          "shape", [&](std::string_view shape) { return parse_problem(op, shape, dtype, layout); }),
      .kernel = line.text("kernel"),
      .config_there = line.get("config_there", canonical),
      .config_here = line.get("config_here", canonical),
      .value = line.get("value", parse_value),
      .unit =
          line.get("unit", [](std::string_view text) { return value_of(kUnits, "unit", text); }),
      .regime = line.get("regime", parse_regime)};
}

}  // namespace

std::string_view to_text(FigureUnit unit) { return word_of(kUnits, unit); }

std::vector<PublishedFigure> parse_published(std::string_view text, std::string_view name) {
  const CsvText csv = parse_csv(without_remarks(text), name);
  if (csv.truncated || csv.records.empty() || csv.records.front().fields != columns()) {
    throw ConfigError(
        fmt::format("{}: expected whole lines under the header {}", name, join(columns(), ",")));
  }
  std::vector<PublishedFigure> figures;
  for (auto record = csv.records.begin() + 1; record != csv.records.end(); ++record) {
    const std::string where = fmt::format("{}:{}", name, record->line);
    if (record->fields.size() != columns().size()) {
      throw ConfigError(fmt::format("{}: expected {} fields, got {}", where, columns().size(),
                                    record->fields.size()));
    }
    figures.push_back(parse_row(PublishedLine(record->fields, where)));
  }
  return figures;
}

AnyProblem problem_there(const PublishedFigure& figure) {
  AnyProblem problem = figure.problem;
  GemmProblem* gemm = std::get_if<GemmProblem>(&problem);
  if (gemm != nullptr && !figure.config_there.empty() && !is_baseline(figure.config_there) &&
      uses_tcgen05(parse_kernel_config(figure.config_there).schedule)) {
    gemm->layout = Layout::kTn;
  }
  return problem;
}

}  // namespace tilecast
