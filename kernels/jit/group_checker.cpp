#include "kernels/jit/group_checker.h"

#include <fmt/format.h>

#include "kernels/jit/cuda_error.h"
#include "model/base/error.h"
#include "model/gemm/problem/group_rows.h"

namespace tilecast {
namespace {

constexpr const char* kEntry = "tilecast_check_groups";

std::string compiled(CubinCache& cache) {
  const CompiledKernel kernel = cache.get(group_check_source("sm_90a"));
  if (!kernel.usable()) {
    throw Error(ExitCode::kWrong, "check_groups.cu: " + kernel.rejection);
  }
  return kernel.cubin;
}

}  // namespace

KernelSource group_check_source(const std::string& architecture) {
  return {.path = "kernels/gemm/check_groups.cu", .architecture = architecture};
}

GroupChecker::GroupChecker(CubinCache& cache, const GemmProblem& problem)
    : kernel_(compiled(cache), kEntry),
      fault_(sizeof(GroupFault)),
      count_(static_cast<i32>(problem.groups->count())),
      capacity_(static_cast<i32>(problem.groups->capacity())),
      rows_(static_cast<i32>(grouped_along_k(problem) ? problem.shape.k : rows_in_memory(problem))),
      along_k_(grouped_along_k(problem)) {}

std::string GroupChecker::why_wrong(const i32* numbers, cudaStream_t stream) const {
  const std::lock_guard lock(mutex_);
  i32 count = count_, capacity = capacity_, rows = rows_;
  GroupFault* on_device = fault_.as<GroupFault>();
  void* arguments[] = {&numbers, &count, &capacity, &rows, &on_device};
  kernel_.launch({.ctas = 1, .threads = kGroupCheckThreads, .shared_memory_bytes = 0}, arguments,
                 stream);
  GroupFault fault{};
  TILECAST_CUDA(cudaMemcpyAsync(&fault, on_device, sizeof fault, cudaMemcpyDeviceToHost, stream));
  TILECAST_CUDA(cudaStreamSynchronize(stream));
  if (fault.group == kNoGroup) {
    return "";
  }
  const std::string what =
      capacity_ > 0
          ? fmt::format("group {} has {} rows", fault.group, fault.given)
          : fmt::format("group {} ends at {} {}", fault.group, along_k_ ? "K" : "row", fault.given);
  return fmt::format("{}: expected {} to {}", what, fault.least, fault.most);
}

}  // namespace tilecast
