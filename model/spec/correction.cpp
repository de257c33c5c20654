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

constexpr std::string_view kAll = "all";  // schedules without an entry of their own

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
  const std::string word = map.required("schedule").text();
  const auto* const schedule =
      std::ranges::find_if(kWgmmaSchedules, [&](Schedule one) { return to_text(one) == word; });
  const bool known = schedule != std::end(kWgmmaSchedules);
  if (!known && word != kAll) {
    map.required("schedule")
        .fail(fmt::format("expected a schedule or {}, not '{}'", kAll, printable(word)));
  }
  const double low = map.required("low").number(-kMost, kMost);
  return {map.required("regime").word(kRegimes), known ? std::optional(*schedule) : std::nullopt,
          low, map.required("high").number(low, kMost)};
}

MethodCorrection read_method(const StrictValue& value) {
  constexpr double kLeastWidth = 0.01, kMostWidth = 100;
  const StrictMap map = value.map({"cycles", "clock", "spread", "quantiles", "widths"});
  MethodCorrection method{read_linear(map.required("cycles")),
                          read_linear(map.required("clock")),
                          read_linear(map.required("spread")),
                          {},
                          {}};
  for (const StrictValue& item : map.required("quantiles").list()) {
    const ResidualQuantiles read = read_quantiles(item);
    for (const ResidualQuantiles& q : method.quantiles) {
      if (q.regime == read.regime && q.schedule == read.schedule) {
        item.fail("expected one entry for a regime and a schedule");
      }
    }
    method.quantiles.push_back(read);
  }
  for (const StrictValue& item : map.required("widths").list()) {
    const StrictMap width = item.map({"limiter", "width"});
    method.widths.push_back({width.required("limiter").text(),
                             width.required("width").number(kLeastWidth, kMostWidth)});
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
    text += fmt::format("    - {{regime: {}, schedule: {}, low: {:.6g}, high: {:.6g}}}\n",
                        to_text(q.regime), q.schedule ? to_text(*q.schedule) : kAll, q.low, q.high);
  }
  text += method.widths.empty() ? "  widths: []\n" : "  widths:\n";
  for (const LimiterWidth& w : method.widths) {
    text += fmt::format("    - {{limiter: {}, width: {:.6g}}}\n", w.limiter, w.width);
  }
  return text;
}

}  // namespace

Correction load_correction(const std::filesystem::path& path, const std::string& gpu) {
  const StrictMap map =
      load_yaml(path).map({"name", "overlay", "features", "analytic", "simulated"});
  if (map.required("name").text() != gpu) {
    map.required("name").fail(fmt::format("expected {}", gpu));
  }
  const StrictValue features = map.required("features");
  const std::vector<StrictValue> names = features.list();
  if (!std::ranges::equal(names, kCorrectionFeatures, {}, &StrictValue::text)) {
    features.fail("expected the features of this version of tilecast: calibrate again");
  }
  const std::optional<StrictValue> overlay = map.optional("overlay");
  return {read_method(map.required("analytic")), read_method(map.required("simulated")),
          overlay ? overlay->text() : ""};
}

std::string correction_text(const std::string& gpu, const Correction& correction) {
  return fmt::format(
      "# Written by `tilecast calibrate`; what the numbers are: "
      "model/spec/correction.h.\nname: {}\n{}features: [{}]\nanalytic:\n{}simulated:\n{}",
      gpu, correction.overlay.empty() ? "" : fmt::format("overlay: \"{}\"\n", correction.overlay),
      fmt::join(kCorrectionFeatures, ", "), method_text(correction.analytic),
      method_text(correction.simulated));
}

}  // namespace tilecast
