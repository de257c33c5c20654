// Says whether the numbers of groups on the device make sense, before a kernel reads them: for
// debugging, since it waits for the stream.
// Checked by: group_checker_test.cpp.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
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
  /// Of a problem with groups. Compiles its kernel, or takes it from the cache.
  GroupChecker(CubinCache& cache, const GemmProblem& problem);

  /// "" where each group's number can be what it is, else what is wrong with the first that cannot,
  /// on one line. Waits for the stream, which must not be captured. From any thread.
  std::string why_wrong(const i32* numbers, cudaStream_t stream) const;

 private:
  LoadedKernel kernel_;
  ZeroedMemory fault_;
  i32 count_, capacity_, rows_;
  bool along_k_;
  mutable std::mutex mutex_;  // of fault_
};

}  // namespace tilecast
