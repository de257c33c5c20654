#include "model/learn/trees.h"

#include <cmath>
#include <numeric>

#include "tests/catch.h"

namespace tilecast {
namespace {

constexpr auto kK = static_cast<std::uint8_t>(feature_index(kGemmFeatures, "k")),
               kTiles = static_cast<std::uint8_t>(feature_index(kGemmFeatures, "tiles")),
               kStages = static_cast<std::uint8_t>(feature_index(kGemmFeatures, "stages"));

/// Two thresholds of each feature: 0 with a ramp of width 2, and 10. One tree whose last two splits
/// are the same, so that leaves 4 to 11 are reached only on the ramp.
LearnedModel example() {
  LearnedModel model{.scale = std::vector<FeatureScale>(std::size(kGemmFeatures),
                                                        FeatureScale{.at = {0, 10}, .width = 2})};
  Tree tree{.splits = {Ramp{kK, 0}, Ramp{kTiles, 0}, Ramp{kStages, 1}, Ramp{kStages, 1}}};
  for (std::size_t i = 0; i < kLeaves; ++i) {
    tree.leaves[i] = i % 4 == 0 ? 0.1F : i % 4 == 1 ? -0.2F : i % 4 == 2 ? 0.3F : 0.4F;
    tree.leaves[i] += i >= kLeaves / 2 ? 1 : 0;
  }
  model.analytic.cycles = {.level = 0.5, .trees = {tree}};
  return model;
}

Features at(double k, double tiles, double stages) {
  Features values{};
  values[kK] = k;
  values[kTiles] = tiles;
  values[kStages] = stages;
  return values;
}

TEST_CASE("A ramp is 0 below, 1 above, linear between, and a step if it has no width") {
  CHECK(ramp(-1, 0, 2) == 0);
  CHECK(ramp(-0.5, 0, 2) == 0.25);
  CHECK(ramp(1, 0, 2) == 1);
  CHECK(ramp(0, 0, 0) == 0);
  CHECK(ramp(0.001, 0, 0) == 1);
}

TEST_CASE("A tree is interpolated between its leaves along its ramps") {
  const LearnedModel model = example();
  const auto value = [&](const Features& values) {
    return value_of(model.analytic.cycles, RampPositions(model.scale, values));
  };
  CHECK(value(at(-5, -5, 0)) == Approx(0.6));  // the level and leaf 0
  CHECK(value(at(5, -5, 0)) == Approx(0.3));
  CHECK(value(at(-5, 5, 0)) == Approx(0.8));
  CHECK(value(at(5, 5, 0)) == Approx(0.9));
  CHECK(value(at(5, 5, 20)) == Approx(1.9));
  CHECK(value(at(5, 5, 10)) == Approx(1.4));  // half way
  // A quarter of the way along k and half along tiles: 0.75 (0.1 + 0.3) / 2 + 0.25 (-0.2 + 0.4)
  // / 2.
  CHECK(value(at(-0.5, 0, 0)) == Approx(0.5 + 0.15 + 0.025));
}

TEST_CASE("Contributions of the groups add up to the value") {
  const LearnedModel model = example();
  const LearnedSum& sum = model.analytic.cycles;
  for (const Features& values : {at(-5, 5, 0), at(0.5, 0.25, 10), at(5, -5, 20)}) {
    const RampPositions positions(model.scale, values);
    const std::vector<double> parts = contributions_of(sum, model.features, positions);
    CHECK(std::accumulate(parts.begin(), parts.end(), 0.0) == Approx(value_of(sum, positions)));
  }
  // Around the mean of the leaves, 0.65: k adds -0.05, tiles 0.2, both together 0.1, stages 0.5 at
  // either end; the product of k and tiles is shared.
  const std::vector<std::string_view> names = feature_groups(model.features);
  const std::vector<double> parts =
      contributions_of(sum, model.features, RampPositions(model.scale, at(5, 5, 20)));
  const auto group = [&](std::string_view name) {
    return parts[static_cast<std::size_t>(std::ranges::find(names, name) - names.begin())];
  };
  CHECK(parts.back() == Approx(0.5 + 0.65));
  CHECK(group("K") == Approx(-0.05 + 0.05).margin(1e-6));
  CHECK(group("waves and grid") == Approx(0.2 + 0.05));
  CHECK(group("stages") == Approx(0.5));
}

}  // namespace
}  // namespace tilecast
