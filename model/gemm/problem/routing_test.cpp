#include "model/gemm/problem/routing.h"

#include <algorithm>
#include <ctime>
#include <numeric>
#include <random>

#include "tests/catch.h"
#include "tests/error_message.h"

namespace tilecast {

TEST_CASE("Every token goes to as many different experts as it has choices") {
  for (const double zipf : {0.0, 1.1, 10.0}) {
    // With top_k equal to the number of experts, each expert gets every token.
    CHECK(drawn_rows({.experts = 8, .tokens = 100, .top_k = 8, .zipf = zipf}, 1) ==
          std::vector<std::vector<i64>>{std::vector<i64>(8, 100)});
    for (const std::vector<i64>& rows :
         drawn_rows({.experts = 64, .tokens = 1000, .top_k = 6, .zipf = zipf}, 3)) {
      CHECK(std::accumulate(rows.begin(), rows.end(), i64{0}) == 6000);
      CHECK(std::ranges::max(rows) <= 1000);
    }
  }
}

TEST_CASE("Shares follow Zipf's law, permuted anew for each random routing") {
  const Routing routing{.experts = 4, .tokens = 120000, .zipf = 1};
  const auto draws = drawn_rows(routing, 6);
  for (std::vector<i64> rows : draws) {
    std::ranges::sort(rows, std::greater<>{});
    // Shares are 1, 1/2, 1/3, 1/4 of 25/12, so 57600, 28800, 19200 and 14400 are expected; six
    // standard deviations are at most 1022.
    const i64 expected[] = {57600, 28800, 19200, 14400};
    for (std::size_t i = 0; i < 4; ++i) {
      CHECK(std::abs(rows[i] - expected[i]) < 1022);
    }
  }
  const auto favourite = [](const std::vector<i64>& rows) {
    return std::ranges::max_element(rows) - rows.begin();
  };
  CHECK(std::ranges::any_of(draws, [&](const std::vector<i64>& rows) {
    return favourite(rows) != favourite(draws.front());
  }));
}

TEST_CASE("Choosing every expert takes log2(experts) steps each") {
  // 2^18 choices of at most 10 steps up and 10 down. A linear search among 1,024 experts took
  // minutes.
  const std::clock_t start = std::clock();
  CHECK(drawn_rows({.experts = 1024, .tokens = 256, .top_k = 1024, .zipf = 1.1}, 1) ==
        std::vector<std::vector<i64>>{std::vector<i64>(1024, 256)});
  CHECK(std::clock() - start < 5 * CLOCKS_PER_SEC);
}

TEST_CASE("A token's later choices follow the shares of the remaining experts") {
  constexpr int kExperts = 24, kTokens = 40'000, kTopK = 20;
  // Draws the routing again, with the standard library's distribution for each choice.
  std::mt19937 random(1);
  std::vector<i64> expected(kExperts);
  for (int token = 0; token < kTokens; ++token) {
    std::vector<double> left;
    for (int rank = 1; rank <= kExperts; ++rank) {
      left.push_back(1.0 / rank);
    }
    for (int choice = 0; choice < kTopK; ++choice) {
      const auto expert = std::discrete_distribution<std::size_t>(left.begin(), left.end())(random);
      ++expected[expert];
      left[expert] = 0;
    }
  }
  std::vector<i64> rows =
      drawn_rows({.experts = kExperts, .tokens = kTokens, .top_k = kTopK, .zipf = 1}, 1).front();
  std::ranges::sort(rows, std::greater<>{});
  std::ranges::sort(expected, std::greater<>{});
  for (std::size_t i = 0; i < rows.size(); ++i) {
    // Each count has a standard deviation of sqrt(p (1 - p) 40,000), at most 100. The tolerance is
    // six standard deviations of the difference of two counts.
    CHECK(std::abs(rows[i] - expected[i]) < 6 * 142);
  }
}

TEST_CASE("A seed draws the same rows as in earlier versions") {
  CHECK(drawn_rows({.experts = 8, .tokens = 4096, .top_k = 2, .zipf = 1.1, .seed = 7}, 1) ==
        std::vector<std::vector<i64>>{{1011, 1655, 828, 526, 626, 2736, 353, 457}});
}

TEST_CASE("Random routings depend on the seed, and the first of them not on their number") {
  const Routing routing{.experts = 16, .tokens = 500, .top_k = 2, .zipf = 1.1, .seed = 7};
  const auto two = drawn_rows(routing, 2), four = drawn_rows(routing, 4);
  CHECK(std::vector(four.begin(), four.begin() + 2) == two);
  CHECK(four[0] != four[1]);
  Routing other = routing;
  other.seed = 8;
  CHECK(drawn_rows(other, 2) != two);
}

TEST_CASE("A routing has a text, and invalid ones are errors") {
  CHECK(to_text({.experts = 64, .tokens = 4096, .zipf = parse_zipf("zipf:1.1")}) ==
        "64 experts, 4096 tokens, top 1, zipf:1.1");
  CHECK(to_text({.experts = 8, .tokens = 1, .top_k = 2, .zipf = parse_zipf("uniform")}) ==
        "8 experts, 1 tokens, top 2, uniform");
  for (const char* const text : {"zipf", "zipf:", "zipf:-1", "zipf:11", "zipf:nan", "even", ""}) {
    CHECK(ERROR_MESSAGE(parse_zipf(text))
              .ends_with("': expected uniform, or zipf: and an exponent from 0 to 10, such as "
                         "zipf:1.1"));
  }
  CHECK(ERROR_MESSAGE(drawn_rows({.experts = 8, .tokens = 1, .top_k = 9}, 1)) ==
        "2 top-k 9: there are only 8 experts");
  CHECK(ERROR_MESSAGE(drawn_rows({.experts = 8, .tokens = 1 << 21, .top_k = 3}, 1)) ==
        "2 2097152 tokens x top 3: expected at most 4194304 rows");
}

}  // namespace tilecast
