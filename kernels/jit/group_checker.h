// Checks the group sizes on the device before a kernel uses them. Only for debugging, because it
// synchronizes the stream. Checked by: group_checker_test.cpp.
#pragma once

#include <cuda_runtime_api.h>

#include <mutex>
#include <string>

#include "kernels/gemm/group_fault.h"
#include "kernels/jit/cubin_cache.h"
#include "kernels/jit/loaded_kernel.h"
#include "kernels/jit/zeroed_memory.h"
#include "model/gemm/problem/gemm_problem.h"

namespace tilecast {

KernelSource group_check_source(const std::string& architecture);

class GroupChecker {
 public:
  /// `problem` must have groups. Compiles the checking kernel or reads it from the cache.
  GroupChecker(CubinCache& cache, const GemmProblem& problem);

  /// Describes the first invalid group in one line; "" if all groups are valid. Waits for the
  /// stream, which must not be captured. Thread-safe.
  std::string why_wrong(const i32* numbers, cudaStream_t stream) const;

 private:
  LoadedKernel kernel_;
  ZeroedMemory fault_;
  i32 count_, capacity_, rows_;
  bool along_k_;
  mutable std::mutex mutex_;  // guards fault_
};

}  // namespace tilecast
