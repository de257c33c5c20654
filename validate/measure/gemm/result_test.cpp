// The last steps of an epilogue on the device, where random cases (epilogue_test.cpp) do not reach:
// rows of R of its own, in batches; what is not finite in R; the largest magnitude of NaN.

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "kernels/jit/copy_to_device.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/gemm/rules/kernel_rules.h"
#include "tests/gemm_check.h"
#include "tests/gpu.h"

using namespace tilecast;

namespace {

/// A kernel of each way to C: slots, borrowed stages, deferred, a sum of pieces that the last
/// stores and one that all store, two warpgroups in turn.
constexpr const char* kWays[] = {
    "warp_specialized:tile=128x128x32,stages=4,warpgroups=2x1,cluster=2x1,ctas=1,inflight=1,"
    "c_slots=2,producer=40,grid=resident,raster=grouped_m,group=8,walk=strided",
    "pipelined:tile=64x64x32,stages=6,warpgroups=1x1,ctas=1,inflight=1,c_slots=0,"
    "raster=grouped_m,group=8",
    "warp_specialized:tile=128x256x64,stages=4,warpgroups=2x1,cluster=1x1,ctas=1,inflight=1,"
    "c_slots=2,producer=40,grid=resident,raster=grouped_m,group=8,walk=strided,store=deferred",
    "split_k:tile=64x64x32,stages=4,warpgroups=1x1,cluster=1x1,ctas=1,inflight=1,c_slots=1,"
    "producer=40,splits=2,reduction=turnstile,raster=grouped_m,group=8",
    "split_k:tile=64x64x32,stages=4,warpgroups=1x1,cluster=1x1,ctas=1,inflight=1,c_slots=1,"
    "producer=40,splits=2,reduction=spread,raster=grouped_m,group=8",
    "ping_pong:tile=64x64x32,stages=4,cluster=1x1,ctas=1,inflight=1,c_slots=1,producer=40,"
    "raster=grouped_m,group=8,walk=strided",
};

bool takes(const KernelConfig& config, const GemmProblem& problem) {
  return why_no_kernel(ProblemKind::of(problem), config).empty();
}

}  // namespace

TEST_CASE("R may have larger strides than C", "[gpu]") {
  GpuTestBench& bench = GpuTestBench::get(gpu_or_skip());
  for (const ElementType c : {ElementType::kBf16, ElementType::kFp32}) {
    for (const i64 apart : {8, 3}) {  // whole 16 bytes or not
      const GemmProblem problem{.shape = {200, 136, 96},
                                .dtype = ElementType::kBf16,
                                .layout = Layout::kTn,
                                .epilogue = {step<BiasN>(), step<Relu>(), step<Residual>()},
                                .c = c,
                                .batch = {.products = 3}};
      bench.prepare(problem, Inputs::kNormal);
      const i64 row = problem.shape.n + apart, stride = row * (problem.shape.m + 2);
      const DeviceMemory r(static_cast<std::size_t>(3 * stride * element_bytes(c)));
      bench.kernels.fill(r.as<void>(), static_cast<u64>(3 * stride), c, Inputs::kNormal, 99,
                         bench.stream.get());
      const auto with_r = [&](void* output) {
        GemmBuffers buffers = bench.buffers(output);
        buffers.residual = r.as<void>();
        buffers.residual_row = row;
        buffers.residual_matrix_stride = stride;
        return buffers;
      };
      bench.verifier.prepare(problem, with_r(nullptr));
      for (const char* text : kWays) {
        const KernelConfig config = parse_kernel_config(text);
        if (!takes(config, problem)) {
          continue;
        }
        const HangGuard guard(text);
        INFO(text << " " << to_text(c) << " " << apart);
        LoadedKernel kernel = bench.load(config);
        const GemmLaunch launch(kernel, problem, config);
        const Verdict verdict = bench.verifier.check(
            [&](void* output) { launch.launch(launch.bind(with_r(output)), bench.stream.get()); });
        CHECK(verdict.fault == "");
      }
    }
  }
}

TEST_CASE("NaN and infinity in R stay in their element, on every path to C", "[gpu]") {
  GpuTestBench& bench = GpuTestBench::get(gpu_or_skip());
  constexpr i64 kRows = 70, kColumns = 75;
  constexpr std::size_t kNanAt = 67 * kColumns + 71, kInfinityAt = 3 * kColumns + 2;
  const GemmProblem problem{.shape = {kRows, kColumns, 64},
                            .dtype = ElementType::kFp16,
                            .layout = Layout::kTn,
                            .epilogue = parse_epilogue("silu+residual"),
                            .c = ElementType::kFp32};
  bench.prepare(problem, Inputs::kZeros);
  std::vector<float> r(kRows * kColumns, 0);
  r[kNanAt] = std::numeric_limits<float>::quiet_NaN();
  r[kInfinityAt] = -std::numeric_limits<float>::infinity();
  copy_to_device(bench.residual.as<void>(), std::span<const float>(r));
  const DeviceMemory output(r.size() * sizeof(float));
  for (const char* text : kWays) {
    const KernelConfig config = parse_kernel_config(text);
    if (!takes(config, problem)) {
      continue;
    }
    const HangGuard guard(text);
    LoadedKernel kernel = bench.load(config);
    const GemmLaunch launch(kernel, problem, config);
    launch.launch(launch.bind(bench.buffers(output.as<void>())), bench.stream.get());
    const std::vector<float> c = copy_to_host(output.as<float>(), r.size(), bench.stream.get());
    int wrong = 0;
    for (std::size_t i = 0; i < c.size(); ++i) {
      const bool right = i == kNanAt        ? std::isnan(c[i])
                         : i == kInfinityAt ? std::isinf(c[i]) && c[i] < 0
                                            : c[i] == 0;
      wrong += right ? 0 : 1;
    }
    INFO(text);
    CHECK(wrong == 0);
  }
}

TEST_CASE("amax is NaN if a result is, and never below its initial value", "[gpu]") {
  GpuTestBench& bench = GpuTestBench::get(gpu_or_skip());
  const GemmProblem problem{.shape = {70, 76, 64},
                            .dtype = ElementType::kFp16,
                            .layout = Layout::kTn,
                            .epilogue = parse_epilogue("bias_n+amax")};
  bench.prepare(problem, Inputs::kZeros);
  const auto amax_with = [&](unsigned short last_of_bias, float before) {
    std::vector<unsigned short> bias(76, 0x3c00);  // ones
    bias.back() = last_of_bias;
    copy_to_device(bench.bias.as<void>(), std::span<const unsigned short>(bias));
    const KernelConfig config = parse_kernel_config(kWays[0]);
    LoadedKernel kernel = bench.load(config);
    const GemmLaunch launch(kernel, problem, config);
    const GemmBuffers buffers = bench.buffers(bench.c.as<void>());
    copy_to_device(buffers.amax, std::span<const float>(&before, 1));
    launch.launch(launch.bind(buffers), bench.stream.get());
    return copy_to_host(buffers.amax, 1, bench.stream.get()).front();
  };
  CHECK(amax_with(0xc200, 0) == 3);  // -3
  CHECK(amax_with(0xc200, 5) == 5);
  CHECK(std::isnan(amax_with(0x7e00, 0)));
}
