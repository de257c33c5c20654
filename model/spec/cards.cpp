#include "model/spec/cards.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "model/base/error.h"
#include "model/base/words.h"
#include "model/spec/strict_map.h"

namespace tilecast {
namespace {

constexpr Words<CardTrait, 4> kTraits{{{CardTrait::kBurstClock, "burst_clock"},
                                       {CardTrait::kSustainedClock, "sustained_clock"},
                                       {CardTrait::kPower, "power"},
                                       {CardTrait::kDram, "dram"}}};
constexpr double kLeastFactor = 0.5, kMostFactor = 2;

std::vector<std::string> keys_with(std::vector<std::string> keys) {
  for (const auto& [trait, word] : kTraits) {
    keys.emplace_back(word);
  }
  return keys;
}

Card read_card(const StrictValue& item) {
  const StrictMap map = item.map(keys_with({"uuid"}));
  Card card{.uuid = map.required("uuid").text(), .factors = {}};
  for (const auto& [trait, word] : kTraits) {
    if (const std::optional<StrictValue> value = map.optional(word)) {
      const StrictMap factor = value->map({"factor", "error", "rows"});
      card.factors[trait] = {factor.required("factor").number(kLeastFactor, kMostFactor),
                             factor.required("error").number(0, 1),
                             factor.required("rows").integer(1, std::numeric_limits<i32>::max())};
    }
  }
  return card;
}

}  // namespace

std::string_view to_text(CardTrait trait) { return word_of(kTraits, trait); }

CardFactor Card::factor(CardTrait trait) const {
  const auto found = factors.find(trait);
  return found == factors.end() ? CardFactor{} : found->second;
}

const Card& Cards::card(std::string_view uuid) const {
  const auto found = std::ranges::find(cards, uuid, &Card::uuid);
  if (found == cards.end()) {
    std::string known;
    for (const Card& card : cards) {
      known += (known.empty() ? "" : ", ") + card.uuid;
    }
    throw ConfigError(
        known.empty()
            ? fmt::format("--card {}: no card of this GPU has numbers of its own "
                          "(calibrate --cards)",
                          uuid)
            : fmt::format("--card {}: was not measured; the known ones are {}", uuid, known));
  }
  return *found;
}

std::filesystem::path cards_path(const std::filesystem::path& gpu_file) {
  std::filesystem::path path = gpu_file;
  return path.replace_extension(".cards.yaml");
}

std::optional<Cards> load_cards(const std::filesystem::path& path, const std::string& gpu) {
  if (!std::filesystem::exists(path)) {
    return std::nullopt;
  }
  const StrictMap map = load_yaml(path).map({"name", "spread", "cards"});
  if (map.required("name").text() != gpu) {
    map.required("name").fail(fmt::format("expected {}", gpu));
  }
  Cards cards;
  const StrictMap spread = map.required("spread").map(keys_with({}));
  for (const auto& [trait, word] : kTraits) {
    if (const std::optional<StrictValue> value = spread.optional(word)) {
      cards.spread[trait] = value->number(0, 1);
    }
  }
  for (const StrictValue& item : map.required("cards").list()) {
    cards.cards.push_back(read_card(item));
  }
  return cards;
}

std::string cards_text(const std::string& gpu, const Cards& cards, const std::string& comment) {
  std::string text = fmt::format(
      "# {}\n# What the numbers are: model/spec/cards.h.\nname: {}\nspread: {{", comment, gpu);
  std::string_view comma;
  for (const auto& [trait, spread] : cards.spread) {
    text += fmt::format("{}{}: {:.4f}", comma, to_text(trait), spread);
    comma = ", ";
  }
  text += "}\ncards:\n";
  for (const Card& card : cards.cards) {
    text += fmt::format("  - uuid: {}\n", card.uuid);
    for (const auto& [trait, f] : card.factors) {
      text += fmt::format("    {}: {{factor: {:.4f}, error: {:.4f}, rows: {}}}\n", to_text(trait),
                          f.factor, f.error, f.rows);
    }
  }
  return text;
}

}  // namespace tilecast
