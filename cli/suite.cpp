#include "cli/suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <random>
#include <set>
#include <utility>

#include "model/base/error.h"
#include "model/base/shuffle.h"
#include "model/base/text.h"
#include "model/predict/candidates.h"
#include "model/predict/legality.h"
#include "model/predict/predict.h"
#include "model/tile/kernel_config_text.h"

namespace tilecast {
namespace {

constexpr i64 kMostOfOneRange = 10'000;
constexpr std::size_t kMostShapes = 100'000;
constexpr i64 kMostConfigs = 1'000'000;

[[noreturn]] void bad_shape(std::string_view text) {
  throw ConfigError(fmt::format(
      "shape '{}': expected MxNxK, each a whole number from 1 to 2147483647 or start:end:step",
      text));
}

/// "512" or "512:2048:512", end included where a step meets it.
std::vector<i64> expand_side(std::string_view side, std::string_view shape) {
  std::vector<i64> numbers;
  for (const std::string_view part : split(side, ':')) {
    const std::optional<i64> number = parse_integer(part);
    if (!number || *number < 1 || *number > std::numeric_limits<i32>::max()) {
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
    configs.texts.push_back(to_text(parse_kernel_config(text)));
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
u64 mixed(const GemmShape& shape) {
  constexpr u64 kPrime = 1'000'003;
  return ((static_cast<u64>(shape.m) * kPrime) + static_cast<u64>(shape.n)) * kPrime +
         static_cast<u64>(shape.k);
}

/// Texts of the configurations to try on one problem in one regime.
std::vector<std::string> choose_configs(const Suite& suite, const GpuSpec& gpu,
                                        const GemmProblem& problem, Regime regime, Inputs inputs) {
  std::vector<std::string> chosen;
  std::set<std::string> known;
  const auto add = [&](const std::string& text) {
    const bool is_new = known.insert(text).second;
    if (is_new) {
      chosen.push_back(text);
    }
    return is_new;
  };
  for (const std::string& text : suite.configs.texts) {
    add(text);
  }
  const std::vector<Schedule> schedules =
      suite.schedules.empty() ? std::vector(std::begin(kEverySchedule), std::end(kEverySchedule))
                              : suite.schedules;
  for (const Schedule schedule : schedules) {
    std::vector<KernelConfig> legal = enumerate_candidates(gpu, problem, {schedule}).legal;
    if (legal.empty()) {
      continue;
    }
    if (suite.configs.best > 0) {
      const Ranking ranking =
          rank_candidates(gpu, problem, {schedule}, regime, inputs, suite.configs.best);
      const std::size_t count = std::min(suite.configs.best, ranking.predictions.size());
      for (std::size_t i = 0; i < count; ++i) {
        add(to_text(ranking.predictions[i].config));
      }
    }
    if (suite.configs.random > 0) {
      std::mt19937_64 random(suite.configs.seed ^ mixed(problem.shape));
      shuffle(legal, random);
      std::size_t added = 0;
      for (std::size_t i = 0; i < legal.size() && added < suite.configs.random; ++i) {
        added += add(to_text(legal[i])) ? 1 : 0;
      }
    }
    for (const KernelConfig& config : legal) {
      if (suite.configs.all) {
        add(to_text(config));
      }
    }
  }
  if (suite.cublaslt) {
    add(std::string(kCublasltTop1));
    add(std::string(kCublasltBest));
  }
  return chosen;
}

}  // namespace

std::vector<GemmShape> expand_shapes(std::string_view text) {
  const std::vector<std::string_view> sides = split(text, 'x');
  if (sides.size() != 3) {
    bad_shape(text);
  }
  std::vector<GemmShape> shapes;
  for (const i64 m : expand_side(sides[0], text)) {
    for (const i64 n : expand_side(sides[1], text)) {
      for (const i64 k : expand_side(sides[2], text)) {
        shapes.push_back({m, n, k});
        if (shapes.size() > kMostShapes) {
          throw ConfigError(
              fmt::format("shape '{}': expected at most {} shapes", text, kMostShapes));
        }
      }
    }
  }
  return shapes;
}

Suite parse_suite(const StrictValue& root) {
  const StrictMap map = root.map({"shapes", "ops", "dtypes", "layouts", "configs", "schedules",
                                  "regimes", "inputs", "l2", "counters", "cublaslt"});
  Suite suite;
  const auto lists = parsed_list<std::vector<GemmShape>>(map, "shapes", {}, expand_shapes);
  for (const std::vector<GemmShape>& list : lists) {
    suite.shapes.insert(suite.shapes.end(), list.begin(), list.end());
  }
  if (suite.shapes.empty()) {
    (void)map.required("shapes");
  }
  suite.dtypes = parsed_list(map, "dtypes", suite.dtypes, parse_element_type);
  suite.layouts = parsed_list(map, "layouts", suite.layouts, parse_layout);
  suite.regimes = parsed_list(map, "regimes", suite.regimes, parse_regime);
  suite.inputs = parsed_list(map, "inputs", suite.inputs, parse_inputs);
  suite.l2_states = parsed_list(map, "l2", suite.l2_states, parse_l2_state);
  suite.schedules = parsed_list(map, "schedules", suite.schedules, parse_schedule);
  for (const Op op : parsed_list(map, "ops", std::vector{Op::kGemm}, parse_op)) {
    if (op != Op::kGemm) {
      map.required("ops").fail("expected gemm: the other kernels do not exist yet");
    }
  }
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

std::string why_not_measurable(const GpuSpec& gpu, const GemmProblem& problem,
                               const std::string& config) {
  if (std::string reason = why_not_solvable(problem); !reason.empty()) {
    return reason;
  }
  if (is_cublaslt(config)) {
    return "";
  }
  const Refusal refusal = check_legal(gpu, problem, parse_kernel_config(config));
  return refusal == Refusal::kNone ? "" : std::string(to_text(refusal));
}

SuitePoints expand_suite(const Suite& suite, const GpuSpec& gpu) {
  SuitePoints expanded;
  std::set<std::string> seen;
  for (const GemmShape& shape : suite.shapes) {
    for (const ElementType dtype : suite.dtypes) {
      for (const Layout layout : suite.layouts) {
        const GemmProblem problem{shape, dtype, layout};
        if (const std::string why = why_not_solvable(problem); !why.empty()) {
          expanded.notes.push_back(fmt::format("{} {} {} is left out: {}", to_text(shape),
                                               to_text(dtype), to_text(layout), why));
          continue;
        }
        for (const Inputs inputs : suite.inputs) {
          for (const Regime regime : suite.regimes) {
            const std::vector<std::string> configs =
                choose_configs(suite, gpu, problem, regime, inputs);
            for (const L2State l2_state : suite.l2_states) {
              for (const std::string& config : configs) {
                const Point point{.op = Op::kGemm,
                                  .problem = problem,
                                  .config = config,
                                  .regime = regime,
                                  .inputs = inputs,
                                  .l2_state = l2_state};
                if (seen.insert(key_of(point)).second) {
                  const std::string why = why_not_timed(regime, l2_state);
                  expanded.points.push_back(
                      {point, why.empty() ? why_not_measurable(gpu, problem, config) : why});
                }
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
