#include "model/predict/roofline.h"

#include <algorithm>

#include "model/base/math.h"
#include "model/tile/fp8_pairs.h"

namespace tilecast {

namespace {

std::optional<Seconds> gemm_roofline(const GpuSpec& gpu, const GemmProblem& problem,
                                     const Tiling& tiling) {
  if ((!gpu.wgmma && !gpu.tcgen05) || !gpu.clock || !gpu.dram) {
    return std::nullopt;
  }
  const GemmShape shape = in_pairs(problem).shape;
  const i64 tiles = problem.batch.products * ceil_div<i64>(shape.m, tiling.block_m) *
                    ceil_div<i64>(shape.n, tiling.block_n);
  const i64 waves = ceil_div<i64>(tiles, gpu.sm.count);
  const Flops tile_work{gemm_flops(GemmShape{tiling.block_m, tiling.block_n, shape.k})};
  const Cycles tensor = compute_cycles(tile_work, tensor_rate(gpu)) * static_cast<double>(waves);
  const Bytes moved{gemm_bytes(problem)};
  return std::max(time_of(tensor, gpu.clock->max), transfer_time(moved, gpu.dram->bandwidth));
}

}  // namespace

std::optional<Seconds> roofline_time(const GpuSpec& gpu, const AnyProblem& problem,
                                     const AnyConfig& config) {
  if (const GemmProblem* gemm = std::get_if<GemmProblem>(&problem)) {
    return gemm_roofline(gpu, *gemm, std::get<KernelConfig>(config).tiling);
  }
  const Bytes moved{stream_bytes(std::get<StreamProblem>(problem))};
  return gpu.dram ? std::optional(transfer_time(moved, gpu.dram->bandwidth)) : std::nullopt;
}

}  // namespace tilecast
