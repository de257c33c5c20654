#include "validate/plan/suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <random>
#include <set>
#include <utility>

#include "model/base/error.h"
#include "model/base/shown_text.h"
#include "model/base/shuffle.h"
#include "model/base/text.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/gemm/menu/candidates.h"
#include "model/gemm/menu/legality.h"
#include "model/gemm/problem/batch_text.h"
#include "model/gemm/problem/group_rows.h"
#include "model/gemm/problem/leading_text.h"
#include "model/predict/predict.h"
#include "model/predict/rejected.h"
#include "model/stream/stream_config_text.h"
#include "model/stream/stream_menu.h"
#include "model/stream/stream_rules.h"

namespace tilecast {
namespace {

constexpr i64 kMostOfOneRange = 10'000;
constexpr std::size_t kMostShapes = 100'000;
constexpr i64 kMostConfigs = 1'000'000;

constexpr i64 kMostElements = i64{1} << 40;

[[noreturn]] void bad_shape(std::string_view text) {
  throw ConfigError(fmt::format(
      "shape '{}': expected MxNxK, ROWSxCOLUMNS or a number of elements, each a whole "
      "number from 1 to 2147483647 (M and N: 16777216, elements: 2^40) or start:end:step",
      printable(text)));
}

/// "512" or "512:2048:512", end included where a step meets it.
std::vector<i64> expand_side(std::string_view side, std::string_view shape, i64 most) {
  std::vector<i64> numbers;
  for (const std::string_view part : split(side, ':')) {
    const std::optional<i64> number = parse_integer(part);
    if (!number || *number < 1 || *number > most) {
      bad_shape(shape);
    }
    numbers.push_back(*number);
  }
  if (numbers.size() == 1) {
    return numbers;
  }
  if (numbers.size() != 3 || numbers[1] < numbers[0] ||
      (numbers[1] - numbers[0]) / numbers[2] >= kMostOfOneRange) {
    bad_shape(shape);
  }
  std::vector<i64> sides;
  for (i64 value = numbers[0]; value <= numbers[1]; value += numbers[2]) {
    sides.push_back(value);
  }
  return sides;
}

/// The items of a list, each parsed by `parse`, whose complaint gets file, line and key.
template <class T, class Parse>
std::vector<T> parsed_list(const StrictMap& map, std::string_view key, std::vector<T> absent,
                           const Parse& parse) {
  const std::optional<StrictValue> value = map.optional(key);
  if (!value) {
    return absent;
  }
  std::vector<T> items;
  for (const StrictValue& item : value->list()) {
    try {
      items.push_back(parse(item.text()));
    } catch (const ConfigError& error) {
      item.fail(error.what());
    }
  }
  if (items.empty()) {
    value->fail("expected at least one");
  }
  return items;
}

void parse_config_item(const StrictValue& item, SuiteConfigs& configs) {
  if (item.is_map()) {
    const StrictMap choice = item.map({"best", "random", "seed"});
    const std::optional<StrictValue> best = choice.optional("best");
    const std::optional<StrictValue> random = choice.optional("random");
    if (best.has_value() == random.has_value()) {
      item.fail("expected either best: N or random: N with seed: S");
    }
    if (best) {
      configs.best = static_cast<std::size_t>(best->integer(1, kMostConfigs));
    } else {
      configs.random = static_cast<std::size_t>(random->integer(1, kMostConfigs));
      configs.seed =
          static_cast<u64>(choice.required("seed").integer(0, std::numeric_limits<i64>::max()));
    }
    return;
  }
  const std::string text = item.text();
  if (text == "all") {
    configs.all = true;
    return;
  }
  try {
    configs.texts.push_back(text == kRuntimeCopy ? text : to_text(parse_config(text)));
  } catch (const ConfigError& error) {
    item.fail(error.what());
  }
}

SuiteConfigs parse_configs(const StrictMap& map) {
  SuiteConfigs configs;
  if (const std::optional<StrictValue> value = map.optional("configs")) {
    if (value->is_list()) {
      for (const StrictValue& item : value->list()) {
        parse_config_item(item, configs);
      }
    } else {
      parse_config_item(*value, configs);
    }
  }
  return configs;
}

/// Other random configurations for other shapes.
u64 mixed(const GemmProblem& problem) {
  constexpr u64 kPrime = 1'000'003;
  const GemmShape& shape = problem.shape;
  u64 groups = 0;
  if (problem.groups != nullptr) {
    for (const i64 rows : problem.groups->rows()) {
      groups = groups * kPrime + static_cast<u64>(rows);
    }
    groups += static_cast<u64>(problem.groups->capacity());
    groups += grouped_along_k(problem) ? kPrime : 0;
  }
  return groups + static_cast<u64>(problem.batch.products - 1) * kPrime * kPrime * kPrime +
         ((static_cast<u64>(shape.m) * kPrime) + static_cast<u64>(shape.n)) * kPrime +
         static_cast<u64>(shape.k);
}

Op op_of_text(const std::string& config) {
  return config == kRuntimeCopy ? Op::kMemcpy : op_of(schedule_of(parse_config(config)));
}

/// Of one schedule, which is of the problem's op.
std::vector<AnyConfig> legal_configs(const GpuSpec& gpu, const AnyProblem& problem,
                                     const AnySchedule& schedule) {
  return std::visit(
      [&]<class Problem>(const Problem& own) {
        const auto legal =
            enumerate_candidates(gpu, own, {std::get<ScheduleOf<Problem>>(schedule)}).legal;
        return std::vector<AnyConfig>(legal.begin(), legal.end());
      },
      problem);
}

/// The configurations to try on one problem in one regime.
class Choice {
 public:
  struct Item {
    std::string config, drawn;
  };

