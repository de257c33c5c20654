// Runs real kernels on the device. Inputs are whole numbers from -2 to 2, so that every product is
// exact in fp16 and must match to the bit, whatever the order of the sums.
#include "kernels/jit/gemm_launch.h"

#include <cmath>
#include <cstdlib>
#include <vector>

#include "kernels/jit/cuda_error.h"
#include "kernels/jit/gemm_kernel.h"
#include "kernels/registry.h"
#include "model/tile/kernel_config_text.h"
#include "tests/catch.h"
#include "tests/gpu.h"

namespace tilecast {
namespace {

constexpr unsigned short kUnwritten = 0x7c00;  // infinity, which no product here is

/// Freed at the end; as many bytes as asked for.
class DeviceBytes {
 public:
  explicit DeviceBytes(std::size_t bytes) { TILECAST_CUDA(cudaMalloc(&pointer_, bytes)); }
  ~DeviceBytes() { (void)cudaFree(pointer_); }
  DeviceBytes(const DeviceBytes&) = delete;
  DeviceBytes& operator=(const DeviceBytes&) = delete;

  template <class T>
  void fill(const std::vector<T>& from) {
    TILECAST_CUDA(cudaMemcpy(pointer_, from.data(), from.size() * sizeof(T), cudaMemcpyDefault));
  }
  template <class T>
  std::vector<T> read(std::size_t count) const {
    std::vector<T> to(count);
    TILECAST_CUDA(cudaMemcpy(to.data(), pointer_, count * sizeof(T), cudaMemcpyDefault));
    return to;
  }
  void* get() const { return pointer_; }

