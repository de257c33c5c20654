#include "model/sim/engine/event_queue.h"

#include <algorithm>
#include <random>

#include "tests/catch.h"

using namespace tilecast;

namespace {

const std::coroutine_handle<> kNobody = std::noop_coroutine();

}  // namespace

TEST_CASE("Events come out by time, simultaneous ones in the order of scheduling") {
  EventQueue queue;
  for (const i64 ps : {i64{500}, i64{100}, i64{500}, i64{0}, i64{100}}) {
    queue.push({ps}, kNobody);
  }
  std::vector<u64> order;
  while (!queue.empty()) {
    order.push_back(queue.pop().sequence);
  }
  CHECK(order == std::vector<u64>{3, 1, 4, 0, 2});
}

TEST_CASE("An event beyond the wheel is ordered correctly among nearer ones") {
  EventQueue queue;
  constexpr i64 kMillisecond = 1000000000;
  queue.push({kMillisecond}, kNobody);  // far
  queue.push({1}, kNobody);             // near
  CHECK(queue.pop().at.ps == 1);
  queue.push({2 * kMillisecond}, kNobody);  // far
  CHECK(queue.pop().at.ps == kMillisecond);
  queue.push({kMillisecond + 1}, kNobody);  // near now
  queue.push({2 * kMillisecond}, kNobody);
  CHECK(queue.pop().at.ps == kMillisecond + 1);
  CHECK(queue.pop().sequence == 2);  // scheduled before the other event at this time
  CHECK(queue.pop().sequence == 4);
  CHECK(queue.empty());
}

TEST_CASE("A hundred thousand random events come out in sorted order") {
  std::mt19937_64 random(7);
  EventQueue queue;
  i64 now = 0;
  std::vector<std::pair<i64, u64>> waiting;
  bool in_order = true;
  const auto pop = [&] {
    const auto first = std::min_element(waiting.begin(), waiting.end());
    const Event event = queue.pop();
    in_order = in_order && event.at.ps == first->first && event.sequence == first->second;
    now = event.at.ps;
    waiting.erase(first);
  };
  for (u64 sequence = 0; sequence < 100000; ++sequence) {
    // Events are mostly in the current bucket or a few later ones, and sometimes beyond the wheel
    // (4.2 us).
    const i64 reach = sequence % 7 == 0 ? 20000000 : sequence % 3 == 0 ? 100000 : 1000;
    const i64 at = now + static_cast<i64>(random() % static_cast<u64>(reach));
    queue.push({at}, kNobody);
    waiting.emplace_back(at, sequence);
    if (waiting.size() > 60) {
      pop();
    }
  }
  while (!waiting.empty()) {
    pop();
  }
  CHECK(in_order);
  CHECK(queue.empty());
}
