#include "model/sim/chip/activity.h"

namespace tilecast {

void Activity::join_neighbours() {
  ++slice_bits_;
  for (std::size_t i = 0; i < kSlices; ++i) {
    for (std::size_t r = 0; r < kResources; ++r) {
      slices_[i][r] = 2 * i + 1 < kSlices ? slices_[2 * i][r] + slices_[2 * i + 1][r] : 0;
    }
  }
}

i64 Activity::total(Resource resource) const {
  i64 sum = 0;
  for (const Amounts& slice : slices_) {
    sum += slice[static_cast<std::size_t>(resource)];
  }
  return sum;
}

}  // namespace tilecast
