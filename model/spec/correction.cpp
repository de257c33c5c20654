#include "model/spec/correction.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "model/spec/strict_map.h"
#include "model/tile/kernel_config_text.h"
#include "model/tile/regime.h"

namespace tilecast {
namespace {

std::vector<double> numbers(const StrictMap& map, const char* key, std::size_t count) {
  std::vector<double> values;
  const StrictValue list = map.required(key);
  for (const StrictValue& value : list.list()) {
    values.push_back(value.number());
  }
  if (values.size() != count) {
    list.fail(fmt::format("expected {} numbers, not {}", count, values.size()));
  }
  return values;
}

LinearCorrection read_linear(const StrictValue& value) {
  const StrictMap map =
      value.map({"constant", "feature_mean", "feature_spread", "term_mean", "weight"});
  LinearCorrection linear{
      .feature_mean = numbers(map, "feature_mean", kCorrectionFeatures.size()),
      .feature_spread = numbers(map, "feature_spread", kCorrectionFeatures.size()),
      .weight = numbers(map, "weight", correction_term_count()),
      .term_mean = numbers(map, "term_mean", correction_term_count()),
      .constant = map.required("constant").number()};
  if (!std::ranges::all_of(linear.feature_spread, [](double spread) { return spread > 0; })) {
    map.required("feature_spread").fail("expected numbers above 0");
  }
  return linear;
}

ResidualQuantiles read_quantiles(const StrictValue& item) {
  constexpr double kMost = 100;  // of a logarithm over its spread
  const StrictMap map = item.map({"regime", "schedule", "low", "high"});
  static constexpr Words<Regime, 2> kRegimes{
      {{Regime::kBurst, "burst"}, {Regime::kSustained, "sustained"}}};
  const std::string schedule = map.required("schedule").text();
  const auto is_schedule = [&](Schedule one) { return to_text(one) == schedule; };
  if (schedule != "all" && std::ranges::none_of(kEverySchedule, is_schedule)) {
    map.required("schedule")
        .fail(fmt::format("expected a schedule or all, not '{}'", printable(schedule)));
  }
  const double low = map.required("low").number(-kMost, kMost);
  return {std::string(word_of(kRegimes, map.required("regime").word(kRegimes))), schedule, low,
          map.required("high").number(low, kMost)};
}

MethodCorrection read_method(const StrictValue& value) {
  const StrictMap map = value.map({"cycles", "clock", "spread", "quantiles"});
  MethodCorrection method{read_linear(map.required("cycles")),
                          read_linear(map.required("clock")),
                          read_linear(map.required("spread")),
                          {}};
  for (const StrictValue& item : map.required("quantiles").list()) {
    method.quantiles.push_back(read_quantiles(item));
  }
  return method;
}

std::string list_text(const std::vector<double>& values) {
  std::string text = "[";
  for (const double value : values) {
    text += fmt::format("{}{:.6g}", text.size() > 1 ? ", " : "", value);
  }
  return text + "]";
}

std::string linear_text(const LinearCorrection& linear) {
  return fmt::format(
      "    constant: {:.6g}\n    feature_mean: {}\n    feature_spread: {}\n    term_mean: {}\n"
      "    weight: {}\n",
      linear.constant, list_text(linear.feature_mean), list_text(linear.feature_spread),
      list_text(linear.term_mean), list_text(linear.weight));
}

std::string method_text(const MethodCorrection& method) {
  std::string text = "  cycles:\n" + linear_text(method.cycles) + "  clock:\n" +
                     linear_text(method.clock) + "  spread:\n" + linear_text(method.spread) +
                     "  quantiles:\n";
  for (const ResidualQuantiles& q : method.quantiles) {
    text += fmt::format("    - {{regime: {}, schedule: {}, low: {:.6g}, high: {:.6g}}}\n", q.regime,
                        q.schedule, q.low, q.high);
  }
  return text;
}

}  // namespace

Correction load_correction(const std::filesystem::path& path, const std::string& gpu) {
  const StrictMap map = load_yaml(path).map({"name", "features", "analytic", "simulated"});
  if (map.required("name").text() != gpu) {
    map.required("name").fail(fmt::format("expected {}", gpu));
  }
  const StrictValue features = map.required("features");
  const std::vector<StrictValue> names = features.list();
  if (!std::ranges::equal(names, kCorrectionFeatures, {}, &StrictValue::text)) {
    features.fail("expected the features of this version of tilecast: calibrate again");
  }
  return {read_method(map.required("analytic")), read_method(map.required("simulated"))};
}

std::string correction_text(const std::string& gpu, const Correction& correction) {
  return fmt::format(
      "# Written by `tilecast calibrate`; what the numbers are: "
      "model/spec/correction.h.\nname: {}\nfeatures: [{}]\nanalytic:\n{}simulated:\n{}",
      gpu, fmt::join(kCorrectionFeatures, ", "), method_text(correction.analytic),
      method_text(correction.simulated));
}

}  // namespace tilecast