 private:
  void* pointer_ = nullptr;
};

/// A whole number of -2048 to 2048 as fp16.
unsigned short fp16_bits(int value) {
  if (value == 0) {
    return 0;
  }
  const int magnitude = std::abs(value);
  const int exponent = std::ilogb(magnitude);
  const int mantissa = (magnitude << 10 >> exponent) & 0x3ff;
  return static_cast<unsigned short>((value < 0 ? 0x8000 : 0) | (exponent + 15) << 10 | mantissa);
}

/// -2 to 2, by place.
int value_at(std::size_t index, std::size_t salt) {
  const std::size_t mixed = (index * 2654435761u + salt * 40503u) % 4294967291u;
  return static_cast<int>(mixed / 65536 % 5) - 2;
}

std::vector<int> make_values(i64 count, std::size_t salt) {
  std::vector<int> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = value_at(i, salt);
  }
  return values;
}

std::vector<unsigned short> as_fp16(const std::vector<int>& values) {
  std::vector<unsigned short> bits;
  for (const int value : values) {
    bits.push_back(fp16_bits(value));
  }
  return bits;
}

std::vector<unsigned short> product(const GemmProblem& problem, const std::vector<int>& a,
                                    const std::vector<int>& b) {
  const auto m = static_cast<std::size_t>(problem.shape.m);
  const auto n = static_cast<std::size_t>(problem.shape.n);
  const auto k = static_cast<std::size_t>(problem.shape.k);
  std::vector<unsigned short> c;
  for (std::size_t row = 0; row < m; ++row) {
    for (std::size_t column = 0; column < n; ++column) {
      int sum = 0;
      for (std::size_t i = 0; i < k; ++i) {
        const std::size_t at_b = problem.layout == Layout::kTn ? column * k + i : i * n + column;
        sum += a[row * k + i] * b[at_b];
      }
      c.push_back(fp16_bits(sum));
    }
  }
  return c;
}

/// The tiles that CTA `cta` must take, in order, counted in CTA tiles.
std::vector<TileCoord> walk(const TileScheduler& scheduler, const Tiling& t, u32 cta) {
  const u32 size = static_cast<u32>(cluster_size(t));
  const u32 cluster_m = static_cast<u32>(t.cluster_m);
  const u32 cluster_n = static_cast<u32>(t.cluster_n);
  const u32 worker = cta / size;
  const u32 rank = cta % size;
  std::vector<TileCoord> tiles;
  for (u32 i = scheduler.first(worker); i < scheduler.end(worker); i = scheduler.next(i)) {
    const TileCoord tile = scheduler.coord(i);
    tiles.push_back({tile.m * cluster_m + rank % cluster_m, tile.n * cluster_n + rank / cluster_m});
  }
  return tiles;
}

void check_runs(const char* text, const GemmProblem& problem) {
  const KernelConfig config = parse_kernel_config(text);
  INFO(text << " " << to_text(problem.shape) << " " << to_text(problem.layout));
  CubinCache none{std::filesystem::path()};
  const CompiledKernel compiled = compile_gemm(config, problem.dtype, problem.layout, none);
  REQUIRE(compiled.rejection == "");
  LoadedKernel kernel(compiled.cubin, kGemmEntry);
  const GemmLaunch launch(kernel, problem, config);
  CHECK(launch.resident_ctas_per_sm() >= config.ctas_per_sm);

  const auto [m, n, k] = problem.shape;
  const std::vector<int> a = make_values(m * k, 1);
  const std::vector<int> b = make_values(n * k, 2);
  const auto c_count = static_cast<std::size_t>(m * n);
  DeviceBytes a_device(a.size() * 2), b_device(b.size() * 2), c_device(c_count * 2);
  a_device.fill(as_fp16(a));
  b_device.fill(as_fp16(b));
  c_device.fill(std::vector<unsigned short>(c_count, kUnwritten));

  const u32 stride = launch.max_tiles_per_cta();
  const std::size_t trace_count = std::size_t{launch.shape().ctas} * stride;
  DeviceBytes trace_device(trace_count * sizeof(TileCoord));
  GemmArgs args = launch.bind({a_device.get(), b_device.get(), c_device.get()});
  args.trace = static_cast<TileCoord*>(trace_device.get());
  args.trace_stride = stride;
  launch.launch(args, nullptr);
  TILECAST_CUDA(cudaDeviceSynchronize());

  CHECK((c_device.read<unsigned short>(c_count) == product(problem, a, b)));
  const auto trace = trace_device.read<TileCoord>(trace_count);
  for (u32 cta = 0; cta < launch.shape().ctas; ++cta) {
    const std::vector<TileCoord> expected = walk(launch.scheduler(), config.tiling, cta);
    const auto begin = trace.begin() + static_cast<std::ptrdiff_t>(cta * stride);
    CHECK(std::equal(expected.begin(), expected.end(), begin));
  }
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
  for (const char* text : {
           "pipelined:tile=128x128x64,stages=3,warpgroups=2,cluster=1x1,ctas=1,inflight=1,"
           "raster=grouped_m,group=4",
           "persistent:tile=128x64x64,stages=4,warpgroups=1,cluster=1x1,ctas=1,inflight=0,"
           "raster=chunked,group=1",
           "warp_specialized:tile=128x128x64,stages=4,warpgroups=2,cluster=1x1,ctas=1,inflight=1,"
           "raster=grouped_n,group=3",
           "warp_specialized:tile=128x256x64,stages=4,warpgroups=2,cluster=2x1,ctas=1,inflight=1,"
           "raster=grouped_m,group=2",
       }) {
    // Tiles at every edge are partial, and K ends within a block; N of 1032 allows bulk stores,
    // 260 does not.
    check_runs(text, {{700, 1032, 200}, ElementType::kFp16, Layout::kTn});
    check_runs(text, {{700, 1032, 200}, ElementType::kFp16, Layout::kNn});
    check_runs(text, {{300, 260, 72}, ElementType::kFp16, Layout::kTn});
  }
}

TEST_CASE("One launch is bound to other buffers and repeated", "[gpu]") {
  gpu_or_skip();
  const KernelConfig config = parse_kernel_config(
      "warp_specialized:tile=128x256x64,stages=4,warpgroups=2,cluster=2x1,ctas=1,inflight=1,"
      "raster=grouped_m,group=8");
  const GemmProblem problem{{256, 256, 64}, ElementType::kFp16, Layout::kTn};
  CubinCache none{std::filesystem::path()};
  LoadedKernel kernel(compile_gemm(config, problem.dtype, problem.layout, none).cubin, kGemmEntry);
  const GemmLaunch launch(kernel, problem, config);
  for (const std::size_t salt : {3, 4}) {
    const std::vector<int> a = make_values(256 * 64, salt);
    const std::vector<int> b = make_values(256 * 64, salt + 10);
    DeviceBytes a_device(a.size() * 2), b_device(b.size() * 2), c_device(256 * 256 * 2);
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
