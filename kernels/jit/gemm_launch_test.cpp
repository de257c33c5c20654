// Runs real kernels on the device. Inputs are integers from -2 to 2, so that every product is exact
// in fp16 and must match bit by bit, for any order of summation.
#include "kernels/jit/gemm_launch.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "kernels/jit/compile_ahead.h"
#include "kernels/jit/cuda_error.h"
#include "kernels/jit/gemm_kernel.h"
#include "kernels/registry.h"
#include "model/gemm/config/kernel_config_text.h"
#include "tests/catch.h"
#include "tests/gpu.h"
#include "tests/hang_guard.h"
#include "tests/temporary_folder.h"
#include "tests/whole_numbers.h"

namespace tilecast {
namespace {

/// alpha A B + beta C; an empty `old` means zeros.
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

/// The tiles or pieces that CTA `cta` must process, in order, in CTA tiles.
std::vector<WalkedPiece> walk(const GemmLaunch& launch, u32 cta) {
  const TileScheduler& scheduler = launch.scheduler();
  const WorkDecomposition& work = launch.work();
  const Tiling& t = launch.config().tiling;
  const u32 size = static_cast<u32>(cluster_size(t));
  const u32 cluster_m = static_cast<u32>(t.cluster_m);
  const u32 cluster_n = static_cast<u32>(t.cluster_n);
  const u32 worker = cta / size;
  const u32 rank = cta % size;
  std::vector<WalkedPiece> pieces;
  const auto add = [&](u32 linear, i32 k_begin, i32 k_end) {
    const TileCoord tile = scheduler.coord(linear);
    pieces.push_back({tile.m * cluster_m + rank % cluster_m, tile.n * cluster_n + rank / cluster_m,
                      k_begin, k_end});
  };
  if (splits_k(launch.config().schedule)) {
    for (WorkPiece p = work.first(worker); work.valid(p); p = work.next(worker, p)) {
      add(p.tile, p.k_begin, p.k_end);
    }
  } else {
    for (u32 i = scheduler.first(worker); i < scheduler.end(worker); i = scheduler.next(i)) {
      add(i, 0, work.k_blocks);
    }
  }
  return pieces;
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
  const KernelConfig config = parse_kernel_config(text);
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
  // If beta is 0 C must not be read: infinity would show.
  c_device.fill(old.empty() ? std::vector<unsigned short>(c_count, kUnwritten) : as_fp16(old));

  const u32 stride = launch.max_tiles_per_cta();
  const std::size_t trace_count = std::size_t{launch.shape().ctas} * stride;
  DeviceArray trace_device(trace_count * sizeof(WalkedPiece));
  GemmArgs args = launch.bind({a_device.get(), b_device.get(), c_device.get()}, scaling);
  args.trace = static_cast<WalkedPiece*>(trace_device.get());
  args.trace_stride = stride;
  launch.launch(args, nullptr);
  TILECAST_CUDA(cudaDeviceSynchronize());

  CHECK((without_signed_zeros(c_device.read<unsigned short>(c_count)) ==
         product(problem, a, b, scaling, old)));
  const auto trace = trace_device.read<WalkedPiece>(trace_count);
  for (u32 cta = 0; cta < launch.shape().ctas; ++cta) {
    const std::vector<WalkedPiece> expected = walk(launch, cta);
    const auto begin = trace.begin() + static_cast<std::ptrdiff_t>(cta * stride);
    CHECK(std::equal(expected.begin(), expected.end(), begin));
  }
}

// For every schedule that has more than one tile, and every way to stage C.
constexpr const char* kConfigs[] = {
    "blocked:tile=128x128x128,warpgroups=1x1,ctas=2,c_slots=0,raster=grouped_m,group=2",
    "blocked_pipelined:tile=128x64x64,warpgroups=2x1,ctas=2,c_slots=0,raster=grouped_n,group=2",
    "pipelined:tile=128x128x64,stages=3,warpgroups=2x1,ctas=1,inflight=1,c_slots=2,"
    "raster=grouped_m,group=4",
    "persistent:tile=128x64x64,stages=4,warpgroups=1x1,ctas=1,inflight=0,c_slots=2,"
    "raster=grouped_n,group=1,walk=chunked",
    "persistent_overlap:tile=64x128x64,stages=3,warpgroups=1x1,cluster=1x1,ctas=1,inflight=1,"
    "c_slots=0,raster=grouped_m,group=4,walk=strided",
    "persistent_overlap:tile=64x64x64,stages=4,warpgroups=1x1,cluster=2x1,ctas=1,inflight=1,"
    "c_slots=1,raster=hilbert,group=1,walk=chunked",
    "warp_specialized:tile=128x128x64,stages=4,warpgroups=2x1,cluster=1x1,ctas=1,inflight=1,"
    "c_slots=0,producer=40,grid=tiles,raster=hilbert,group=1,walk=strided",
    "warp_specialized:tile=128x128x64,stages=4,warpgroups=2x1,cluster=1x1,ctas=1,inflight=1,"
    "c_slots=2,producer=40,grid=resident,raster=grouped_n,group=3,walk=strided",
    "warp_specialized:tile=128x256x64,stages=4,warpgroups=2x1,cluster=2x1,ctas=1,inflight=1,"
    "c_slots=2,producer=40,grid=resident,raster=grouped_m,group=2,walk=strided",
    "warp_specialized:tile=64x128x64,stages=4,warpgroups=1x1,cluster=1x1,ctas=1,inflight=1,"
    "c_slots=1,producer=40,grid=resident,raster=grouped_m,group=2,walk=strided,store=deferred",
    "warp_specialized:tile=128x256x32,stages=4,warpgroups=2x1,cluster=2x1,ctas=1,inflight=1,"
    "c_slots=2,producer=40,grid=resident,raster=grouped_m,group=2,walk=chunked,store=deferred",
    "warp_specialized:tile=192x192x32,stages=4,warpgroups=3x1,cluster=1x2,ctas=1,inflight=1,"
    "c_slots=2,producer=32,grid=resident,raster=hilbert,group=1,walk=strided,store=deferred",
    "ping_pong:tile=64x64x64,stages=4,cluster=1x1,ctas=1,inflight=1,c_slots=1,producer=40,"
    "raster=grouped_m,group=2,walk=strided",
    "ping_pong:tile=64x64x64,stages=5,cluster=1x2,ctas=1,inflight=1,c_slots=1,producer=40,"
    "raster=grouped_n,group=2,walk=chunked",
    "split_k:tile=64x128x32,stages=4,warpgroups=1x1,cluster=1x1,ctas=1,inflight=1,c_slots=2,"
    "producer=40,splits=3,reduction=turnstile,raster=grouped_m,group=2",
    "split_k:tile=128x64x32,stages=4,warpgroups=2x1,cluster=1x1,ctas=1,inflight=1,c_slots=1,"
    "producer=40,splits=2,reduction=atomic,raster=grouped_n,group=3",
    "split_k:tile=128x256x32,stages=4,warpgroups=2x1,cluster=2x1,ctas=1,inflight=1,c_slots=2,"
    "producer=40,splits=2,reduction=spread,raster=grouped_m,group=8",
    "stream_k:tile=64x64x32,stages=4,warpgroups=1x1,cluster=2x1,ctas=1,inflight=1,c_slots=1,"
    "producer=40,min_k_blocks=1,reduction=turnstile,raster=hilbert,group=1",
    "stream_k:tile=128x128x32,stages=4,warpgroups=1x2,cluster=1x1,ctas=1,inflight=1,c_slots=2,"
    "producer=40,min_k_blocks=2,reduction=atomic,raster=grouped_m,group=2",
    "split_k_hybrid:tile=64x64x32,stages=4,warpgroups=1x1,cluster=1x1,ctas=1,inflight=1,c_slots=1,"
    "producer=40,splits=2,reduction=atomic,raster=grouped_m,group=4",
    "stream_k_hybrid:tile=64x64x32,stages=4,warpgroups=1x1,cluster=1x1,ctas=1,inflight=1,c_slots=1,"
    "producer=40,min_k_blocks=1,reduction=turnstile,raster=grouped_m,group=4",
};

// Warpgroups with an odd multiple of eight columns: every schedule with a ring, one chunk of C and
// more, and every store of C.
constexpr const char* kOddEights[] = {
    "pipelined:tile=64x40x64,stages=3,warpgroups=1x1,ctas=1,inflight=1,c_slots=1,"
    "raster=grouped_m,group=4",
    "pipelined:tile=128x168x64,stages=4,warpgroups=2x1,ctas=1,inflight=1,c_slots=0,"
    "raster=grouped_m,group=8",
    "persistent:tile=64x72x128,stages=2,warpgroups=1x1,ctas=2,inflight=1,c_slots=2,"
    "raster=grouped_n,group=1,walk=chunked",
    "persistent:tile=64x136x64,stages=3,warpgroups=1x1,ctas=1,inflight=0,c_slots=1,"
    "raster=grouped_m,group=2,walk=strided",
    "persistent_overlap:tile=64x120x64,stages=4,warpgroups=1x1,cluster=1x1,ctas=1,inflight=1,"
    "c_slots=0,raster=grouped_m,group=4,walk=strided",
    "persistent_overlap:tile=128x232x64,stages=3,warpgroups=2x1,cluster=1x2,ctas=1,inflight=1,"
    "c_slots=2,raster=hilbert,group=1,walk=chunked",
    "warp_specialized:tile=128x168x64,stages=4,warpgroups=2x1,cluster=1x1,ctas=1,inflight=1,"
    "c_slots=3,producer=40,grid=resident,raster=grouped_m,group=8,walk=strided",
    "warp_specialized:tile=128x168x64,stages=4,warpgroups=2x1,cluster=1x2,ctas=1,inflight=1,"
    "c_slots=2,producer=40,grid=resident,raster=grouped_n,group=2,walk=strided,store=deferred",
    "warp_specialized:tile=64x304x64,stages=3,warpgroups=1x2,cluster=2x1,ctas=1,inflight=1,"
    "c_slots=1,producer=40,grid=tiles,raster=grouped_m,group=8,walk=strided",
    "warp_specialized:tile=192x200x64,stages=3,warpgroups=3x1,cluster=1x1,ctas=1,inflight=1,"
    "c_slots=1,producer=32,grid=resident,raster=grouped_m,group=8,walk=strided",
    "warp_specialized:tile=256x152x64,stages=3,warpgroups=2x1,cluster=1x1,ctas=1,inflight=1,"
    "c_slots=2,producer=40,grid=resident,raster=grouped_m,group=8,walk=strided",
    "ping_pong:tile=128x184x64,stages=4,cluster=1x1,ctas=1,inflight=1,c_slots=2,producer=40,"
    "raster=grouped_m,group=2,walk=strided",
    "ping_pong:tile=64x24x64,stages=5,cluster=1x2,ctas=1,inflight=1,c_slots=1,producer=40,"
    "raster=grouped_n,group=2,walk=chunked",
    "split_k:tile=64x104x64,stages=4,warpgroups=1x1,cluster=1x1,ctas=1,inflight=1,c_slots=2,"
    "producer=40,splits=2,reduction=turnstile,raster=grouped_m,group=2",
    "split_k:tile=128x136x64,stages=4,warpgroups=2x1,cluster=1x1,ctas=1,inflight=1,c_slots=1,"
    "producer=40,splits=2,reduction=spread,raster=grouped_n,group=3",
};

// Swapped operands: every schedule that supports them, with columns in whole swizzle rows, in part
// of one and in odd multiples of eight, and every store of C.
constexpr const char* kSwapped[] = {
    "pipelined:tile=64x16x128,stages=3,warpgroups=1x1,ctas=2,inflight=1,c_slots=0,"
    "raster=grouped_m,group=4,operands=swapped",
    "pipelined:tile=128x128x32,stages=4,warpgroups=2x1,ctas=1,inflight=0,c_slots=2,"
    "raster=grouped_m,group=4,operands=swapped",
    "persistent:tile=128x40x64,stages=4,warpgroups=1x1,ctas=1,inflight=1,c_slots=2,"
    "raster=grouped_n,group=1,walk=chunked,operands=swapped",
    "persistent_overlap:tile=64x160x64,stages=4,warpgroups=1x1,cluster=1x1,ctas=1,inflight=1,"
    "c_slots=0,raster=grouped_m,group=4,walk=strided,operands=swapped",
    "persistent_overlap:tile=128x72x64,stages=4,warpgroups=2x1,cluster=1x2,ctas=1,inflight=1,"
    "c_slots=1,raster=hilbert,group=1,walk=chunked,operands=swapped",
    "warp_specialized:tile=128x160x64,stages=4,warpgroups=2x1,cluster=1x1,ctas=1,inflight=1,"
    "c_slots=2,producer=40,grid=resident,raster=grouped_m,group=8,walk=strided,operands=swapped",
    "warp_specialized:tile=128x200x64,stages=4,warpgroups=2x1,cluster=1x2,ctas=1,inflight=1,"
    "c_slots=3,producer=40,grid=resident,raster=grouped_n,group=2,walk=strided,operands=swapped",
    "warp_specialized:tile=64x192x64,stages=4,warpgroups=1x2,cluster=2x1,ctas=1,inflight=1,"
    "c_slots=0,producer=40,grid=tiles,raster=grouped_m,group=8,walk=strided,operands=swapped",
    "ping_pong:tile=128x80x64,stages=4,cluster=1x1,ctas=1,inflight=1,c_slots=1,producer=40,"
    "raster=grouped_m,group=2,walk=strided,operands=swapped",
    "ping_pong:tile=64x24x64,stages=5,cluster=1x2,ctas=1,inflight=1,c_slots=1,producer=40,"
    "raster=grouped_n,group=2,walk=chunked,operands=swapped",
    "split_k:tile=128x96x64,stages=4,warpgroups=2x1,cluster=1x1,ctas=1,inflight=1,c_slots=2,"
    "producer=40,splits=2,reduction=turnstile,raster=grouped_m,group=2,operands=swapped",
    "split_k:tile=128x72x64,stages=4,warpgroups=2x1,cluster=1x1,ctas=1,inflight=1,c_slots=1,"
    "producer=40,splits=2,reduction=spread,raster=grouped_n,group=3,operands=swapped",
    "stream_k:tile=128x144x64,stages=4,warpgroups=2x1,cluster=1x1,ctas=1,inflight=1,c_slots=2,"
    "producer=40,min_k_blocks=1,reduction=atomic,raster=grouped_m,group=4,operands=swapped",
};

void compile_tn(std::span<const char* const> texts, SumScale scale) {
  std::vector<KernelSource> sources;
  for (const char* text : texts) {
    sources.push_back(
        gemm_source(parse_kernel_config(text), {ElementType::kFp16, Layout::kTn}, scale));
  }
  compile_ahead(sources, cache());
}

void compile_all_configs(SumScale scale) {
  std::vector<KernelSource> sources;
  for (const char* text : kConfigs) {
    for (const Layout layout : kEveryLayout) {
      sources.push_back(
          gemm_source(parse_kernel_config(text), {ElementType::kFp16, layout}, scale));
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

TEST_CASE("Every schedule computes the product and walks the scheduler's tiles", "[gpu]") {
  gpu_or_skip();
  compile_all_configs(SumScale::kNone);
  for (const char* text : kConfigs) {
    // Tiles at every edge are partial, and K ends inside a block; N = 1032 allows bulk stores, 260
    // and 131 do not.
    check_runs(text, {{700, 1032, 200}, ElementType::kFp16, Layout::kTn});
    check_runs(text, {{700, 1032, 200}, ElementType::kFp16, Layout::kNn});
    check_runs(text, {{300, 260, 72}, ElementType::kFp16, Layout::kTn});
    check_runs(text, {{130, 131, 72}, ElementType::kFp16, Layout::kTn});
    // In layout nt rows run along M and N, so any K is allowed.
    check_runs(text, {{704, 1032, 200}, ElementType::kFp16, Layout::kNt});
    check_runs(text, {{304, 264, 77}, ElementType::kFp16, Layout::kNt});
    check_runs(text, {{704, 1032, 200}, ElementType::kFp16, Layout::kTt});
    check_runs(text, {{136, 131, 72}, ElementType::kFp16, Layout::kTt});
  }
  const char* const small = "small_mma:tile=64x64x128,warpgroups=1x1,a=registers,instruction_n=32";
  check_runs(small, {{60, 56, 120}, ElementType::kFp16, Layout::kTn});
  check_runs(small, {{60, 56, 120}, ElementType::kFp16, Layout::kNn});
  check_runs(small, {{60, 53, 120}, ElementType::kFp16, Layout::kTn});
  const char* const shared = "small_mma:tile=64x64x128,warpgroups=1x1,a=shared,instruction_n=32";
  check_runs(shared, {{56, 56, 117}, ElementType::kFp16, Layout::kNt});
  check_runs(shared, {{56, 53, 120}, ElementType::kFp16, Layout::kTt});
}

TEST_CASE("With few rows, tiles load only existing ones, in the last row of tiles too", "[gpu]") {
  gpu_or_skip();
  compile_all_configs(SumScale::kNone);
  const char* const slices =
      "warp_specialized:tile=64x64x64,stages=4,warpgroups=1x1,cluster=1x4,ctas=1,inflight=1,"
      "c_slots=1,producer=40,grid=resident,raster=grouped_m,group=8,walk=strided";
  const char* const eight =
      "ping_pong:tile=64x64x64,stages=4,cluster=1x8,ctas=1,inflight=1,c_slots=1,producer=40,"
      "raster=grouped_m,group=8,walk=strided";
  std::vector<const char*> texts(std::begin(kConfigs), std::end(kConfigs));
  texts.insert(texts.end(), {slices, eight});
  for (const char* text : texts) {
    // One row; a multiple of eight, and one with remainder; one row after a whole tile of 64.
    for (const i64 m : {1, 9, 16, 64, 65}) {
      check_runs(text, {{m, 520, 200}, ElementType::kFp16, Layout::kTn});
    }
    check_runs(text, {{24, 264, 328}, ElementType::kFp16, Layout::kNn});
    // Whole slabs of M-major A.
    for (const i64 m : {8, 64, 72}) {
      check_runs(text, {{m, 264, 328}, ElementType::kFp16, Layout::kNt});
    }
  }
}

TEST_CASE("alpha and beta are applied, with bulk and with plain stores", "[gpu]") {
  gpu_or_skip();
  compile_all_configs(SumScale::kAlphaBeta);
  for (const char* text : kConfigs) {
    // Sums of 72 products of -2 to 2 are at most 288, and 2 * 288 + 3 * 2 is exact in fp16.
    for (const i64 n : {264, 260, 131}) {
      check_runs(text, {{300, n, 72}, ElementType::kFp16, Layout::kTn}, {2, -3});
    }
    check_runs(text, {{300, 264, 72}, ElementType::kFp16, Layout::kNn}, {1, 1});
    check_runs(text, {{296, 264, 72}, ElementType::kFp16, Layout::kNt}, {2, 1});
    check_runs(text, {{130, 131, 72}, ElementType::kFp16, Layout::kTn}, {-1, 0});
    check_runs(text, {{130, 136, 72}, ElementType::kFp16, Layout::kTn}, {0, 1});
  }
}

TEST_CASE("An odd multiple of eight columns works with bulk and with plain stores", "[gpu]") {
  gpu_or_skip();
  compile_tn(kOddEights, SumScale::kNone);
  for (const char* text : kOddEights) {
    // N that is a multiple of the tile, ends inside the last chunk, before it, and inside eight
    // columns.
    const i64 columns = parse_kernel_config(text).tiling.block_n;
    for (const i64 n :
         {columns * 3, columns * 3 - 8, columns + 8, i64{8}, i64{1032}, i64{260}, i64{131}}) {
      check_runs(text, {{700, n, 200}, ElementType::kFp16, Layout::kTn});
    }
    check_runs(text, {{9, columns * 2, 200}, ElementType::kFp16, Layout::kTn});
  }
}

TEST_CASE("alpha and beta are applied to an odd multiple of eight columns", "[gpu]") {
  gpu_or_skip();
  compile_tn(kOddEights, SumScale::kAlphaBeta);
  for (const char* text : kOddEights) {
    for (const i64 n : {264, 260, 131}) {
      check_runs(text, {{300, n, 72}, ElementType::kFp16, Layout::kTn}, {2, -3});
    }
  }
}

TEST_CASE("Swapped operands give C and not its transpose", "[gpu]") {
  gpu_or_skip();
  compile_tn(kSwapped, SumScale::kNone);
  for (const char* text : kSwapped) {
    // M that is a multiple of the tile's columns, ends inside the last chunk, before it, inside
    // eight, and is one; N with partial tiles and K with a partial block.
    const i64 columns = parse_kernel_config(text).tiling.block_n;
    for (const i64 m : {columns, columns * 2 - 8, columns + 3, i64{1}, i64{300}}) {
      check_runs(text, {{m, 1032, 200}, ElementType::kFp16, Layout::kTn});
    }
    check_runs(text, {{columns - 5, 72, 328}, ElementType::kFp16, Layout::kTn});
  }
}

TEST_CASE("alpha and beta are applied with swapped operands", "[gpu]") {
  gpu_or_skip();
  compile_tn(kSwapped, SumScale::kAlphaBeta);
  for (const char* text : kSwapped) {
    for (const i64 m : {96, 161}) {
      check_runs(text, {{m, 520, 72}, ElementType::kFp16, Layout::kTn}, {2, -3});
    }
  }
}

TEST_CASE("A worker with twenty tiles updates the right part of C each time", "[gpu]") {
  gpu_or_skip();
  const char* const text =
      "ping_pong:tile=64x64x64,stages=4,cluster=1x1,ctas=1,inflight=1,c_slots=1,producer=40,"
      "raster=grouped_m,group=2,walk=strided";
  check_runs(text, {{3300, 3272, 8}, ElementType::kFp16, Layout::kTn}, {2, 1});
}

TEST_CASE("One launch is bound to other buffers and repeated", "[gpu]") {
  gpu_or_skip();
  const KernelConfig config = parse_kernel_config(
      "warp_specialized:tile=128x256x64,stages=4,warpgroups=2x1,cluster=2x1,ctas=1,inflight=1,"
      "c_slots=2,producer=40,grid=resident,raster=grouped_m,group=8,walk=strided");
  const GemmProblem problem{{256, 256, 64}, ElementType::kFp16, Layout::kTn};
  LoadedKernel kernel = load(config, problem);
  const GemmLaunch launch(kernel, problem, config);
  for (const std::size_t salt : {3, 4}) {
    const std::vector<int> a = make_values(256 * 64, salt);
    const std::vector<int> b = make_values(256 * 64, salt + 10);
    DeviceArray a_device(a.size() * 2), b_device(b.size() * 2), c_device(256 * 256 * 2);
    a_device.fill(as_fp16(a));
    b_device.fill(as_fp16(b));
    c_device.fill(std::vector<unsigned short>(256 * 256, kUnwritten));
    const GemmArgs args = launch.bind({a_device.get(), b_device.get(), c_device.get()});
    for (int i = 0; i < 3; ++i) {
      launch.launch(args, nullptr);
    }
    CHECK((c_device.read<unsigned short>(256 * 256) == product(problem, a, b)));
  }
}

}  // namespace tilecast
