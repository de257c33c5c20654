#include "kernels/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "model/gemm/config/schedule_text.h"

namespace tilecast {
namespace {

GemmKernelInfo info_of(Schedule schedule) {
  return {schedule, fmt::format("kernels/gemm/{}.cu", to_text(kernel_of(schedule))),
          uses_tcgen05(schedule) ? "sm_100a" : "sm_90a"};
}

}  // namespace

std::span<const GemmKernelInfo> gemm_kernels() {
  static const std::vector<GemmKernelInfo> kernels = [] {
    std::vector<GemmKernelInfo> all;
    std::ranges::transform(kEverySchedule, std::back_inserter(all), info_of);
    return all;
  }();
  return kernels;
}

const GemmKernelInfo& gemm_kernel_info(Schedule schedule) {
  return gemm_kernels()[static_cast<std::size_t>(schedule)];
}

}  // namespace tilecast
