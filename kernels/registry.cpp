#include "kernels/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "model/tile/fp8_pairs.h"
#include "model/tile/kernel_config_text.h"
#include "model/tile/schedule_text.h"

namespace tilecast {
namespace {

constexpr ElementType kHalfTypes[] = {ElementType::kFp16, ElementType::kBf16};
constexpr ElementType kWgmmaTypes[] = {ElementType::kFp16, ElementType::kBf16, ElementType::kE4m3,
                                       ElementType::kE5m2};
constexpr Layout kTnAlone[] = {Layout::kTn};

GemmKernelInfo info_of(Schedule schedule) {
  const std::string source = fmt::format("kernels/gemm/{}.cu", to_text(kernel_of(schedule)));
  return uses_tcgen05(schedule)
             ? GemmKernelInfo{schedule, source, kHalfTypes, kTnAlone, "sm_100a"}
             : GemmKernelInfo{schedule, source, kWgmmaTypes, kEveryLayout, "sm_90a"};
}

template <class T>
bool contains(std::span<const T> values, T wanted) {
  return std::find(values.begin(), values.end(), wanted) != values.end();
}

}  // namespace

bool GemmKernelInfo::supports(ElementType dtype) const { return contains(dtypes, dtype); }

bool GemmKernelInfo::supports(Layout layout) const { return contains(layouts, layout); }

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

Flops required_flops(const GemmProblem& problem) { return {gemm_flops(problem)}; }

Bytes required_bytes(const GemmProblem& problem) { return {gemm_bytes(problem)}; }

}  // namespace tilecast
