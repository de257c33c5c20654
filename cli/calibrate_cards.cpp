#include "cli/calibrate_cards.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/base/error.h"
#include "model/base/file.h"
#include "model/base/text.h"
#include "model/spec/load_gpu.h"
#include "validate/calibrate/card_scale.h"

namespace tilecast {
namespace {

constexpr std::size_t kMostShown = 10;

std::vector<MeasurementFile> read_all(const std::vector<std::string>& names) {
  std::vector<MeasurementFile> files;
  for (const std::string& name : names) {
    files.push_back(read_measurements(name));
  }
  return files;
}

void print_fit(const CardFit& fit) {
  constexpr double kPercent = 100;
  fmt::print("{:<42}", "factor, its error in % (rows)");
  for (const CardTrait trait : kEveryCardTrait) {
    fmt::print(" {:>22}", to_text(trait));
  }
  fmt::print("\n");
  for (const Card& card : fit.cards.cards) {
    fmt::print("{:<42}", card.uuid);
    for (const CardTrait trait : kEveryCardTrait) {
      const CardFactor f = card.factor(trait);
      fmt::print(" {:>22}", f.rows == 0 ? "-"
                                        : fmt::format("{:.4f} +- {:.2f} ({})", f.factor,
                                                      f.error * kPercent, f.rows));
    }
    fmt::print("\n");
  }
  for (const auto& [name, values] : {std::pair{"between cards, %", &fit.cards.spread},
                                     {"one point on one card, %", &fit.chance}}) {
    fmt::print("{:<42}", name);
    for (const CardTrait trait : kEveryCardTrait) {
      const auto found = values->find(trait);
      fmt::print(" {:>22}",
                 found == values->end() ? "-" : fmt::format("{:.2f}", found->second * kPercent));
    }
    fmt::print("\n");
  }
  for (const std::string& card : fit.outlying_cards) {
    fmt::print("outlying card: {}\n", card);
  }
  for (std::size_t i = 0; i < std::min(kMostShown, fit.outlying_points.size()); ++i) {
    fmt::print("left out: {}\n", fit.outlying_points[i]);
  }
  if (fit.outlying_points.size() > kMostShown) {
    fmt::print("and {} more points\n", fit.outlying_points.size() - kMostShown);
  }
}

}  // namespace

void calibrate_cards(const std::string& gpu, const std::vector<std::string>& data,
                     const std::vector<std::string>& cards, const std::string& out) {
  const LoadedGpu loaded = load_gpu(gpu, true);
  const std::filesystem::path path =
      out.empty() ? cards_path(loaded.path) : std::filesystem::path(out);
  if (!path.filename().string().ends_with(".cards.yaml")) {
    throw ConfigError(fmt::format("--out: expected a file NAME.cards.yaml, got {}", out));
  }
  const CardFit fit = fit_cards(loaded.spec, read_all(data), read_all(cards));
  write_file(path, cards_text(loaded.spec.name, fit.cards,
                              fmt::format("Written by `tilecast calibrate --gpu {} --data {} "
                                          "--cards {} --out {}`.",
                                          gpu, join(data, " "), join(cards, " "), path.string())));
  print_fit(fit);
}

}  // namespace tilecast
