#include "cli/in_order.h"

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

#include "model/base/error.h"
#include "tests/catch.h"

using namespace tilecast;

TEST_CASE("Results come in the order of the items, in any order of completion") {
  std::string text;
  InOrder in_order(4, [&](const std::string& answer) { text += answer; });
  std::string expected;
  for (int i = 0; i < 200; ++i) {
    expected += std::to_string(i) + " ";
    in_order.give([i] {
      std::this_thread::sleep_for(std::chrono::microseconds(i % 7 * 200));
      return std::to_string(i) + " ";
    });
  }
  in_order.finish();
  CHECK(text == expected);
}

TEST_CASE("A result is written before later items are given") {
  std::string text;
  std::mutex mutex;
  InOrder in_order(2, [&](const std::string& answer) {
    const std::lock_guard lock(mutex);
    text += answer;
  });
  in_order.give([] { return std::string("first"); });
  for (int i = 0; i < 500; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    const std::lock_guard lock(mutex);
    if (!text.empty()) {
      break;
    }
  }
  const std::lock_guard lock(mutex);
  CHECK(text == "first");
}

TEST_CASE("An item's exception reaches the caller of give") {
  InOrder in_order(2, [](const std::string&) {});
  in_order.give([]() -> std::string { throw ConfigError("no"); });
  CHECK_THROWS_AS(in_order.finish(), ConfigError);
}

TEST_CASE("If a result cannot be written, items not yet begun are dropped") {
  std::atomic<int> begun = 0;
  InOrder in_order(1, [](const std::string&) { throw ConfigError("gone"); });
  std::mutex first;
  first.lock();  // until all items are given
  for (int i = 0; i < 8; ++i) {
    in_order.give([&] {
      ++begun;
      const std::lock_guard wait(first);
      return std::string();
    });
  }
  first.unlock();
  CHECK_THROWS_AS(in_order.finish(), ConfigError);
  CHECK(begun == 1);
}
