#include "kernels/registry.h"

#include <algorithm>

#include "model/base/error.h"
#include "model/tile/fp8_pairs.h"

namespace tilecast {
namespace {

constexpr ElementType kHalfTypes[] = {ElementType::kFp16, ElementType::kBf16};
constexpr ElementType kWgmmaTypes[] = {ElementType::kFp16, ElementType::kBf16, ElementType::kE4m3,
                                       ElementType::kE5m2};
constexpr Layout kBothLayouts[] = {Layout::kTn, Layout::kNn};

constexpr Layout kTnAlone[] = {Layout::kTn};
constexpr std::string_view kBlackwell = "sm_100a";

constexpr GemmKernelInfo kGemmKernels[] = {
    {Schedule::kSmallMma, "kernels/gemm/small_mma.cu", kWgmmaTypes, kBothLayouts},
    {Schedule::kBlocked, "kernels/gemm/blocked.cu", kWgmmaTypes, kBothLayouts},
    {Schedule::kBlockedPipelined, "kernels/gemm/blocked_pipelined.cu", kWgmmaTypes, kBothLayouts},
    {Schedule::kPipelined, "kernels/gemm/pipelined.cu", kWgmmaTypes, kBothLayouts},
    {Schedule::kPersistent, "kernels/gemm/persistent.cu", kWgmmaTypes, kBothLayouts},
    {Schedule::kPersistentOverlap, "kernels/gemm/persistent_overlap.cu", kWgmmaTypes, kBothLayouts},
    {Schedule::kWarpSpecialized, "kernels/gemm/warp_specialized.cu", kWgmmaTypes, kBothLayouts},
    {Schedule::kPingPong, "kernels/gemm/ping_pong.cu", kWgmmaTypes, kBothLayouts},
    {Schedule::kSplitK, "kernels/gemm/stream_k.cu", kWgmmaTypes, kBothLayouts},
    {Schedule::kSplitKHybrid, "kernels/gemm/stream_k.cu", kWgmmaTypes, kBothLayouts},
    {Schedule::kStreamK, "kernels/gemm/stream_k.cu", kWgmmaTypes, kBothLayouts},
    {Schedule::kStreamKHybrid, "kernels/gemm/stream_k.cu", kWgmmaTypes, kBothLayouts},
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

Flops required_flops(const GemmProblem& problem) { return {gemm_flops(problem)}; }

Bytes required_bytes(const GemmProblem& problem) { return {gemm_bytes(problem)}; }

}  // namespace tilecast
