// Tests scales of fp8 operands on the device: cuBLASLt with the same scales; NaN and infinities.
// Random problems are in random_gemm_test.cpp, long sums in exact_test.cpp.

#include <limits>
#include <vector>

#include "kernels/jit/copy_to_device.h"
#include "tests/gemm_check.h"
#include "tests/gemm_config.h"
#include "tests/gpu.h"
#include "tests/seed.h"

using namespace tilecast;

namespace {

constexpr OutputStep kKinds[] = {step<ScaleBlock>(), step<ScaleTensor>(), step<ScaleRow>()};

Epilogue scaled_by(OutputStep scales) { return {scales}; }

/// Returns all bits of C after one launch, with scales at the given addresses.
std::vector<unsigned short> result(GpuTestBench& bench, const char* text, const ScaleArgs& scales) {
  const KernelConfig config = gemm_config(text);
  LoadedKernel kernel = bench.load(config);
  const GemmLaunch launch(kernel, bench.problem, config);
  GemmBuffers buffers = bench.buffers(bench.c.as<void>());
  buffers.scales = scales;
  launch.launch(launch.bind(buffers), bench.stream.get());
  const auto [m, n, k] = bench.problem.shape;
  return copy_to_host(bench.c.as<unsigned short>(), static_cast<std::size_t>(m * n),
                      bench.stream.get());
}

std::vector<unsigned short> result(GpuTestBench& bench, const char* text) {
  return result(bench, text, bench.scales.get());
}

bool not_finite(unsigned short bf16) { return (bf16 & 0x7f80) == 0x7f80; }

constexpr const char* kCooperative = "ws 128x192x128 s3 w2x1 c1x1 o1 i0 e2 m8";
constexpr const char* kTwoRows = "ws 256x128x128 s3 w2x1 c2x1 o1 i0 e2 m8";
constexpr const char* kThreeBlocks = "ws 128x176x128 s3 w2x1 c1x1 o1 i0 e2 m8";
constexpr const char* kBeyondN =  // last tiles of a cluster
    "ws1 64x160x128 s6 w1x2 c1x4 o1 i0 e1 m8";
constexpr const char* kPingPong = "pp 64x136x128 s4 w1x1 c1x1 o1 i0 e1 m8";

}  // namespace

TEST_CASE("cuBLASLt reads the same scales as the kernels do", "[gpu]") {
  GpuTestBench& bench = GpuTestBench::get(gpu_or_skip());
  for (const OutputStep scales : kKinds) {
    for (const i64 k : {512, 1152}) {  // B's blocks along K are a multiple of four, or not
      bench.prepare({{384, 640, k}, ElementType::kE4m3, Layout::kTn, scaled_by(scales)},
                    Inputs::kNormal);
      INFO(to_text(bench.problem));
      CHECK(bench.check_cublaslt().fault == "");
    }
  }
}

TEST_CASE("Rows of B's block scales may have any alignment", "[gpu]") {
  GpuTestBench& bench = GpuTestBench::get(gpu_or_skip());
  const i32 odd = 1 + static_cast<i32>(daily_seed("rows of scales") % 3);
  for (const GemmShape& shape : {GemmShape{200, 700, 1000}, GemmShape{200, 100, 640},
                                 GemmShape{200, 600, 384}, GemmShape{200, 400, 128}}) {
    bench.prepare({shape, ElementType::kE4m3, Layout::kTn, scaled_by(step<ScaleBlock>())},
                  Inputs::kNormal);
    INFO(to_text(bench.problem));
    const ScaleArgs wide = bench.scales.get();  // rows in multiples of 16 bytes
    const i32 blocks = static_cast<i32>(ceil_div<i64>(shape.n, scale_block()));
    const i32 k_blocks = static_cast<i32>(ceil_div<i64>(shape.k, scale_block()));
    const std::vector<float> scales =
        copy_to_host(wide.b, static_cast<std::size_t>(blocks * wide.b_stride), bench.stream.get());
    for (const i32 stride : {k_blocks, k_blocks + odd}) {
      for (i32 before = 0; before < 4; ++before) {
        std::vector<float> tight(static_cast<std::size_t>(before + blocks * stride),
                                 std::numeric_limits<float>::quiet_NaN());
        for (i32 block = 0; block < blocks; ++block) {
          for (i32 k = 0; k < k_blocks; ++k) {
            tight[static_cast<std::size_t>(before + block * stride + k)] =
                scales[static_cast<std::size_t>(block * wide.b_stride + k)];
          }
        }
        DeviceMemory memory(tight.size() * sizeof(float));
        copy_to_device(memory.as<void>(), std::span<const float>(tight));
        ScaleArgs elsewhere = wide;
        elsewhere.b = memory.as<float>() + before;
        elsewhere.b_stride = stride;
        INFO("rows of " << stride << " that begin at " << before);
        for (const char* text : {kCooperative, kTwoRows, kThreeBlocks, kBeyondN, kPingPong}) {
          INFO(text);
          CHECK(result(bench, text, elsewhere) == result(bench, text));
        }
      }
    }
  }
}

TEST_CASE("NaN and infinity in a scale reach the scaled elements and nothing else", "[gpu]") {
  GpuTestBench& bench = GpuTestBench::get(gpu_or_skip());
  constexpr i64 kRows = 300, kColumns = 400, kDepth = 400, kAt = 270;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const OutputStep scales : {step<ScaleRow>(), step<ScaleBlock>()}) {
    const bool blocks = scales == step<ScaleBlock>();
    for (const bool of_a : {true, false}) {
      bench.prepare({{kRows, kColumns, kDepth}, ElementType::kE4m3, Layout::kTn, scaled_by(scales)},
                    Inputs::kUniform);
      const ScaleArgs args = bench.scales.get();
      // With block scales, the NaN is the third scale along K: of one row of A, or of B's columns
      // 256 to 383.
      const i64 index = !blocks ? kAt : of_a ? 2 * args.a_stride + kAt : 2 * args.b_stride + 2;
      copy_to_device(const_cast<float*>(of_a ? args.a : args.b) + index, std::span(&nan, 1));
      for (const char* text : {kCooperative, kTwoRows, kPingPong}) {
        INFO(text << " " << to_text(bench.problem) << (of_a ? " A" : " B"));
        const std::vector<unsigned short> c = result(bench, text);
        int wrong = 0;
        for (std::size_t i = 0; i < c.size(); ++i) {
          const i64 row = static_cast<i64>(i) / kColumns, column = static_cast<i64>(i) % kColumns;
          const bool hit = of_a ? row == kAt : blocks ? column / scale_block() == 2 : column == kAt;
          wrong += not_finite(c[i]) == hit ? 0 : 1;
        }
        CHECK(wrong == 0);
      }
    }
  }
}
