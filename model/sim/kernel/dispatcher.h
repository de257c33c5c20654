// Which workers of a grid have yet to start. The hardware hands them out in order, to places that
// come free; with cluster launch control CTAs that run take some over.
#pragma once

#include "model/sim/kernel/machine.h"

namespace tilecast {

/// Hands out workers in order. Where each has one tile, those of waves that are left out are none.
class Dispatcher {
 public:
  explicit Dispatcher(Machine& machine) : machine_(machine) {}

  bool any() const { return next_ < machine_.workers(); }
  u32 take() {
    if (machine_.rate && next_ % machine_.whole.tiles == 0) {
      wave_begins(next_ / machine_.whole.tiles);
    }
    return next_++;
  }

 private:
  void wave_begins(u32 wave) {
    if (machine_.rate->settled(wave, machine_.progress())) {
      machine_.skipped = waves_left(machine_.whole, wave);
      machine_.marks = machine_.rate->marks();
      machine_.rate.reset();
      if (machine_.requests != nullptr) {
        machine_.requests->settled_wave = wave;
      }
      next_ += machine_.skipped.count * machine_.whole.tiles;
    }
  }

  Machine& machine_;
  u32 next_ = 0;
};

}  // namespace tilecast
