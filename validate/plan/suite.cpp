#include "validate/plan/suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <random>
#include <set>
#include <utility>

#include "model/base/element_type_text.h"
#include "model/base/error.h"
#include "model/base/refuse.h"
#include "model/base/shown_text.h"
#include "model/base/shuffle.h"
#include "model/base/text.h"
#include "model/gemm/menu/candidates.h"
#include "model/gemm/menu/legality.h"
#include "model/ops/config_pattern.h"
#include "model/ops/problem_fields.h"
#include "model/predict/predict.h"
#include "model/predict/predict_op.h"
#include "model/predict/rejected.h"
#include "model/stream/stream_menu.h"
#include "model/stream/stream_rules.h"

namespace tilecast {
namespace {

constexpr i64 kMostOfOneRange = 10'000;
constexpr std::size_t kMostShapes = 100'000;
constexpr i64 kMostConfigs = 1'000'000;

/// A field, and the key of its list in a suite if that is not the field's name.
struct ListOfField {
  std::string_view list, field;
};
constexpr ListOfField kLists[] = {{"layouts", "layout"},   {"epilogues", "epilogue"},
                                  {"dtypes_c", "dtype_c"}, {"masks", "mask"},
                                  {"lse", "lse"},          {"accumulate", "accumulate"}};

/// Expands "512:2048:512"; the end is included if a step reaches it.
std::vector<i64> expand_range(std::string_view range, std::string_view shape) {
  std::vector<i64> numbers;
  for (const std::string_view part : split(range, ':')) {
    numbers.push_back(parse_integer(part).value_or(0));
  }
  refuse_if(
      numbers.size() != 3 || *std::ranges::min_element(numbers) < 1 || numbers[1] < numbers[0],
      "shape '{}': expected start:end:step, integers with 1 <= start <= end and step "
      ">= 1, got {}",
      printable(shape), printable(range));
  const i64 count = (numbers[1] - numbers[0]) / numbers[2] + 1;
  refuse_if(count > kMostOfOneRange, "shape '{}': {} stands for {} numbers, expected at most {}",
            printable(shape), printable(range), with_commas(count), with_commas(kMostOfOneRange));
  std::vector<i64> values;
  for (i64 value = numbers[0]; value <= numbers[1]; value += numbers[2]) {
    values.push_back(value);
  }
  return values;
}

/// Parses the items of a list with `parse`; errors get file, line and key.
template <class T, class Parse>
std::vector<T> parsed_list(const StrictMap& map, std::string_view key, std::vector<T> absent,
                           const Parse& parse) {
  const std::optional<StrictValue> value = map.optional(key);
  if (!value) {
    return absent;
  }
  std::vector<T> items;
  for (const StrictValue& item : value->list()) {
    items.push_back(item.parsed(parse));
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
  if (item.text() == "all") {
    configs.all = true;
    return;
  }
  configs.texts.push_back(item.parsed([](const std::string& text) {
    return is_baseline(text) ? text : to_text(parse_config(text));
  }));
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

Op op_of_text(const std::string& config) {
  const Baseline* const baseline = baseline_named(config);
  return baseline != nullptr ? baseline->op : op_of(schedule_of(parse_config(config)));
}

/// Returns legal configurations of `schedule`, which must compute the op of the problem.
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

/// Chooses the configurations to measure for one problem in one regime.
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
                          // Uses the analytic method, because this ranks every schedule.
                          {.method = Method::kAnalytic});
      const std::size_t count = std::min(wanted.best, ranking.predictions.size());
      for (std::size_t i = 0; i < count; ++i) {
        add(to_text(ranking.predictions[i].config), "best");
      }
    }
    if (wanted.random > 0) {
      std::mt19937_64 random(wanted.seed ^ shape_seed(problem_));
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
  for (const Baseline& baseline : kBaselines) {
    if (suite.cublaslt && is_cublaslt(baseline.config) && baseline.op == op) {
      choice.add(std::string(baseline.config), "");
    }
  }
  return choice.take();
}

/// Returns why nothing solves the problem.
std::string why_unsolvable(const GpuSpec& gpu, const AnyProblem& problem) {
  return std::visit([&](const auto& own) { return why_not_solvable(gpu, own); }, problem);
}

/// Expands a shape to one problem for each element type and each combination of fields that it can
/// have.
std::vector<AnyProblem> problems_of(const Suite& suite, const std::string& shape) {
  std::vector<FieldTexts> combinations{{}};
  for (const SuiteList& list : suite.fields) {
    std::vector<FieldTexts> more;
    for (const FieldTexts& texts : combinations) {
      for (const std::string& item : list.items) {
        more.push_back(texts);
        more.back()[std::string(list.field)] = item;
      }
    }
    combinations = std::move(more);
  }
  std::vector<AnyProblem> problems;
  for (const ElementType dtype : suite.dtypes) {
    for (const FieldTexts& texts : combinations) {
      const AnyProblem problem = problem_of(op_of_shape(shape), shape, dtype, {}, texts);
      if (std::ranges::find(problems, problem) == problems.end()) {
        problems.push_back(problem);
      }
    }
  }
  return problems;
}

}  // namespace

std::vector<std::string> expand_shapes(std::string_view text) {
  // Finds the first range: digits with two colons between them; in groups, after the star. Heads
  // and KV heads of attention have one colon.
  constexpr std::string_view kOfRange = "0123456789:";
  const std::size_t star = text.find('*');
  std::size_t begin = text.npos, end = 0;
  for (std::size_t at = star == text.npos ? 0 : star; begin == text.npos && at < text.size();) {
    end = std::min(text.find_first_not_of(kOfRange, at), text.size());
    if (std::ranges::count(text.substr(at, end - at), ':') >= 2) {
      begin = at;
    }
    at = end + 1;
  }
  if (begin == text.npos) {
    (void)problem_of_shape(op_of_shape(text), text, ElementType::kFp16);
    return {std::string(text)};
  }
  std::vector<std::string> shapes;
  for (const i64 value : expand_range(text.substr(begin, end - begin), text)) {
    const std::vector<std::string> rest =
        expand_shapes(fmt::format("{}{}{}", text.substr(0, begin), value, text.substr(end)));
    shapes.insert(shapes.end(), rest.begin(), rest.end());
    refuse_if(shapes.size() > kMostShapes, "shape '{}': expected at most {} shapes",
              printable(text), with_commas(kMostShapes));
  }
  return shapes;
}

Suite parse_suite(const StrictValue& root) {
  const StrictMap map = root.map({"shapes", "ops", "dtypes", "dtypes_c", "accumulate", "layouts",
                                  "epilogues", "masks", "lse", "configs", "schedules", "regimes",
                                  "inputs", "l2", "counters", "cublaslt"});
  Suite suite;
  const std::vector<Op> ops = parsed_list(map, "ops", std::vector{Op::kGemm}, parse_op);
  std::size_t count = 0;
  const auto shapes_of_ops = [&](std::string_view text) {
    std::vector<std::string> shapes = expand_shapes(text);
    if (count += shapes.size(); count > kMostShapes) {
      throw ConfigError(fmt::format("expected at most {} shapes in all", with_commas(kMostShapes)));
    }
    const Op op = op_of_shape(text);
    refuse_if(std::ranges::find(ops, op) == ops.end(),
              "shape '{}' is for {}, which `ops` does not list", printable(text), to_text(op));
    return shapes;
  };
  const auto lists = parsed_list<std::vector<std::string>>(map, "shapes", {}, shapes_of_ops);
  for (const std::vector<std::string>& list : lists) {
    suite.shapes.insert(suite.shapes.end(), list.begin(), list.end());
  }
  if (suite.shapes.empty()) {
    (void)map.required("shapes");
  }
  suite.dtypes = parsed_list(map, "dtypes", suite.dtypes, parse_element_type);
  for (const auto& [list, field] : kLists) {
    const auto checked = [field = field](std::string_view text) {
      check_field(field, text);
      return std::string(text);
    };
    if (std::vector items = parsed_list<std::string>(map, list, {}, checked); !items.empty()) {
      suite.fields.push_back({field, std::move(items)});
    }
  }
  suite.regimes = parsed_list(map, "regimes", suite.regimes, parse_regime);
  suite.inputs = parsed_list(map, "inputs", suite.inputs, parse_inputs);
  suite.l2_states = parsed_list(map, "l2", suite.l2_states, parse_l2_state);
  suite.schedules = parsed_list(map, "schedules", suite.schedules,
                                [](std::string_view text) { return schedule_named(text); });
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
  if (const Baseline* const baseline = baseline_named(config)) {
    return baseline->op == op_of(problem)
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

SuitePoints expand_suite(const Suite& suite, const GpuSpec& gpu, std::size_t most) {
  SuitePoints expanded;
  std::set<std::string> seen, problems;
  for (const std::string& shape : suite.shapes) {
    for (const AnyProblem& problem : problems_of(suite, shape)) {
      if (!problems.insert(to_text(problem)).second) {
        continue;  // its configurations would be the same
      }
      if (const std::string why = why_unsolvable(gpu, problem); !why.empty()) {
        expanded.notes.push_back(fmt::format("{} is omitted: {}", to_text(problem), why));
        continue;
      }
      for (const Inputs inputs : suite.inputs) {
        for (const Regime regime : suite.regimes) {
          const std::vector<Choice::Item> items =
              choose_configs(suite, gpu, problem, regime, inputs);
          for (const L2State l2_state : suite.l2_states) {
            for (const auto& [config, drawn] : items) {
              const Point point{problem, config, regime, inputs, l2_state};
              if (seen.insert(key_of(point)).second) {
                const std::string why = why_not_timed(regime, l2_state);
                expanded.points.push_back(
                    {point, why.empty() ? why_not_measurable(gpu, problem, config) : why, drawn});
              }
              if (expanded.points.size() > most) {
                throw ConfigError(fmt::format(
                    "configs: expected at most {} points in all, exceeded at {}; `best: N` and "
                    "`random: N` choose some of a search space",
                    with_commas(static_cast<i64>(most)), to_text(problem)));
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
