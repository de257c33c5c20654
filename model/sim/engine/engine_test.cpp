#include "model/sim/engine/engine.h"

#include <string>

#include "model/sim/engine/phase_barrier.h"
#include "tests/catch.h"
#include "tests/error_message.h"

using namespace tilecast;

namespace {

Process note_at(Engine& engine, SimTime at, std::vector<i64>& notes) {
  co_await engine.until(at);
  notes.push_back(engine.now().ps);
}

Process note_twice(Engine& engine, std::vector<i64>& notes) {
  co_await note_at(engine, {100}, notes);
  co_await note_at(engine, {50}, notes);  // in the past: continues at once
  notes.push_back(-engine.now().ps);
}

Process wait_for(PhaseBarrier& barrier) { co_await barrier.wait(0, {}, {}); }

Process schedule_before(Engine& engine, SimTime at) {
  co_await engine.until({1000});
  engine.schedule(at, std::noop_coroutine());
}

Process fail_at(Engine& engine, SimTime at) {
  co_await engine.until(at);
  throw ConfigError("planted");
}

Process fail_inside(Engine& engine) { co_await fail_at(engine, {5}); }

std::string message_of(Engine& engine) { return ERROR_TEXT(engine.run()); }

}  // namespace

TEST_CASE("Processes run in order of time, and an awaited process runs in place") {
  Engine engine;
  std::vector<i64> notes;
  engine.spawn(note_at(engine, {300}, notes), {"late"}, {});
  engine.spawn(note_twice(engine, notes), {"whole"}, {});
  engine.spawn(note_at(engine, {20}, notes), {"early"}, {10});
  engine.run();
  CHECK(notes == std::vector<i64>{20, 100, 100, -100, 300});
}

TEST_CASE("Scheduling in the past throws, scheduling for now does not") {
  Engine now;
  now.spawn(schedule_before(now, {1000}), {"now"}, {});
  CHECK(message_of(now).empty());
  Engine past;
  past.spawn(schedule_before(past, {999}), {"past"}, {});
  CHECK(contains(message_of(past), "in the past: at 999 ps, now 1000 ps"));
}

TEST_CASE("On deadlock the error names each process and the event that it waits for") {
  Engine engine;
  PhaseBarrier full(engine, 2, "full", 3);
  engine.spawn(wait_for(full), {"warpgroup", 7, 1}, {});
  full.arrive({40});
  const std::string message = message_of(engine);
  CHECK(contains(message, "everything waits"));
  CHECK(contains(message, "warpgroup 1 of CTA 7 waits for full[3], phase 0, 1 of 2 arrivals"));
}

TEST_CASE("run() rethrows an exception of a process, also of an awaited one") {
  Engine engine;
  engine.spawn(fail_at(engine, {5}), {"fails"}, {});
  CHECK_THROWS_AS(engine.run(), ConfigError);
  Engine nested;
  nested.spawn(fail_inside(nested), {"fails inside"}, {});
  CHECK_THROWS_AS(nested.run(), ConfigError);
}

TEST_CASE("Frames of ended processes are reused") {
  FramePool pool;
  void* first = pool.take(200);
  pool.give(first, 200);
  CHECK(pool.take(193) == first);  // rounded up to the same multiple of 64 bytes
  void* other = pool.take(200);
  CHECK(other != first);
  pool.give(first, 200);
  pool.give(other, 200);
}
