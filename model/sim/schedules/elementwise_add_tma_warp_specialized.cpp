// kernels/stream/elementwise_add_tma_warp_specialized.cu: one warp loads, one stores, the others
// add. Each stage goes round full -> computed -> empty.
#include "model/sim/schedules/stream_roles.h"

namespace tilecast {
namespace {

struct RingPlace {
  i32 stage = 0;
  u32 round = 0;

  void advance(i32 stages) {
    if (++stage == stages) {
      stage = 0;
      ++round;
    }
  }
  std::size_t index() const { return static_cast<std::size_t>(stage); }
};

}  // namespace

StreamRing::StreamRing(StreamMachine& machine) {
  for (i32 stage = 0; stage < machine.config.stages; ++stage) {
    full.emplace_back(machine.engine, 1, "full", stage);
    computed.emplace_back(machine.engine, 1, "computed", stage);
    empty.emplace_back(machine.engine, 1, "empty", stage);
  }
}

Process load_blocks(StreamCta& cta, StreamRing& ring) {
  RingPlace at;
  for (u32 index = cta.first(); index < cta.end(); index = cta.next(index)) {
    if (at.round > 0) {
      co_await ring.empty[at.index()].wait(at.round - 1, {}, {});
    }
    cta.load(index, at.stage);
    ring.full[at.index()].arrive(cta.landed(at.stage));
    at.advance(cta.stages());
  }
  cta.finish(cta.engine().now());
}

Process store_blocks(StreamCta& cta, StreamRing& ring) {
  RingPlace at;
  i32 previous = -1;
  SimTime ready = cta.engine().now();
  for (u32 index = cta.first(); index < cta.end(); index = cta.next(index)) {
    co_await ring.computed[at.index()].wait(at.round, {}, {});
    cta.bulk_store(index, at.stage);
    ready = cta.read_out(at.stage);
    if (previous >= 0) {
      co_await cta.engine().until(cta.read_out(previous));
      ring.empty[static_cast<std::size_t>(previous)].arrive(cta.engine().now());
    }
    previous = at.stage;
    at.advance(cta.stages());
  }
  cta.finish(ready);
}

Process add_blocks(StreamCta& cta, StreamRing& ring) {
  RingPlace at;
  for (u32 index = cta.first(); index < cta.end(); index = cta.next(index)) {
    co_await ring.full[at.index()].wait(at.round, {}, {});
    ring.computed[at.index()].arrive(cta.engine().now());
    at.advance(cta.stages());
  }
  cta.finish(cta.engine().now());
}

}  // namespace tilecast
