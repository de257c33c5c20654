// fp8 operands on the device: what their sums lose along K, and what is not finite. Random problems
// and configurations of them are in gemm_random_test.cpp and epilogue_test.cpp.

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "tests/gemm_check.h"
#include "tests/gpu.h"

using namespace tilecast;

namespace {

/// A kernel of each way through K: one buffer, a ring, two tiles at once, A in two CTAs, split.
constexpr const char* kConfigs[] = {
    "blocked:tile=128x128x128,warpgroups=1x1,ctas=1,c_slots=1,raster=grouped_m,group=8",
    "persistent_overlap:tile=128x128x128,stages=4,warpgroups=2x1,cluster=1x1,ctas=1,inflight=1,"
    "c_slots=1,raster=grouped_m,group=8,walk=strided",
    "ping_pong:tile=64x128x64,stages=4,cluster=1x1,ctas=1,inflight=1,c_slots=1,producer=40,"
    "raster=grouped_m,group=8,walk=strided",
    "warp_specialized:tile=128x256x128,stages=4,warpgroups=2x1,cluster=1x2,ctas=1,inflight=1,"
    "c_slots=2,producer=40,grid=resident,raster=grouped_m,group=8,walk=strided",
    "split_k:tile=64x64x128,stages=4,warpgroups=1x1,cluster=1x1,ctas=1,inflight=1,c_slots=1,"
    "producer=40,splits=2,reduction=turnstile,raster=grouped_m,group=8",
};

constexpr ElementType kFp8[] = {ElementType::kE4m3, ElementType::kE5m2};

}  // namespace

TEST_CASE("fp8 accumulators lose the bits that the tensor core truncates, and no more", "[gpu]") {
  GpuTestBench& bench = GpuTestBench::get(gpu_or_skip());
  for (const ElementType dtype : kFp8) {
    for (const i64 k : {256, 2048, 16384, 65536}) {
      bench.prepare({{256, 512, k}, dtype, Layout::kTn, {}, ElementType::kFp16}, Inputs::kNormal);
      const Verdict verdict = bench.check(parse_kernel_config(kConfigs[3]));
      std::printf("%s, K = %lld: rms error %.1e, largest %.1e of the largest\n",
                  std::string(to_text(dtype)).c_str(), static_cast<long long>(k), verdict.rms_error,
                  *verdict.max_error);
      CHECK(verdict.fault == "");
      // Cut off, not rounded: more than fp16's rounding, 2^-12, wherever K is long.
      if (k >= 16384) {
        CHECK(verdict.rms_error > std::ldexp(1.0, -11));
      }
    }
  }
}

TEST_CASE("NaN and infinity in fp8 reach their row of C and no other", "[gpu]") {
  GpuTestBench& bench = GpuTestBench::get(gpu_or_skip());
  constexpr i64 kRows = 200, kColumns = 144, kDepth = 1040, kRow = 131, kAt = 1037;
  for (const ElementType dtype : kFp8) {
    // e4m3 has no infinity.
    const unsigned char nan = dtype == ElementType::kE4m3 ? 0x7f : 0x7e, infinity = 0x7c;
    for (const bool infinite : {false, true}) {
      if (infinite && dtype == ElementType::kE4m3) {
        continue;
      }
      bench.prepare({{kRows, kColumns, kDepth}, dtype, Layout::kTn}, Inputs::kUniform);
      TILECAST_CUDA(
          cudaMemsetAsync(static_cast<unsigned char*>(bench.a.as<void>()) + kRow * kDepth + kAt,
                          infinite ? infinity : nan, 1, bench.stream.get()));
      for (const char* text : kConfigs) {
        INFO(text);
        const KernelConfig config = parse_kernel_config(text);
        LoadedKernel kernel = bench.load(config);
        const GemmLaunch launch(kernel, bench.problem, config);
        launch.launch(launch.bind(bench.buffers(bench.c.as<void>())), bench.stream.get());
        const std::vector<unsigned short> c =
            copy_to_host(bench.c.as<unsigned short>(), kRows * kColumns, bench.stream.get());
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < c.size(); ++i) {
          const bool in_row = static_cast<i64>(i) / kColumns == kRow;
          const bool not_finite = (c[i] & 0x7f80) == 0x7f80;  // of bf16
          if (not_finite != in_row || (infinite && in_row && (c[i] & 0x7f) == 0 && c[i] >> 15)) {
            ++wrong;
          }
        }
        CHECK(wrong == 0);
      }
    }
  }
}
