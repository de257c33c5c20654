// Programmatic dependent launch: the next kernel of the stream may start early, and waits before it
// uses this one's results.
#pragma once

namespace tilecast::ptx {

__device__ __forceinline__ void launch_dependents() {
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}

__device__ __forceinline__ void wait_for_earlier_grids() {
  asm volatile("griddepcontrol.wait;" ::: "memory");
}

}  // namespace tilecast::ptx
