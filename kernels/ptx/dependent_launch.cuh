// Programmatic dependent launch: the next kernel of the stream may start early, and waits before it
// uses this one's results. Before Hopper each kernel starts after the one before it has ended.
#pragma once

namespace tilecast::ptx {

__device__ __forceinline__ void launch_dependents() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

__device__ __forceinline__ void wait_for_earlier_grids() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

}  // namespace tilecast::ptx
