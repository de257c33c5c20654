// Host stand-in for kernels/ptx/dependent_launch.cuh: kernels run in sequence.
#pragma once

namespace tilecast::ptx {

inline void launch_dependents() {}
inline void wait_for_earlier_grids() {}

}  // namespace tilecast::ptx
