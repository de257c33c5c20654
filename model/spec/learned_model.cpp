#include "model/spec/learned_model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/base/error.h"
#include "model/base/file.h"
#include "model/base/hash.h"
#include "model/base/refuse.h"
#include "model/base/shown_text.h"
#include "model/base/text.h"
#include "model/spec/learned_files.h"
#include "model/spec/strict_map.h"

namespace tilecast {
namespace {

// Generous bounds on the numbers that a calibration writes.
constexpr double kMostFeature = 1e15, kMostLevel = 20, kMostReach = 20, kMostWider = 20,
                 kMostUncorrected = 3, kLeastUnit = 1e-30, kMostUnit = 1;
constexpr i64 kMostRows = 10'000'000, kMostTrees = 10'000;

constexpr std::string_view kHeader = "splits,leaves";
constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::size_t kBase = 64, kDigitsOfLeaf = 2;
static_assert(kDigits.size() == kBase && kMostFeatures <= kBase && kMostThresholds <= kBase &&
              2 * kMostLeaf < static_cast<int>(kBase * kBase));

using Sums = std::vector<std::pair<std::string_view, LearnedSum*>>;
Sums sums_of(LearnedMethod& method) {
  return {{"cycles", &method.cycles}, {"clock", &method.clock}, {"error", &method.error}};
}

/// Reads the digits of one line in order.
class TreeReader {
 public:
  TreeReader(std::string_view line, std::string where) : line_(line), where_(std::move(where)) {
    constexpr std::size_t kLength = 2 * kSplits + 1 + kDigitsOfLeaf * kLeaves;
    if (line.size() != kLength || line[2 * kSplits] != ',') {
      fail(fmt::format("expected {} digits, a comma and {} digits", 2 * kSplits,
                       kDigitsOfLeaf * kLeaves));
    }
  }

  Tree tree(const LearnedModel& model, double unit) {
    Tree tree;
    for (Ramp& split : tree.splits) {
      split.feature = digit(model.features.size());
      split.threshold = digit(model.scale[split.feature].at.size());
    }
    ++at_;
    for (float& leaf : tree.leaves) {
      const int high = digit(kBase);
      leaf = static_cast<float>((high * static_cast<int>(kBase) + digit(kBase) - kMostLeaf) * unit);
    }
    return tree;
  }

 private:
  std::uint8_t digit(std::size_t count) {
    const std::size_t value = kDigits.find(line_[at_]);
    if (value >= count) {
      fail(fmt::format("expected a digit less than {} at character {}, got '{}'", count, at_ + 1,
                       printable(line_.substr(at_, 1))));
    }
    ++at_;
    return static_cast<std::uint8_t>(value);
  }
  [[noreturn]] void fail(std::string_view why) const {
    throw ConfigError(fmt::format("{}: {}", where_, why));
  }

