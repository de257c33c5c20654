#include "model/sim/engine/phase_barrier.h"

#include "tests/catch.h"

using namespace tilecast;

namespace {

Process note(Engine& engine, PhaseBarrier& barrier, u32 phase, SimTime from, SimTime then,
             std::vector<i64>& notes) {
  co_await barrier.wait(phase, from, then);
  notes.push_back(engine.now().ps);
}

Process arrive_at(Engine& engine, PhaseBarrier& barrier, SimTime now, SimTime effective) {
  co_await engine.until(now);
  barrier.arrive(effective);
}

}  // namespace

TEST_CASE("A phase completes at its latest arrival, and not before all are made") {
  Engine engine;
  PhaseBarrier barrier(engine, 2, "full", 0);
  std::vector<i64> notes;
  engine.spawn(note(engine, barrier, 0, {}, {}, notes), {"waits"}, {});
  engine.spawn(arrive_at(engine, barrier, {10}, {500}), {"arrives"}, {});
  engine.spawn(arrive_at(engine, barrier, {20}, {90}), {"arrives"}, {});
  CHECK(barrier.completed() == 0);
  engine.run();
  CHECK(barrier.completed() == 1);
  CHECK(notes == std::vector<i64>{500});
}

TEST_CASE("A waiter continues after the later of its own time and the phase") {
  Engine engine;
  PhaseBarrier barrier(engine, 1, "full", 0);
  std::vector<i64> notes;
  barrier.arrive({100});
  engine.spawn(note(engine, barrier, 0, {99}, {7}, notes), {"before"}, {});  // 100 + 7
  engine.spawn(note(engine, barrier, 0, {101}, {7}, notes), {"after"}, {});  // 101 + 7
  engine.spawn(note(engine, barrier, 0, {}, {}, notes), {"late"}, {200});    // at once
  engine.run();
  CHECK(notes == std::vector<i64>{107, 108, 200});
}

TEST_CASE("The next phase needs its own arrivals") {
  Engine engine;
  PhaseBarrier barrier(engine, 1, "empty", 0);
  std::vector<i64> notes;
  barrier.arrive({10});
  engine.spawn(note(engine, barrier, 1, {}, {}, notes), {"second"}, {});
  engine.spawn(arrive_at(engine, barrier, {30}, {30}), {"arrives"}, {});
  engine.run();
  CHECK(notes == std::vector<i64>{30});
  barrier.reset();
  CHECK(barrier.completed() == 0);
}
