// Runs real kernels on the device. Inputs are integers from -2 to 2, so that every result is exact
// in fp16 and must match bit by bit, for any order of summation. GEMMs without alpha and beta are
// tested in validate/measure/gemm.
#include "kernels/jit/gemm_launch.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "kernels/jit/compile_ahead.h"
#include "kernels/jit/cuda_error.h"
#include "kernels/jit/gemm_kernel.h"
#include "kernels/registry.h"
#include "tests/catch.h"
#include "tests/gemm_config.h"
#include "tests/gpu.h"
#include "tests/hang_guard.h"
#include "tests/temporary_folder.h"
#include "tests/whole_numbers.h"

namespace tilecast {
namespace {

/// Computes alpha A B + beta C; an empty `old` means zeros.
std::vector<unsigned short> product(const GemmProblem& problem, const std::vector<int>& a,
                                    const std::vector<int>& b, Scaling scaling = {},
                                    const std::vector<int>& old = {}) {
  const int alpha = static_cast<int>(scaling.alpha), beta = static_cast<int>(scaling.beta);
  const auto m = static_cast<std::size_t>(problem.shape.m);
  const auto n = static_cast<std::size_t>(problem.shape.n);
  const auto k = static_cast<std::size_t>(problem.shape.k);
  std::vector<unsigned short> c;
  std::vector<int> sums(n);
  const bool a_along_k = a_is_k_major(problem.layout);
  const auto of_a = [&](std::size_t row, std::size_t i) {
    return a[a_along_k ? row * k + i : i * m + row];
  };
  for (std::size_t row = 0; row < m; ++row) {
    std::fill(sums.begin(), sums.end(), 0);
    if (b_is_k_major(problem.layout)) {
      for (std::size_t column = 0; column < n; ++column) {
        for (std::size_t i = 0; i < k; ++i) {
          sums[column] += of_a(row, i) * b[column * k + i];
        }
      }
    } else {
      for (std::size_t i = 0; i < k; ++i) {
        for (std::size_t column = 0; column < n; ++column) {
          sums[column] += of_a(row, i) * b[i * n + column];
        }
      }
    }
    for (std::size_t column = 0; column < n; ++column) {
      const int added = old.empty() ? 0 : beta * old[row * n + column];
      c.push_back(fp16_bits(alpha * sums[column] + added));
    }
  }
  return c;
}

/// Shared by all tests, so that each kernel is compiled once.
CubinCache& cache() {
  static const TemporaryFolder folder;
  static CubinCache cache(folder / "cache");
  return cache;
}

LoadedKernel load(const KernelConfig& config, const GemmProblem& problem,
                  SumScale scale = SumScale::kNone) {
  const CompiledKernel compiled = compile_gemm(config, ProblemKind::of(problem), cache(), scale);
  REQUIRE(compiled.rejection == "");
  return LoadedKernel(compiled.cubin, kGemmEntry);
}

void check_runs(const char* text, const GemmProblem& problem, Scaling scaling = {}) {
  const SumScale scale = scaling == Scaling{} ? SumScale::kNone : SumScale::kAlphaBeta;
  const KernelConfig config = gemm_config(text);
  const std::string what = to_text(problem.shape) + " " + std::string(to_text(problem.layout)) +
                           " " + text + " alpha " + std::to_string(scaling.alpha) + " beta " +
                           std::to_string(scaling.beta);
  const HangGuard guard(what);
  INFO(what);
  LoadedKernel kernel = load(config, problem, scale);
  const GemmLaunch launch(kernel, problem, config, scale);
  CHECK(launch.resident_ctas_per_sm() >= config.ctas_per_sm);

  const auto [m, n, k] = problem.shape;
  const std::vector<int> a = make_values(m * k, 1);
  const std::vector<int> b = make_values(n * k, 2);
  const std::vector<int> old = scaling.beta == 0 ? std::vector<int>() : make_values(m * n, 3);
  const auto c_count = static_cast<std::size_t>(m * n);
  DeviceArray a_device(a.size() * 2), b_device(b.size() * 2), c_device(c_count * 2);
  a_device.fill(as_fp16(a));
  b_device.fill(as_fp16(b));
  // If beta is 0, C must not be read: an infinity would show in the result.
  c_device.fill(old.empty() ? std::vector<unsigned short>(c_count, kUnwritten) : as_fp16(old));

  launch.launch(launch.bind({a_device.get(), b_device.get(), c_device.get()}, scaling), nullptr);
  TILECAST_CUDA(cudaDeviceSynchronize());
  CHECK((without_signed_zeros(c_device.read<unsigned short>(c_count)) ==
         product(problem, a, b, scaling, old)));
}

// Covers every schedule that can have more than one tile, and every way to store C.
constexpr const char* kConfigs[] = {
    "bl 128x128x128 s1 w1x1 c1x1 o2 i0 e0 m2",     "bp 128x64x64 s2 w2x1 c1x1 o2 i1 e0 n2",
    "pi 128x128x64 s3 w2x1 c1x1 o1 i1 e2 m4",      "pe 128x64x64 s4 w1x1 c1x1 o1 i0 e2 n1k",
    "po 64x128x64 s3 w1x1 c1x1 o1 i1 e0 m4",       "po 64x64x64 s4 w1x1 c2x1 o1 i1 e1 hk",
    "ws1 128x128x64 s4 w2x1 c1x1 o1 i1 e0 h",      "ws 128x128x64 s4 w2x1 c1x1 o1 i1 e2 n3",
    "ws 128x256x64 s4 w2x1 c2x1 o1 i1 e2 m2",      "ws 64x128x64 s4 w1x1 c1x1 o1 i1 e1d m2",
    "ws 128x256x32 s4 w2x1 c2x1 o1 i1 e2d m2k",    "ws 192x192x32 s4 w3x1 c1x2 o1 i1 e2d h",
    "pp 64x64x64 s4 w1x1 c1x1 o1 i1 e1 m2",        "pp 64x64x64 s5 w1x1 c1x2 o1 i1 e1 n2k",
    "sp 64x128x32 s4 w1x1 c1x1 o1 i1 e2 m2 k3t",   "sp 128x64x32 s4 w2x1 c1x1 o1 i1 e1 n3 k2a",
    "sp 128x256x32 s4 w2x1 c2x1 o1 i1 e2 m8 k2s",  "sk 64x64x32 s4 w1x1 c2x1 o1 i1 e1 h k1+t",
    "sk 128x128x32 s4 w1x2 c1x1 o1 i1 e2 m2 k2+a", "sph 64x64x32 s4 w1x1 c1x1 o1 i1 e1 m4 k2a",
    "skh 64x64x32 s4 w1x1 c1x1 o1 i1 e1 m4 k1+t",
};

// Only for layout tn: warpgroups with an odd multiple of eight columns, and swapped operands.
constexpr const char* kOfTn[] = {
    "pi 128x168x64 s4 w2x1 c1x1 o1 i1 e0 m8",      "pe 64x136x64 s3 w1x1 c1x1 o1 i0 e1 m2",
    "po 64x120x64 s4 w1x1 c1x1 o1 i1 e0 m4",       "ws 128x168x64 s4 w2x1 c1x2 o1 i1 e2d n2",
    "ws1 64x304x64 s3 w1x2 c2x1 o1 i1 e1 m8",      "pp 128x184x64 s4 w1x1 c1x1 o1 i1 e2 m2",
    "sp 64x104x64 s4 w1x1 c1x1 o1 i1 e2 m2 k2t",   "sp 128x136x64 s4 w2x1 c1x1 o1 i1 e1 n3 k2s",
    "pi 128x128x32 s4 w2x1 c1x1 o1 i0 e2 m4 x",    "pe 128x40x64 s4 w1x1 c1x1 o1 i1 e2 n1k x",
    "po 128x72x64 s4 w2x1 c1x2 o1 i1 e1 hk x",     "ws1 64x192x64 s4 w1x2 c2x1 o1 i1 e0 m8 x",
    "pp 128x80x64 s4 w1x1 c1x1 o1 i1 e1 m2 x",     "sp 128x96x64 s4 w2x1 c1x1 o1 i1 e2 m2 k2t x",
    "sp 128x72x64 s4 w2x1 c1x1 o1 i1 e1 n3 k2s x", "sk 128x144x64 s4 w2x1 c1x1 o1 i1 e2 m4 k1+a x",
};

// mma.sync: tiles, numbers of stages, splits of a tile among warpgroups, reductions of partial
// sums. Tiles with a multiple of 64 columns per warpgroup take every layout.
constexpr const char* kOfMmaSync[] = {
    "ms 64x64x32 s2 w1x1 c1x1 o3 i0 e0 m2",       "ms 128x64x64 s3 w2x1 c1x1 o1 i0 e0 m8",
    "ms 128x128x32 s8 w1x2 c1x1 o1 i0 e0 h",      "ms 256x64x64 s4 w2x1 c1x1 o1 i0 e0 n3",
    "mssk 64x64x32 s4 w1x1 c1x1 o2 i0 e0 m8 k3t", "mssk 128x128x64 s3 w1x2 c1x1 o1 i0 e0 m4 k2s",
    "mssk 256x64x32 s3 w2x1 c1x1 o1 i0 e0 n4 k2t"};
constexpr const char* kOfMmaSyncTn[] = {
    "ms 64x32x32 s8 w1x1 c1x1 o1 i0 e0 m8",       "ms 128x96x64 s3 w2x1 c1x1 o1 i0 e0 n1",
    "ms 64x48x64 s2 w1x1 c1x1 o2 i0 e0 m8",       "ms 64x192x32 s5 w1x2 c1x1 o1 i0 e0 m8",
    "mssk 64x32x64 s3 w1x2 c1x1 o2 i0 e0 n8 k4s", "mssk 64x96x32 s6 w1x1 c1x1 o1 i0 e0 h k2t"};

void compile_all(std::span<const char* const> texts, std::span<const Layout> layouts) {
  std::vector<KernelSource> sources;
  for (const char* text : texts) {
    for (const Layout layout : layouts) {
      sources.push_back(
          gemm_source(gemm_config(text), {ElementType::kFp16, layout}, SumScale::kAlphaBeta));
    }
  }
  compile_ahead(sources, cache());
}

}  // namespace

TEST_CASE("Whole numbers up to 2048 are encoded as fp16") {
  CHECK(fp16_bits(0) == 0x0000);
  CHECK(fp16_bits(1) == 0x3c00);
  CHECK(fp16_bits(-2) == 0xc000);
  CHECK(fp16_bits(3) == 0x4200);
  CHECK(fp16_bits(2048) == 0x6800);
}

TEST_CASE("alpha and beta are applied, with bulk and with plain stores", "[gpu]") {
  gpu_or_skip();
  compile_all(kConfigs, kEveryLayout);
  for (const char* text : kConfigs) {
    // Sums of 72 products of -2 to 2 are at most 288, and 2 * 288 + 3 * 2 is exact in fp16.
    for (const i64 n : {264, 260, 131}) {
      check_runs(text, {{300, n, 72}, ElementType::kFp16, Layout::kTn}, {2, -3});
    }
    check_runs(text, {{300, 264, 72}, ElementType::kFp16, Layout::kNn}, {1, 1});
    check_runs(text, {{296, 264, 77}, ElementType::kFp16, Layout::kNt}, {2, 1});
    check_runs(text, {{136, 131, 72}, ElementType::kFp16, Layout::kTt}, {2, -3});
    check_runs(text, {{130, 131, 72}, ElementType::kFp16, Layout::kTn}, {-1, 0});
    check_runs(text, {{9, 136, 72}, ElementType::kFp16, Layout::kTn}, {0, 1});
  }
  compile_all(kOfTn, std::array{Layout::kTn});
  for (const char* text : kOfTn) {
    // Values of N that end in whole tiles, inside the last chunk, and inside eight columns.
    const KernelConfig config = gemm_config(text);
    const i64 columns = config.tiling.block_n;
    std::vector<GemmShape> shapes{{300, columns * 3, 72},
                                  {columns, 264, 72},
                                  {columns * 2 - 8, 264, 72},
                                  {1, columns + 8, 72}};
    if (config.operands != OperandOrder::kSwapped) {
      shapes.insert(shapes.end(), {{161, 131, 72}, {300, 260, 72}});
    }
    for (const GemmShape& shape : shapes) {
      check_runs(text, {shape, ElementType::kFp16, Layout::kTn}, {2, -3});
    }
  }
}

// tests/gates/sanitizers.sh runs this test under compute-sanitizer, so its problems are small.
TEST_CASE("mma.sync kernels multiply odd shapes in every layout, with K split and scaled",
          "[gpu]") {
  gpu_or_skip();
  const auto check_tn = [](const char* text) {
    // Sums of 392 products are at most 1568. The last K block holds 8 elements.
    check_runs(text, {{131, 117, 392}, ElementType::kFp16, Layout::kTn});
    check_runs(text, {{1, 200, 264}, ElementType::kFp16, Layout::kTn});
    check_runs(text, {{300, 9, 200}, ElementType::kFp16, Layout::kTn}, {2, -1});
  };
  compile_all(kOfMmaSync, kEveryLayout);
  for (const char* text : kOfMmaSync) {
    check_tn(text);
    check_runs(text, {{77, 136, 328}, ElementType::kFp16, Layout::kNn});
    check_runs(text, {{136, 72, 197}, ElementType::kFp16, Layout::kNt}, {1, 1});
    check_runs(text, {{264, 131, 392}, ElementType::kFp16, Layout::kTt});
  }
  compile_all(kOfMmaSyncTn, std::array{Layout::kTn});
  for (const char* text : kOfMmaSyncTn) {
    check_tn(text);
  }
}

}  // namespace tilecast