  std::string_view line_;
  std::string where_;
  std::size_t at_ = 0;
};

/// Fills the trees of the sums, in the order of the file.
void read_trees(std::string_view text, const std::string& file, const LearnedModel& model,
                const std::vector<LearnedSum*>& sums) {
  std::size_t number = 0;
  const auto next = [&] {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    ++number;
    return line;
  };
  refuse_if(next() != kHeader,
            "{}:1: expected the columns of this version of tilecast: calibrate again", file);
  for (LearnedSum* const sum : sums) {
    for (Tree& tree : sum->trees) {
      const std::string_view line = next();
      tree = TreeReader(line, fmt::format("{}:{}", file, number)).tree(model, sum->unit);
    }
  }
  refuse_if(!text.empty(), "{}:{}: more trees than expected", file, number + 1);
}

std::vector<double> read_numbers(const StrictValue& value, double most) {
  std::vector<double> numbers;
  for (const StrictValue& one : value.list()) {
    numbers.push_back(one.number(-most, most));
  }
  return numbers;
}

LearnedSum read_sum(const StrictValue& value, std::size_t groups) {
  const StrictMap map = value.map({"trees", "level", "unit", "usual"});
  LearnedSum sum{.level = map.required("level").number(-kMostLevel, kMostLevel),
                 .unit = map.required("unit").number(kLeastUnit, kMostUnit),
                 .trees = std::vector<Tree>(
                     static_cast<std::size_t>(map.required("trees").integer(0, kMostTrees))),
                 .usual = read_numbers(map.required("usual"), kMostLevel)};
  if (!sum.usual.empty() && sum.usual.size() != groups) {
    map.required("usual").fail(fmt::format("expected {} numbers", groups));
  }
  return sum;
}

LearnedMethod read_method(const StrictValue& value, std::size_t groups,
                          const std::vector<std::string>& kinds) {
  const StrictMap map = value.map({"uncorrected", "cycles", "clock", "error", "reach", "wider"});
  LearnedMethod method{.uncorrected = map.required("uncorrected").number(0, kMostUncorrected)};
  for (const auto& [name, sum] : sums_of(method)) {
    *sum = read_sum(map.required(name), groups);
  }
  std::vector<std::string> limiters;
  std::ranges::transform(kReachCounted, std::back_inserter(limiters),
                         [](Limiter limiter) { return std::string(to_text(limiter)); });
  const StrictMap reach = map.required("reach").map(limiters);
  for (std::size_t i = 0; i < limiters.size(); ++i) {
    method.reach.each[i] = reach.required(limiters[i]).number(0, kMostReach);
  }
  if (const std::optional<StrictValue> wider = map.optional("wider")) {
    const StrictMap factors = wider->map(kinds);
    for (const std::string& kind : kinds) {
      if (const std::optional<StrictValue> factor = factors.optional(kind)) {
        method.reach.wider.push_back({kind, factor->number(1, kMostWider)});
      }
    }
  }
  return method;
}

std::vector<FeatureScale> read_scale(const StrictValue& value, FeatureNames features) {
  std::vector<std::string> names;
  std::ranges::transform(features, std::back_inserter(names),
                         [](const Feature& feature) { return std::string(feature.name); });
  const StrictMap map = value.map(names);
  std::vector<FeatureScale> scale;
  for (const std::string& name : names) {
    const StrictMap own = map.required(name).map({"from", "to", "width", "at"});
    std::vector<double> at = read_numbers(own.required("at"), kMostFeature);
    if (at.size() > kMostThresholds || !std::ranges::is_sorted(at)) {
      own.required("at").fail(
          fmt::format("expected at most {} ascending numbers", kMostThresholds));
    }
    scale.push_back({.at = std::move(at),
                     .width = own.required("width").number(0, kMostFeature),
                     .least = own.required("from").number(-kMostFeature, kMostFeature),
                     .most = own.required("to").number(-kMostFeature, kMostFeature)});
  }
  return scale;
}

std::string sum_text(std::string_view name, const LearnedSum& sum) {
  return fmt::format("  {}: {{trees: {}, level: {:.5g}, unit: {:.4g}, usual: [{:.4g}]}}\n", name,
                     sum.trees.size(), sum.level, sum.unit, fmt::join(sum.usual, ", "));
}

std::string method_text(std::string_view name, LearnedMethod method) {
  std::string text = fmt::format("{}:\n  uncorrected: {:.4g}\n", name, method.uncorrected);
  for (const auto& [word, sum] : sums_of(method)) {
    text += sum_text(word, *sum);
  }
  text += "  reach:";
  for (const Limiter limiter : kReachCounted) {
    text += fmt::format("{}{}: {:.4g}", limiter == kReachCounted[0] ? " {" : ", ", to_text(limiter),
                        method.reach.of(limiter, {}));
  }
  text += "}\n";
  for (const auto& [kind, factor] : method.reach.wider) {
    text +=
        fmt::format("{}{}: {:.4g}", kind == method.reach.wider.front().kind ? "  wider: {" : ", ",
                    kind, factor);
  }
  return method.reach.wider.empty() ? text : text + "}\n";
}

}  // namespace

double LearnedReach::of(Limiter limiter, std::span<const std::string_view> kinds) const {
  const auto counted = std::ranges::find(kReachCounted, reaches_like(limiter));
  double most = 1;
  for (const auto& [kind, factor] : wider) {
    most = std::ranges::find(kinds, kind) == kinds.end() ? most : std::max(most, factor);
  }
  return most * each[static_cast<std::size_t>(counted - std::begin(kReachCounted))];
}

std::vector<std::string_view> feature_groups(FeatureNames names) {
  std::vector<std::string_view> groups;
  for (const Feature& feature : names) {
    if (std::ranges::find(groups, feature.group) == groups.end()) {
      groups.push_back(feature.group);
    }
  }
  return groups;
}

void round_leaves(LearnedSum& sum) {
  float most = 0;
  for (const Tree& tree : sum.trees) {
    for (const float leaf : tree.leaves) {
      most = std::max(most, std::abs(leaf));
    }
  }
  if (most == 0) {
    return;
  }
  const double least = most / kMostLeaf;
  const double last_digit = std::pow(10, std::floor(std::log10(least)) - 3);  // of four
  sum.unit = std::ceil(least / last_digit) * last_digit;
  for (Tree& tree : sum.trees) {
    for (float& leaf : tree.leaves) {
      leaf = static_cast<float>(std::round(leaf / sum.unit) * sum.unit);
    }
  }
}

LearnedModel load_learned(const std::filesystem::path& yaml, const std::string& gpu,
                          FeatureNames features) {
  return learned_of(read_learned(yaml, features), gpu);
}

LearnedModel learned_of(LearnedFiles files, const std::string& gpu) {
  if (files.name.text() != gpu) {
    files.name.fail(fmt::format("expected {}", gpu));
  }
  return std::move(files.model);
}

LearnedFiles read_learned(const std::filesystem::path& yaml, FeatureNames features) {
  const StrictMap map = load_yaml(yaml).map(
      {"name", "overlay", "trees", "rows", "prior", "kinds", "features", "analytic", "simulated"});
  const std::size_t groups = feature_groups(features).size();
  LearnedModel model{.features = features,
                     .scale = read_scale(map.required("features"), features),
                     .rows = static_cast<std::size_t>(map.required("rows").integer(0, kMostRows))};
  for (const StrictValue& kind : map.required("kinds").list()) {
    model.kinds.push_back(kind.text());
  }
  model.analytic = read_method(map.required("analytic"), groups, model.kinds);
  if (const std::optional<StrictValue> simulated = map.optional("simulated")) {
    model.simulated = read_method(*simulated, groups, model.kinds);
  }
  if (const std::optional<StrictValue> overlay = map.optional("overlay")) {
    model.overlay = overlay->text();
  }
  if (const std::optional<StrictValue> prior = map.optional("prior")) {
    model.prior = prior->text();
  }
  const std::filesystem::path csv = std::filesystem::path(yaml).replace_extension(".csv");
  const std::string text = read_file(csv);
  if (map.required("trees").text() != hash_text(text)) {
    map.required("trees").fail(
        fmt::format("does not match the hash of {}: calibrate again", csv.string()));
  }
  std::vector<LearnedSum*> sums;
  for (LearnedMethod* const method :
       {&model.analytic, model.simulated ? &*model.simulated : nullptr}) {
    if (method != nullptr) {
      std::ranges::transform(sums_of(*method), std::back_inserter(sums),
                             [](const auto& named) { return named.second; });
    }
  }
  read_trees(text, csv.string(), model, sums);
  return {map.required("name"), std::move(model)};
}

std::string learned_yaml(const std::string& gpu, const LearnedModel& model) {
  std::string text = fmt::format(
      "# Written by `tilecast calibrate`; what the numbers are: model/spec/learned_model.h.\n"
      "name: {}\n{}trees: \"{}\"\nrows: {}\n{}kinds: [{}]\nfeatures:\n",
      gpu, model.overlay.empty() ? "" : fmt::format("overlay: \"{}\"\n", model.overlay),
      hash_text(learned_csv(model)), model.rows,
      model.prior.empty() ? "" : fmt::format("prior: {}\n", model.prior),
      fmt::join(model.kinds, ", "));
  for (std::size_t f = 0; f < model.features.size(); ++f) {
    const auto& [at, width, least, most] = model.scale[f];
    text += fmt::format("  {}: {{from: {:.6g}, to: {:.6g}, width: {:.4g}, at: [{:.4g}]}}\n",
                        model.features[f].name, least, most, width, fmt::join(at, ", "));
  }
  text += method_text("analytic", model.analytic);
  return model.simulated ? text + method_text("simulated", *model.simulated) : text;
}

std::string learned_csv(const LearnedModel& model) {
  std::string text(kHeader);
  text += '\n';
  const auto add = [&](LearnedMethod method) {
    for (const auto& [name, sum] : sums_of(method)) {
      for (const Tree& tree : sum->trees) {
        for (const Ramp& split : tree.splits) {
          text += {kDigits[split.feature], kDigits[split.threshold]};
        }
        text += ',';
        for (const float leaf : tree.leaves) {
          const auto value = static_cast<std::size_t>(std::lround(leaf / sum->unit) + kMostLeaf);
          text += {kDigits[value / kBase], kDigits[value % kBase]};
        }
        text += '\n';
      }
    }
  };
  add(model.analytic);
  if (model.simulated) {
    add(*model.simulated);
  }
  return text;
}

}  // namespace tilecast
