#include "validate/compare/data_split.h"

#include <fmt/format.h>

#include "model/base/error.h"
#include "model/base/text.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/gemm/problem/problem_text.h"
#include "model/ops/any_op.h"

namespace tilecast {
namespace {

/// What rows of one problem share: a GEMM's shape, type and layout, whatever its epilogue.
std::string split_key(const GemmProblem& problem) {
  return fmt::format("{} {} {}", shape_text(problem), to_text(problem.dtype),
                     to_text(problem.layout));
}
std::string split_key(const auto& problem) { return to_text(problem); }

/// Of a problem as a split lists it: a GEMM's with defaults, any other's as rows have it.
std::string listed_key(const std::string& text) {
  const std::string_view shape = std::string_view(text).substr(0, text.find(' '));
  return std::visit(
      [&]<class Problem>(const Problem&) {
        if constexpr (std::is_same_v<Problem, GemmProblem>) {
          return split_key(parse_gemm_problem(text));
        }
        return text;
      },
      problem_of_shape(op_of_shape(shape), shape, ElementType::kBf16));
}

std::pair<i32, i32> parse_tile(std::string_view text) {
  constexpr i64 kMost = 1024;
  const std::vector<std::string_view> sides = split(text, 'x');
  std::vector<i64> numbers;
  for (const std::string_view side : sides) {
    numbers.push_back(parse_integer(side).value_or(0));
  }
  if (numbers.size() != 2 || numbers[0] < 1 || numbers[1] < 1 || numbers[0] > kMost ||
      numbers[1] > kMost) {
    throw ConfigError(fmt::format("expected a tile such as 128x192, got '{}'", text));
  }
  return {static_cast<i32>(numbers[0]), static_cast<i32>(numbers[1])};
}

/// Errors of `take` name the list item.
template <class Take>
void each_of(const StrictMap& map, const char* key, const Take& take) {
  for (const StrictValue& item : map.required(key).list()) {
    item.parsed(take);
  }
}

}  // namespace

std::string_view to_text(DataPart part) {
  return part == DataPart::kFit ? "fit" : part == DataPart::kJudge ? "judge" : "tiles";
}

DataPart parse_data_part(std::string_view text) {
  for (const DataPart part : {DataPart::kFit, DataPart::kJudge, DataPart::kTiles}) {
    if (text == to_text(part)) {
      return part;
    }
  }
  throw ConfigError(fmt::format("expected fit, judge or tiles, got '{}'", text));
}

DataSplit DataSplit::load(const std::vector<std::string>& paths) {
  DataSplit all;
  for (const std::string& path : paths) {
    DataSplit one = parse(load_yaml(path));
    all.judged_.merge(one.judged_);
    all.ops_.merge(one.ops_);
    all.unfitted_tiles_.merge(one.unfitted_tiles_);
  }
  return all;
}

DataSplit DataSplit::parse(const StrictValue& root) {
  const StrictMap map = root.map({"rule", "judge", "unfitted_tiles"});
  (void)map.required("rule").text();
  DataSplit made;
  each_of(map, "judge", [&](const std::string& text) {
    const std::string_view shape = std::string_view(text).substr(0, text.find(' '));
    made.judged_.insert(listed_key(text));
    made.ops_.insert(op_of_shape(shape));
  });
  each_of(map, "unfitted_tiles",
          [&](const std::string& text) { made.unfitted_tiles_.insert(parse_tile(text)); });
  return made;
}

DataPart DataSplit::part_of(const Point& point) const {
  if (judged_.contains(
          std::visit([](const auto& problem) { return split_key(problem); }, point.problem))) {
    return DataPart::kJudge;
  }
  if (is_baseline(point.config) || !std::holds_alternative<GemmProblem>(point.problem)) {
    return DataPart::kFit;
  }
  const Tiling tiling = parse_kernel_config(point.config).tiling;
  return unfitted_tiles_.contains({tiling.block_m, tiling.block_n}) ? DataPart::kTiles
                                                                    : DataPart::kFit;
}

void keep_part(const DataSplit& split, DataPart part, std::vector<MeasurementFile>& files) {
  for (MeasurementFile& file : files) {
    std::erase_if(file.rows, [&](const MeasurementRow& row) {
      const Point& point = row.measurement.point;
      if (!split.has_op(op_of(point.problem))) {
        return true;
      }
      const DataPart of_row = split.part_of(point);
      const bool baseline = is_baseline(point.config) && of_row == DataPart::kFit;
      return of_row != part && !(baseline && part == DataPart::kTiles);
    });
  }
}

}  // namespace tilecast
