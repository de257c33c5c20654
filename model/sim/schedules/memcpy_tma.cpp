// kernels/stream/memcpy_tma.cu: one thread keeps a ring of stages full. A stage is loaded again
// once its store has read it, one block later. With order=tickets it draws the number of the next
// block from a counter, one block ahead.
#include "model/sim/schedules/stream_roles.h"

namespace tilecast {
namespace {

/// The blocks of one CTA, in the order that it loads them.
class Supply {
 public:
  explicit Supply(StreamCta& cta)
      : cta_(cta),
        tickets_(cta.machine().config.order == BlockOrder::kTickets),
        next_(cta.first()) {}

  /// Known before: of the first round, one for each stage.
  u32 take_planned() {
    const u32 taken = next_;
    next_ = cta_.next(next_);
    return taken;
  }
  void begin_drawing() {
    if (tickets_) {
      draw();
    }
  }
  /// When the number that was drawn last is there.
  SimTime known() const { return known_; }
  /// Of the rounds after.
  u32 take() {
    if (!tickets_) {
      return take_planned();
    }
    const u32 taken = cta_.machine().walk.workers * static_cast<u32>(cta_.stages()) + next_;
    draw();
    return taken;
  }
  bool ended(u32 index) const { return index >= cta_.end(); }

 private:
  void draw() {
    StreamMachine& machine = cta_.machine();
    next_ = machine.drawn++;
    known_ = machine.tickets.serve(cta_.engine().now(), cta_.costs().ticket);
  }

  StreamCta& cta_;
  bool tickets_;
  u32 next_;
  SimTime known_;
};

}  // namespace

Process memcpy_tma(StreamCta& cta) {
  const i32 stages = cta.stages();
  std::vector<u32> held(static_cast<std::size_t>(stages));
  Supply supply(cta);
  for (i32 stage = 0; stage < stages; ++stage) {
    const u32 index = held[static_cast<std::size_t>(stage)] = supply.take_planned();
    if (!supply.ended(index)) {
      cta.load(index, stage);
    }
  }
  supply.begin_drawing();
  i32 at = 0, previous = stages > 1 ? -1 : 0;
  SimTime ready = cta.engine().now();
  for (u32 index = held[0]; !supply.ended(index); index = held[static_cast<std::size_t>(at)]) {
    co_await cta.engine().until(cta.landed(at));
    cta.bulk_store(index, at);
    ready = cta.read_out(at);
    if (previous >= 0) {
      co_await cta.engine().until(supply.known());
      const u32 loaded = held[static_cast<std::size_t>(previous)] = supply.take();
      if (!supply.ended(loaded)) {
        co_await cta.engine().until(cta.read_out(previous));
        cta.load(loaded, previous);
      }
    }
    previous = stages > 1 ? at : 0;
    at = (at + 1) % stages;
  }
  cta.finish(std::max(ready, cta.engine().now()));
}

}  // namespace tilecast
