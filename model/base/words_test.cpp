#include "model/base/words.h"

#include "tests/catch.h"
#include "tests/error_message.h"

namespace tilecast {
namespace {

enum class Fruit { kApple, kPear, kPlum };
constexpr Words<Fruit, 2> kFruits{{{Fruit::kApple, "apple"}, {Fruit::kPear, "pear"}}};

TEST_CASE("A word maps to its enumerator and back") {
  CHECK(word_of(kFruits, Fruit::kPear) == "pear");
  CHECK(value_of(kFruits, "fruit", "pear") == Fruit::kPear);
}

TEST_CASE("Any letter case and every alias is read; the first word is written") {
  constexpr Words<Fruit, 3> kAliased{
      {{Fruit::kApple, "apple"}, {Fruit::kPear, "pear"}, {Fruit::kApple, "pomme"}}};
  constexpr Words<Fruit, 1> kCapital{{{Fruit::kPlum, "PLUM"}}};
  CHECK(value_of(kCapital, "fruit", "PLUM") == Fruit::kPlum);
  CHECK(value_of(kCapital, "fruit", "plum") == Fruit::kPlum);
  CHECK(value_of(kAliased, "fruit", "PEAR") == Fruit::kPear);
  CHECK(value_of(kAliased, "fruit", "Pomme") == Fruit::kApple);
  CHECK(word_of(kAliased, Fruit::kApple) == "apple");
  CHECK(find_value(kAliased, "aPPle") == Fruit::kApple);
  CHECK_FALSE(find_value(kAliased, "apples"));
  CHECK(ERROR_MESSAGE(value_of(kAliased, "fruit", "plum")) ==
        "2 unknown fruit 'plum': expected one of apple, pear");
}

TEST_CASE("An unknown word lists the known ones and the nearest") {
  CHECK(ERROR_MESSAGE(value_of(kFruits, "fruit", "appel")) ==
        "2 unknown fruit 'appel': expected one of apple, pear; did you mean apple?");
  CHECK(ERROR_MESSAGE(value_of(kFruits, "fruit", "")) ==
        "2 unknown fruit '': expected one of apple, pear");
  CHECK(ERROR_MESSAGE(value_of(kFruits, "fruit", "Pear2000")) ==
        "2 unknown fruit 'Pear2000': expected one of apple, pear");
}

TEST_CASE("An enumerator without a word fails an assertion") {
  const std::string message = ERROR_MESSAGE(word_of(kFruits, Fruit::kPlum));
  CHECK(message.starts_with("1 internal error: "));
  CHECK(contains(message, "words.h:"));
}

}  // namespace
}  // namespace tilecast
