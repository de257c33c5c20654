// Stands in for kernels/ptx/dependent_launch.cuh on the host: kernels run one after the other.
#pragma once

namespace tilecast::ptx {

inline void launch_dependents() {}
inline void wait_for_earlier_grids() {}

}  // namespace tilecast::ptx
