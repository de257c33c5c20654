// Tests concurrent calls from many threads, which tilecast.h allows. Needs no GPU; preset tsan
// finds data races.
#include <latch>
#include <string>
#include <thread>
#include <tilecast/tilecast.hpp>
#include <tuple>
#include <vector>

#include "tests/catch.h"

namespace {

constexpr int64_t kRows[2][2] = {{500, 12}, {256, 256}};

/// Returns the best three forecasts and the plan's launch: on two GPUs, with groups, and with
/// another path to the folder, so that its files are read again.
std::vector<std::tuple<std::string, double>> answer(int asked, const std::string& config_dir) {
  tilecast_problem problem = tilecast::problem(512, 512, 512, TILECAST_BF16);
  tilecast_options options = TILECAST_OPTIONS_INIT;
  options.gpu = asked % 2 == 0 ? "h200_sxm" : "h100_sxm";
  options.cache_dir = "";
  options.config_dir = config_dir.c_str();
  options.threads = 2;
  if (asked >= 2) {
    problem.groups = 2;
    problem.expected_rows = kRows[asked % 2];
  }
  std::vector<std::tuple<std::string, double>> found;
  for (const tilecast_forecast& forecast : tilecast::predict(problem, options, 3)) {
    found.emplace_back(forecast.config, forecast.time_us);
  }
  const tilecast_forecast planned = tilecast::Plan(problem, options).forecast();
  found.emplace_back(planned.config, planned.time_us);
  return found;
}

}  // namespace

TEST_CASE("Concurrent calls return the same as sequential ones") {
  constexpr int kKinds = 4, kThreads = 2 * kKinds;
  std::vector<std::vector<std::tuple<std::string, double>>> found(kThreads);
  std::latch begun(kThreads);
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] {
        begun.arrive_and_wait();
        try {
          found[static_cast<std::size_t>(i)] = answer(i % kKinds, "configs/./../configs");
        } catch (const tilecast::Failure&) {  // and finds no file
        }
      });
    }
  }
  for (int i = 0; i < kThreads; ++i) {
    CHECK(found[static_cast<std::size_t>(i)] == answer(i % kKinds, "configs"));
  }
}
