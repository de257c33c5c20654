#include "kernels/registry.h"

#include <algorithm>

#include "model/base/error.h"

namespace tilecast {
namespace {

constexpr ElementType kHalfTypes[] = {ElementType::kFp16, ElementType::kBf16};
constexpr Layout kBothLayouts[] = {Layout::kTn, Layout::kNn};

constexpr Layout kTnAlone[] = {Layout::kTn};
constexpr std::string_view kBlackwell = "sm_100a";

constexpr GemmKernelInfo kGemmKernels[] = {
    {Schedule::kSmallMma, "kernels/gemm/small_mma.cu", kHalfTypes, kBothLayouts},
    {Schedule::kBlocked, "kernels/gemm/blocked.cu", kHalfTypes, kBothLayouts},
    {Schedule::kBlockedPipelined, "kernels/gemm/blocked_pipelined.cu", kHalfTypes, kBothLayouts},
    {Schedule::kPipelined, "kernels/gemm/pipelined.cu", kHalfTypes, kBothLayouts},
    {Schedule::kPersistent, "kernels/gemm/persistent.cu", kHalfTypes, kBothLayouts},
    {Schedule::kPersistentOverlap, "kernels/gemm/persistent_overlap.cu", kHalfTypes, kBothLayouts},
    {Schedule::kWarpSpecialized, "kernels/gemm/warp_specialized.cu", kHalfTypes, kBothLayouts},
    {Schedule::kPingPong, "kernels/gemm/ping_pong.cu", kHalfTypes, kBothLayouts},
    {Schedule::kSplitK, "kernels/gemm/stream_k.cu", kHalfTypes, kBothLayouts},
    {Schedule::kSplitKHybrid, "kernels/gemm/stream_k.cu", kHalfTypes, kBothLayouts},
    {Schedule::kStreamK, "kernels/gemm/stream_k.cu", kHalfTypes, kBothLayouts},
    {Schedule::kStreamKHybrid, "kernels/gemm/stream_k.cu", kHalfTypes, kBothLayouts},
    {Schedule::kTcgen05Pipelined, "kernels/gemm/tcgen05_pipelined.cu", kHalfTypes, kTnAlone,
     kBlackwell},
    {Schedule::kTcgen05Persistent, "kernels/gemm/tcgen05_persistent.cu", kHalfTypes, kTnAlone,
     kBlackwell},
    {Schedule::kTcgen05PersistentOverlap, "kernels/gemm/tcgen05_persistent_overlap.cu", kHalfTypes,
     kTnAlone, kBlackwell},
    {Schedule::kTcgen05WarpSpecialized, "kernels/gemm/tcgen05_warp_specialized.cu", kHalfTypes,
     kTnAlone, kBlackwell},
};

template <class T>
bool contains(std::span<const T> values, T wanted) {
  return std::find(values.begin(), values.end(), wanted) != values.end();
}

}  // namespace

bool GemmKernelInfo::supports(ElementType dtype) const { return contains(dtypes, dtype); }

bool GemmKernelInfo::supports(Layout layout) const { return contains(layouts, layout); }

std::span<const GemmKernelInfo> gemm_kernels() { return kGemmKernels; }

const GemmKernelInfo& gemm_kernel_info(Schedule schedule) {
  const auto found = std::find_if(std::begin(kGemmKernels), std::end(kGemmKernels),
                                  [&](const GemmKernelInfo& k) { return k.schedule == schedule; });
  TILECAST_ASSERT(found != std::end(kGemmKernels));
  return *found;
}

Flops required_flops(const GemmProblem& problem) { return {gemm_flops(problem.shape)}; }

Bytes required_bytes(const GemmProblem& problem) { return {gemm_bytes(problem)}; }

}  // namespace tilecast
