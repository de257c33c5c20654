// Which workers of a grid have yet to start. The hardware hands them out in order, to places that
// come free; with cluster launch control CTAs that run take some over.
#pragma once

#include "model/gemm/sim/kernel/gemm_kernel.h"

namespace tilecast {

/// Hands out workers in order. Where each has one tile, those of waves that are left out are none.
class Dispatcher {
 public:
  explicit Dispatcher(GemmKernel& kernel) : kernel_(kernel) {}

  bool any() const { return next_ < kernel_.workers(); }
  u32 take() {
    if (kernel_.rate && next_ % kernel_.whole.tiles == 0) {
      wave_begins(next_ / kernel_.whole.tiles);
    }
    return next_++;
  }

 private:
  void wave_begins(u32 wave) {
    if (kernel_.rate->settled(wave, kernel_.progress())) {
      kernel_.skipped = waves_left(kernel_.whole, wave);
      kernel_.marks = kernel_.rate->marks();
      kernel_.rate.reset();
      if (kernel_.requests != nullptr) {
        kernel_.requests->settled_wave = wave;
      }
      next_ += kernel_.skipped.count * kernel_.whole.tiles;
    }
  }

  GemmKernel& kernel_;
  u32 next_ = 0;
};

}  // namespace tilecast
