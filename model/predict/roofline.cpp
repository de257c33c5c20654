#include "model/predict/roofline.h"

#include <algorithm>

#include "model/base/math.h"

namespace tilecast {
namespace {

/// Time of whole waves of tiles at the tensor cores' rate.
std::optional<Seconds> compute_time(const GpuSpec& gpu, const GemmProblem& problem,
                                    const KernelConfig& config) {
  if (!has_tensor_cores(gpu) || !gpu.clock) {
    return std::nullopt;
  }
  const Tiling& t = config.tiling;
  const GemmShape& shape = problem.shape;
  const i64 tiles = matrices_of_c(problem) * ceil_div<i64>(shape.m, t.block_m) *
                    ceil_div<i64>(shape.n, t.block_n);
  const i64 waves = ceil_div<i64>(tiles, gpu.sm.count);
  const double k = mean_k(problem) * element_bytes(problem.dtype) / 2;
  const Flops tile_work{2.0 * t.block_m * t.block_n * k};
  const Cycles tensor = compute_cycles(tile_work, tensor_rate(gpu)) * static_cast<double>(waves);
  return time_of(tensor, gpu.clock->max);
}

/// Time of the problem's FLOPs, without waves; std::nullopt for an op without tensor cores.
std::optional<Seconds> compute_time(const GpuSpec& gpu, const AnyProblem& problem) {
  const Flops flops{flops_of(problem)};
  if (flops.value == 0) {
    return Seconds{0};
  }
  if (!has_tensor_cores(gpu) || !gpu.clock) {
    return std::nullopt;
  }
  return time_of(compute_cycles(flops, tensor_rate(gpu) * gpu.sm.count), gpu.clock->max);
}

template <class Problem, class Config>
std::optional<Seconds> compute_time(const GpuSpec& gpu, const Problem& problem, const Config&) {
  return compute_time(gpu, AnyProblem(problem));
}

std::optional<Seconds> with_transfer(const GpuSpec& gpu, const AnyProblem& problem,
                                     std::optional<Seconds> compute) {
  if (!compute || !gpu.dram) {
    return std::nullopt;
  }
  return std::max(*compute, transfer_time(Bytes{least_bytes(problem)}, gpu.dram->bandwidth));
}

}  // namespace

std::optional<Seconds> roofline_time(const GpuSpec& gpu, const AnyProblem& problem) {
  return with_transfer(gpu, problem, compute_time(gpu, problem));
}

std::optional<Seconds> roofline_time(const GpuSpec& gpu, const AnyProblem& problem,
                                     const AnyConfig& config) {
  return with_transfer(gpu, problem,
                       visit_op(problem, config, [&](const auto& own, const auto& kernel) {
                         return compute_time(gpu, own, kernel);
                       }));
}

}  // namespace tilecast
