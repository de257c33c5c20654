// The GEMM kernels that are compiled for the host (kernels.txt), as functions.
#pragma once

#include <span>

#include "model/gemm/problem/gemm_problem.h"

namespace tilecast {

struct HostKernel {
  const char* config;
  Layout layout;
  bool batched, grouped, parts_k;  // groups along M, along K
  bool block_scales, exact;        // of fp8, whose sums are promoted; `config` is in elements of it
  bool residual;                   // C is added to R

  bool promoted() const { return block_scales || exact; }

  /// One thread of the kernel, the one that runs in kernel_calls.h; `args`: its GemmArgs.
  void (*run)(const void* args);
};

/// One for each line of kernels.txt; write_kernels.cpp writes them.
std::span<const HostKernel> host_kernels();

}  // namespace tilecast
