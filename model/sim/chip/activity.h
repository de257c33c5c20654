// How busy each part of the machine is, over the phases of a kernel: what the clock model needs,
// since the SM clock follows phases. Amounts are added to equal slices of time; when a kernel
// outgrows them, neighbours are joined and slices get twice as long, so that memory stays bounded.
// A request is booked whole at the time it is asked.
// Checked by: activity_test.cpp.
#pragma once

#include <array>

#include "model/base/sim_time.h"

namespace tilecast {

enum class Resource : i32 {
  kTensor,        // picoseconds that tensor pipes are taken, over all SMs
  kOperandReads,  // bytes from shared memory to tensor cores
  kFills,         // bytes that SMs take in
  kL2Output,      // bytes that L2 puts out, merged requests once
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

  int slice_bits_ = 16;  // 66 ns
  std::array<Amounts, kSlices> slices_{};
};

}  // namespace tilecast
