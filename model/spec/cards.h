// How cards of one kind differ: for each card that was measured beside others, its factors, and
// what such factors spread by. Written by `tilecast calibrate --cards` as <name>.cards.yaml beside
// the GPU file; without it a prediction says nothing of cards.
//
// A factor is relative to the machine that predictions are of: the cards whose rows it was
// calibrated with have 1 on average. Checked by: cards_test.cpp.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/integers.h"

namespace tilecast {

enum class CardTrait {
  kBurstClock,      // SM clock of the same kernel in a burst
  kSustainedClock,  // the same under continuous load
  kPower,           // energy that the same work takes
  kDram,            // rate of kernels that DRAM bounds
};

constexpr CardTrait kEveryCardTrait[] = {CardTrait::kBurstClock, CardTrait::kSustainedClock,
                                         CardTrait::kPower, CardTrait::kDram};

std::string_view to_text(CardTrait trait);

struct CardFactor {
  double factor = 1;
  double error = 0;  // standard error of its logarithm
  i64 rows = 0;      // of this card that it comes from
};

struct Card {
  std::string uuid;
  std::map<CardTrait, CardFactor> factors;  // those that were measured

  /// 1 without error where it was not measured.
  CardFactor factor(CardTrait trait) const;
};

struct Cards {
  std::vector<Card> cards;
  /// Standard deviation between cards, of the logarithm; of traits that three cards or more have.
  std::map<CardTrait, double> spread;

  /// Throws ConfigError that lists the known cards.
  const Card& card(std::string_view uuid) const;
};

/// Where the cards of a GPU file lie: NAME.cards.yaml for NAME.yaml.
std::filesystem::path cards_path(const std::filesystem::path& gpu_file);

/// Nothing where there is no file. Throws ConfigError `file:line: key: what was expected`; `gpu` is
/// the name that the file must be of.
std::optional<Cards> load_cards(const std::filesystem::path& path, const std::string& gpu);

/// `comment` is one line, without its mark.
std::string cards_text(const std::string& gpu, const Cards& cards, const std::string& comment);

}  // namespace tilecast
