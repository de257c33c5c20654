#include "model/base/parallel.h"

#include <atomic>
#include <chrono>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "model/base/error.h"
#include "tests/catch.h"

namespace tilecast {
namespace {

TEST_CASE("Every index is worked on once, on any number of threads") {
  for (const unsigned threads : {0u, 1u, 2u, 7u, 200u}) {
    std::vector<int> calls(100);
    parallel_for(calls.size(), threads, [&](std::size_t i) { ++calls[i]; });
    CHECK(calls == std::vector<int>(100, 1));
  }
}

TEST_CASE(
    "Work that needs all the memory is repeated alone and done once, on any number of threads") {
  for (const unsigned threads : {1u, 2u, 1000u}) {
    std::atomic<int> at_work = 0;
    std::vector<int> done(100);
    parallel_for(done.size(), threads, [&](std::size_t i) {
      const bool alone = ++at_work == 1;
      std::this_thread::sleep_for(std::chrono::microseconds(100));
      --at_work;
      if (!alone) {
        throw std::bad_alloc();
      }
      ++done[i];
    });
    CHECK(done == std::vector<int>(100, 1));
  }
}

TEST_CASE("Work that runs out of memory even alone fails") {
  CHECK_THROWS_AS(parallel_for(10, 2, [](std::size_t) { throw std::bad_alloc(); }), std::bad_alloc);
}

TEST_CASE("Without work nothing is called") {
  int calls = 0;
  parallel_for(0, 4, [&](std::size_t) { ++calls; });
  CHECK(calls == 0);
}

TEST_CASE("The lowest index's exception is thrown, and no further work starts") {
  for (const unsigned threads : {1u, 2u, 4u}) {
    std::atomic<int> calls = 0;
    std::string what;
    try {
      parallel_for(100000, threads, [&](std::size_t i) {
        ++calls;
        if (i >= 10) {
          throw ConfigError(std::to_string(i));
        }
      });
    } catch (const ConfigError& error) {
      what = error.what();
    }
    CHECK(what == "10");
    CHECK(calls < 1000);
  }
}

TEST_CASE("Work that is asked to stop ends before the next index, on each thread") {
  for (const unsigned threads : {1u, 2u, 4u}) {
    std::stop_source stop;
    const StopScope scope(stop.get_token());
    std::atomic<int> calls = 0;
    CHECK_THROWS_AS(parallel_for(100000, threads,
                                 [&](std::size_t i) {
                                   ++calls;
                                   if (i == 10) {
                                     stop.request_stop();
                                   }
                                 }),
                    Stopped);
    CHECK(calls > 10);  // the eleven indices up to that one were begun
    CHECK(calls < 1000);
  }
}

TEST_CASE("Only the work within a StopScope is asked to stop, also by work on other threads") {
  std::stop_source stop;
  stop.request_stop();
  {
    const StopScope outer(std::stop_token{});
    const StopScope inner(stop.get_token());
    CHECK_THROWS_AS(throw_if_stopped(), Stopped);
    std::atomic<int> calls = 0;
    CHECK_THROWS_AS(parallel_for(4, 4, [&](std::size_t) { ++calls; }), Stopped);
    CHECK(calls == 0);
  }
  CHECK_NOTHROW(throw_if_stopped());
  std::atomic<int> calls = 0;
  parallel_for(4, 4, [&](std::size_t) {
    throw_if_stopped();
    ++calls;
  });
  CHECK(calls == 4);
}

}  // namespace
}  // namespace tilecast
