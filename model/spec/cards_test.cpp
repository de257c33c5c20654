#include "model/spec/cards.h"

#include "model/base/error.h"
#include "model/base/file.h"
#include "tests/catch.h"
#include "tests/error_message.h"
#include "tests/temporary_folder.h"

using namespace tilecast;

namespace {

Cards two_cards() {
  Cards cards;
  cards.spread = {{CardTrait::kBurstClock, 0.0125}};
  cards.cards = {
      {"GPU-a", {{CardTrait::kBurstClock, {1.01, 0.002, 40}}}},
      {"GPU-b", {{CardTrait::kBurstClock, {0.98, 0.001, 60}}, {CardTrait::kDram, {1, 0.01, 3}}}}};
  return cards;
}

}  // namespace

TEST_CASE("Cards are read as they were written") {
  const TemporaryFolder folder;
  const std::filesystem::path path = cards_path(folder / "gpu.yaml");
  CHECK(path == folder / "gpu.cards.yaml");
  CHECK_FALSE(load_cards(path, "gpu").has_value());
  write_file(path, cards_text("gpu", two_cards(), "Written by a test."));
  const Cards read = load_cards(path, "gpu").value();
  CHECK(read.spread.at(CardTrait::kBurstClock) == 0.0125);
  CHECK_FALSE(read.spread.contains(CardTrait::kDram));
  CHECK(read.card("GPU-b").factor(CardTrait::kBurstClock).factor == 0.98);
  CHECK(read.card("GPU-b").factor(CardTrait::kBurstClock).rows == 60);
  CHECK(read.card("GPU-a").factor(CardTrait::kDram).factor == 1);  // not measured
  CHECK(error_message([&] { (void)read.card("GPU-c"); }).find("GPU-a, GPU-b") != std::string::npos);
  CHECK_THROWS_AS(load_cards(path, "another"), ConfigError);
}

TEST_CASE("A factor out of bounds and an unknown trait are refused with their line") {
  const TemporaryFolder folder;
  const auto message = [&](const std::string& card) {
    write_file(folder / "g.cards.yaml", "name: g\nspread: {}\ncards:\n  - uuid: GPU-a\n" + card);
    return error_message([&] { (void)load_cards(folder / "g.cards.yaml", "g"); });
  };
  CHECK(message("    dram: {factor: 2, error: 0, rows: 1}\n").empty());
  CHECK(message("    dram: {factor: 2.1, error: 0, rows: 1}\n").find(":5: ") != std::string::npos);
  CHECK(message("    fan: {factor: 1, error: 0, rows: 1}\n").find("fan") != std::string::npos);
}
