// Records the activity of each resource over time. The clock model needs it because the SM clock
// follows phases of a kernel. Amounts are added to time slices of equal length. When a kernel
// outgrows the slices, neighbours are merged and their length doubles, so memory is bounded. A
// request counts in full at the time when it is made. Checked by: activity_test.cpp.
#pragma once

#include <array>

#include "model/base/sim_time.h"

namespace tilecast {

enum class Resource : i32 {
  kTensor,        // time that tensor pipes are busy, in ps, over all SMs
  kOperandReads,  // bytes from shared memory to tensor cores
  kFills,         // bytes filled into SMs
  kL2Output,      // bytes that L2 delivers; merged requests count once
  kDramRead,      // bytes
  kDramWrite,     // bytes
};
constexpr std::size_t kResources = 6;

class Activity {
 public:
  static constexpr std::size_t kSlices = 64;
  using Amounts = std::array<i64, kResources>;

  void add(Resource resource, SimTime at, i64 amount) {
    i64 slice = at.ps >> slice_bits_;
    while (slice >= static_cast<i64>(kSlices)) {
      join_neighbours();
      slice = at.ps >> slice_bits_;
    }
    slices_[static_cast<std::size_t>(slice)][static_cast<std::size_t>(resource)] += amount;
  }

  SimTime slice_length() const { return {i64{1} << slice_bits_}; }
  const std::array<Amounts, kSlices>& slices() const { return slices_; }
  i64 total(Resource resource) const;

 private:
  void join_neighbours();

  int slice_bits_ = 16;  // log2 of the slice length in ps: 66 ns
  std::array<Amounts, kSlices> slices_{};
};

}  // namespace tilecast
