#include "validate/compare/data_split.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>

#include "model/base/element_type_text.h"
#include "model/base/error.h"
#include "model/base/refuse.h"
#include "model/base/shown_text.h"
#include "model/base/text.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/gemm/problem/problem_text.h"
#include "model/ops/problem_fields.h"

namespace tilecast {
namespace {

/// Key of rows that must stay in the same set: a GEMM's shape, type and layout, whatever its
/// epilogue.
std::string split_key(const GemmProblem& problem) {
  return fmt::format("{} {} {}", shape_text(problem), to_text(problem.dtype),
                     to_text(problem.layout));
}
std::string split_key(const auto& problem) { return to_text(problem); }

/// Returns the op's field that accepts this word, such as "causal", or has this name, such as
/// "lse". Dimensions belong to the shape and are excluded.
std::optional<std::pair<std::string, std::string>> field_of(const AnyProblem& blank,
                                                            const std::string& word) {
  for (const std::string_view name : problem_field_names()) {
    const std::string usual = field_text(blank, name);
    if (usual.empty() || parse_integer(usual)) {
      continue;
    }
    const std::string value = word == name ? "yes" : word;
    const AnyProblem read = problem_of(op_of(blank), shape_text(blank), dtype_of(blank), {},
                                       {{std::string(name), value}});
    if (field_text(read, name) == value) {
      return std::pair(std::string(name), value);
    }
  }
  return std::nullopt;
}

/// Parses a problem of an op other than GEMM: shape, type and fields, and a word that only its op
/// has.
AnyProblem parse_other_problem(Op op, const std::vector<std::string_view>& words) {
  const std::string shape(words.front());
  const AnyProblem blank = problem_of_shape(op, shape, ElementType::kFp16);
  ElementType dtype = ElementType::kFp16;
  FieldTexts fields;
  bool named = false;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string word(words[i]);
    const auto field = field_of(blank, word);
    if (const std::optional<ElementType> type = element_type_named(word)) {
      dtype = *type;
    } else if (field && fields.insert(*field).second) {
      named = true;
    } else if (word == to_text(op)) {
      named = true;
    } else {
      throw ConfigError(fmt::format("'{}': unknown or repeated in a problem of {}",
                                    on_one_line(word), to_text(op)));
    }
  }
  refuse_if(!named, "expected a GEMM's MxNxK, or '{} {}', got '{}'", shape, to_text(op),
            on_one_line(fmt::format("{}", fmt::join(words, " "))));
  return problem_of(op, shape, dtype, fields);
}

AnyProblem parse_listed_problem(const std::string& text) {
  const std::vector<std::string_view> words = split(text, ' ');
  const Op op = op_of_shape(words.front());
  return std::holds_alternative<GemmProblem>(blank_problem(op))
             ? AnyProblem(parse_gemm_problem(text))
             : parse_other_problem(op, words);
}

std::string key_of(const AnyProblem& problem) {
  return std::visit([](const auto& own) { return split_key(own); }, problem);
}

std::pair<i32, i32> parse_tile(std::string_view text) {
  constexpr i64 kMost = 1024;
  const std::vector<std::string_view> sides = split(text, 'x');
  std::vector<i64> numbers;
  for (const std::string_view side : sides) {
    numbers.push_back(parse_integer(side).value_or(0));
  }
  refuse_if(numbers.size() != 2 || numbers[0] < 1 || numbers[1] < 1 || numbers[0] > kMost ||
                numbers[1] > kMost,
            "expected a tile such as 128x192, got '{}'", text);
  return {static_cast<i32>(numbers[0]), static_cast<i32>(numbers[1])};
}

/// Adds the list item's name to errors of `take`.
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
    const AnyProblem problem = parse_listed_problem(text);
    made.judged_.insert(key_of(problem));
    made.ops_.insert(op_of(problem));
  });
  if (made.ops_.empty()) {
    made.ops_.insert(Op::kGemm);
  }
  each_of(map, "unfitted_tiles",
          [&](const std::string& text) { made.unfitted_tiles_.insert(parse_tile(text)); });
  return made;
}

DataPart DataSplit::part_of(const Point& point) const {
  if (judged_.contains(key_of(point.problem))) {
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
