// Tracks workers of a grid that have not started. The hardware hands them out in order to free
// slots; with cluster launch control, running CTAs take some over.
#pragma once

#include "model/gemm/sim/kernel/gemm_kernel.h"

namespace tilecast {

/// Hands out workers in order. With one tile per worker, those of skipped waves are omitted.
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
