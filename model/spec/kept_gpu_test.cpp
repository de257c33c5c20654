#include "model/spec/kept_gpu.h"

#include <thread>
#include <vector>

#include "model/base/error.h"
#include "tests/catch.h"

namespace tilecast {
namespace {

TEST_CASE("A GPU is loaded once per name and calibration, across threads") {
  const LoadedGpu* seen[4] = {};
  std::vector<std::thread> threads;
  for (const LoadedGpu*& gpu : seen) {
    threads.emplace_back([&gpu] { gpu = &kept_gpu("h200_sxm", true, "configs"); });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  for (const LoadedGpu* gpu : seen) {
    CHECK(gpu == seen[0]);
  }
  CHECK(&kept_gpu("h200_sxm", false, "configs") != seen[0]);
  CHECK(kept_gpu("h200_sxm", false, "configs").spec.learned == nullptr);
}

TEST_CASE("A GPU that cannot be loaded throws each time") {
  CHECK_THROWS_AS(kept_gpu("none_such", true, "configs"), ConfigError);
  CHECK_THROWS_AS(kept_gpu("none_such", true, "configs"), ConfigError);
}

}  // namespace
}  // namespace tilecast