  Choice(const Suite& suite, const GpuSpec& gpu, const AnyProblem& problem)
      : suite_(suite), gpu_(gpu), problem_(problem) {
    for (const std::string& text : suite.configs.texts) {
      if (op_of_text(text) == op_of(problem)) {
        add(text, is_baseline(text) ? "" : "named");
      }
    }
  }

  void add_drawn(const AnySchedule& schedule, Regime regime, Inputs inputs) {
    std::vector<AnyConfig> legal = legal_configs(gpu_, problem_, schedule);
    const SuiteConfigs& wanted = suite_.configs;
    if (!legal.empty() && wanted.best > 0) {
      const Ranking ranking =
          rank_candidates(gpu_, problem_, {schedule}, regime, inputs, wanted.best,
                          {.method = Method::kAnalytic});  // of every schedule: simulating is slow
      const std::size_t count = std::min(wanted.best, ranking.predictions.size());
      for (std::size_t i = 0; i < count; ++i) {
        add(to_text(ranking.predictions[i].config), "best");
      }
    }
    if (wanted.random > 0) {
      std::mt19937_64 random(wanted.seed ^ mixed(point_of(problem_).problem));
      shuffle(legal, random);
      std::size_t added = 0;
      for (std::size_t i = 0; i < legal.size() && added < wanted.random; ++i) {
        added += add(to_text(legal[i]), "random") ? 1 : 0;
      }
    }
    if (wanted.all) {
      for (const AnyConfig& config : legal) {
        add(to_text(config), "all");
      }
    }
  }

  bool add(const std::string& config, const std::string& drawn) {
    const bool is_new = known_.insert(config).second;
    if (is_new) {
      items_.push_back({config, drawn});
    }
    return is_new;
  }

  std::vector<Item> take() { return std::move(items_); }

