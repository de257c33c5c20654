// The GEMM kernels that are compiled for the host (kernels.txt), as functions.
#pragma once

#include <span>

#include "model/tile/gemm_problem.h"

namespace tilecast {

struct HostKernel {
  const char* config;
  Layout layout;
  bool batched, grouped, parts_k;  // groups along M, along K
  bool promoted;                   // of fp8 with block scales; `config` is in elements of it
  bool residual;                   // C is added to R
  /// One thread of the kernel, the one that runs in kernel_calls.h; `args`: its GemmArgs.
  void (*run)(const void* args);
};

/// One for each line of kernels.txt; write_kernels.cpp writes them.
std::span<const HostKernel> host_kernels();

}  // namespace tilecast
