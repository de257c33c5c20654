// Finds the first group whose number on the device is invalid: an end before the previous group's
// end or past all rows; for masked groups, a count below 0 or above the capacity. Kernels clamp
// such numbers and do not report them (group_table.cuh, k_groups.cuh), so run this kernel first
// when debugging.
//
// Launch: one CTA of kGroupCheckThreads threads. If `capacity` is 0, groups are not masked and have
// `rows` rows in total. Checked by: kernels/jit/group_checker_test.cpp.
#include "kernels/gemm/group_fault.h"
#include "model/base/math.h"

namespace tilecast {

/// Valid range of a group's count.
struct Bounds {
  i32 least, most;
};

__device__ inline Bounds bounds_of(const i32* numbers, i32 group, i32 capacity, i32 rows) {
  if (capacity > 0) {
    return {0, capacity};
  }
  return {group == 0 ? 0 : numbers[group - 1], rows};
}

}  // namespace tilecast

extern "C" __global__ void __launch_bounds__(tilecast::kGroupCheckThreads)
    tilecast_check_groups(const tilecast::i32* numbers, tilecast::i32 count, tilecast::i32 capacity,
                          tilecast::i32 rows, tilecast::GroupFault* fault) {
  using namespace tilecast;
  __shared__ i32 first;
  if (threadIdx.x == 0) {
    first = kNoGroup;
  }
  __syncthreads();
  for (i32 group = static_cast<i32>(threadIdx.x); group < count; group += kGroupCheckThreads) {
    const Bounds bounds = bounds_of(numbers, group, capacity, rows);
    if (numbers[group] < bounds.least || numbers[group] > bounds.most) {
      atomicMin(&first, group);
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    *fault = {kNoGroup, 0, 0, 0};
    if (first != kNoGroup) {
      const Bounds bounds = bounds_of(numbers, first, capacity, rows);
      *fault = {first, numbers[first], bounds.least, bounds.most};
    }
  }
}