 private:
  const Suite& suite_;
  const GpuSpec& gpu_;
  const AnyProblem& problem_;
  std::vector<Item> items_;
  std::set<std::string> known_;
};

std::vector<Choice::Item> choose_configs(const Suite& suite, const GpuSpec& gpu,
                                         const AnyProblem& problem, Regime regime, Inputs inputs) {
  const Op op = op_of(problem);
  Choice choice(suite, gpu, problem);
  if (suite.configs.best > 0 || suite.configs.random > 0 || suite.configs.all) {
    for (const AnySchedule& schedule :
         suite.schedules.empty() ? menu_schedules(gpu, op) : suite.schedules) {
      if (op_of(schedule) == op) {
        choice.add_drawn(schedule, regime, inputs);
      }
    }
  }
  if (suite.cublaslt && op == Op::kGemm) {
    choice.add(std::string(kCublasltTop1), "");
    choice.add(std::string(kCublasltBest), "");
  }
  return choice.take();
}

/// Why nothing solves the problem; every memory-bound one has a kernel.
std::string why_unsolvable(const GpuSpec& gpu, const AnyProblem& problem) {
  const GemmProblem* gemm = std::get_if<GemmProblem>(&problem);
  return gemm != nullptr ? why_not_solvable(gpu, *gemm) : "";
}

/// The problems that a shape stands for, one for each element type, layout and epilogue that it
/// can have.
std::vector<AnyProblem> problems_of(const Suite& suite, const SuiteShape& shape) {
  std::vector<AnyProblem> problems;
  for (const ElementType dtype : suite.dtypes) {
    if (shape.op == Op::kGemm) {
      for (const Layout layout : suite.layouts) {
        for (const Epilogue& epilogue : suite.epilogues) {
          const GemmProblem problem = with_leading({.shape = shape.sides,
                                                    .dtype = dtype,
                                                    .layout = layout,
                                                    .epilogue = epilogue,
                                                    .batch = shape.batch,
                                                    .groups = shape.groups},
                                                   shape.leading);
          for (const ElementType c : suite.dtypes_c) {
            // Of 16-bit operands C has their type wherever it has 16 bits.
            const bool own = !is_fp8(dtype) && element_bytes(c) == element_bytes(dtype);
            GemmProblem with_c = with_c_type(problem, own ? dtype : c);
            for (const Accumulate accumulate : suite.accumulate) {
              with_c = chooses_accumulate(dtype, epilogue) ? with_accumulate(with_c, accumulate)
                                                           : with_c;
              if (std::ranges::find(problems, AnyProblem(with_c)) == problems.end()) {
                problems.emplace_back(with_c);
              }
            }
          }
        }
      }
    } else {
      problems.emplace_back(shape.op == Op::kMemcpy
                                ? StreamProblem{1, shape.sides.m, dtype, shape.op}
                                : StreamProblem{shape.sides.m, shape.sides.n, dtype, shape.op});
    }
  }
  return problems;
}

}  // namespace

std::vector<SuiteShape> expand_shapes(std::string_view given_text) {
  const auto& [text, leading] = split_leading(given_text);
  if (text.find('[') != text.npos) {
    const GemmProblem of_groups =
        std::get<GemmProblem>(parse_problem(Op::kGemm, text, ElementType::kFp16, Layout::kTn));
    return {{Op::kGemm, of_groups.shape, {}, of_groups.groups, leading}};
  }
  const BatchedShape given = split_batch(text);
  const Batch batch = given.batch ? parse_batch(*given.batch) : Batch{};
  const std::vector<std::string_view> sides = split(given.shape, 'x');
  const bool gemm_alone = given.batch || leading != LeadingDimensions{};
  if (sides.empty() || sides.size() > 3 || (gemm_alone && sides.size() != 3)) {
    bad_shape(text);
  }
  const Op op = sides.size() == 3   ? Op::kGemm
                : sides.size() == 2 ? Op::kElementwiseAdd
                                    : Op::kMemcpy;
  const i64 most = op == Op::kMemcpy ? kMostElements : std::numeric_limits<i32>::max();
  std::vector<std::vector<i64>> numbers(3, {0});
  for (std::size_t i = 0; i < sides.size(); ++i) {
    numbers[i] = expand_side(sides[i], text, most);
  }
  std::vector<SuiteShape> shapes;
  for (const i64 m : numbers[0]) {
    for (const i64 n : numbers[1]) {
      for (const i64 k : numbers[2]) {
        shapes.push_back({op, {m, n, k}, batch, nullptr, leading});
        if (shapes.size() > kMostShapes) {
          throw ConfigError(
              fmt::format("shape '{}': expected at most {} shapes", printable(text), kMostShapes));
        }
      }
    }
  }
  return shapes;
}

Suite parse_suite(const StrictValue& root) {
  const StrictMap map =
      root.map({"shapes", "ops", "dtypes", "dtypes_c", "accumulate", "layouts", "epilogues",
                "configs", "schedules", "regimes", "inputs", "l2", "counters", "cublaslt"});
  Suite suite;
  const std::vector<Op> ops = parsed_list(map, "ops", std::vector{Op::kGemm}, parse_op);
  const auto shapes_of_ops = [&](std::string_view text) {
    std::vector<SuiteShape> shapes = expand_shapes(text);
    if (std::find(ops.begin(), ops.end(), shapes.front().op) == ops.end()) {
      throw ConfigError(fmt::format("shape '{}': it is of {}, which `ops` does not list",
                                    printable(text), to_text(shapes.front().op)));
    }
    return shapes;
  };
  const auto lists = parsed_list<std::vector<SuiteShape>>(map, "shapes", {}, shapes_of_ops);
  for (const std::vector<SuiteShape>& list : lists) {
    suite.shapes.insert(suite.shapes.end(), list.begin(), list.end());
  }
  if (suite.shapes.empty()) {
    (void)map.required("shapes");
  }
  suite.dtypes = parsed_list(map, "dtypes", suite.dtypes, parse_element_type);
  suite.dtypes_c = parsed_list(map, "dtypes_c", suite.dtypes_c,
                               [](std::string_view text) { return *parse_c_type(text); });
  suite.accumulate = parsed_list(map, "accumulate", suite.accumulate, parse_accumulate);
  suite.layouts = parsed_list(map, "layouts", suite.layouts, parse_layout);
  suite.epilogues = parsed_list(map, "epilogues", suite.epilogues, parse_epilogue);
  suite.regimes = parsed_list(map, "regimes", suite.regimes, parse_regime);
  suite.inputs = parsed_list(map, "inputs", suite.inputs, parse_inputs);
  suite.l2_states = parsed_list(map, "l2", suite.l2_states, parse_l2_state);
  suite.schedules = parsed_list(map, "schedules", suite.schedules, [](std::string_view text) {
    return is_stream_schedule(text) ? AnySchedule(parse_stream_schedule(text))
                                    : AnySchedule(parse_schedule(text));
  });
  if (const std::optional<StrictValue> counters = map.optional("counters")) {
    suite.counters = counters->word(kCounterChoices);
  }
  if (const std::optional<StrictValue> cublaslt = map.optional("cublaslt")) {
    suite.cublaslt = cublaslt->flag();
  }
  suite.configs = parse_configs(map);
  const SuiteConfigs& configs = suite.configs;
  if (configs.texts.empty() && !configs.all && configs.best == 0 && configs.random == 0 &&
      !suite.cublaslt) {
    root.fail("expected configs, or cublaslt: true");
  }
  return suite;
}

Suite load_suite(const std::filesystem::path& path) { return parse_suite(load_yaml(path)); }

std::string why_not_measurable(const GpuSpec& gpu, const AnyProblem& problem,
                               const std::string& config) {
  if (is_baseline(config)) {
    return is_cublaslt(config) == (op_of(problem) == Op::kGemm)
               ? why_unsolvable(gpu, problem)
               : fmt::format("it is not a baseline of {}", to_text(op_of(problem)));
  }
  if (std::string reason = why_unsolvable(gpu, problem); !reason.empty()) {
    return reason;
  }
  const AnyConfig parsed = parse_config(config);
  if (op_of(schedule_of(parsed)) != op_of(problem)) {
    return fmt::format("it computes {}, not {}", to_text(op_of(schedule_of(parsed))),
                       to_text(op_of(problem)));
  }
  return why_not_legal(gpu, problem, parsed);
}

SuitePoints expand_suite(const Suite& suite, const GpuSpec& gpu) {
  SuitePoints expanded;
  std::set<std::string> seen, problems;
  for (const SuiteShape& shape : suite.shapes) {
    for (const AnyProblem& problem : problems_of(suite, shape)) {
      if (!problems.insert(to_text(problem)).second) {
        continue;  // its configurations would be drawn again, for nothing
      }
      if (const std::string why = why_unsolvable(gpu, problem); !why.empty()) {
        expanded.notes.push_back(fmt::format("{} is left out: {}", to_text(problem), why));
        continue;
      }
      for (const Inputs inputs : suite.inputs) {
        for (const Regime regime : suite.regimes) {
          const std::vector<Choice::Item> items =
              choose_configs(suite, gpu, problem, regime, inputs);
          for (const L2State l2_state : suite.l2_states) {
            for (const auto& [config, drawn] : items) {
              Point point = point_of(problem);
              point.config = config;
              point.regime = regime;
              point.inputs = inputs;
              point.l2_state = l2_state;
              if (seen.insert(key_of(point)).second) {
                const std::string why = why_not_timed(regime, l2_state);
                expanded.points.push_back(
                    {point, why.empty() ? why_not_measurable(gpu, problem, config) : why, drawn});
              }
            }
          }
        }
      }
    }
  }
  return expanded;
}

}  // namespace tilecast
