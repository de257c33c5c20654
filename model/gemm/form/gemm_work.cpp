#include "model/gemm/form/gemm_work.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "model/base/math.h"
#include "model/gemm/costs/occupancy.h"
#include "model/gemm/costs/tensor_operation.h"
#include "model/gemm/problem/group_rows.h"

namespace tilecast {
namespace {

void share_tiles(const GpuSpec& gpu, const KernelConfig& config, const TileScheduler& scheduler,
                 u32 resident, GemmWork& work) {
  const WorkDecomposition how =
      make_work_decomposition(scheduler, static_cast<i32>(work.k_blocks), config, resident);
  const SharedPieces shared = shared_pieces(how);
  work.shared = {busiest_share(how, shared), how.workers};
  if (how.splits == 0) {
    const double blocks = static_cast<double>(how.tiles) * how.k_blocks / how.workers;
    work.traffic.dram_read =
        skewed_dram_read(*gpu.l2, work.traffic, static_cast<double>(how.streamed) / how.tiles,
                         work.traffic.l2_to_sm * (skew_of_neighbours(how) / blocks));
  }
  const Bytes sums =
      // partial sums are written as often as they are read
      partial_sum_bytes(config, shared) * 0.5;
  work.traffic.l2_to_sm += sums;
  work.traffic.sm_intake += sums;
}

/// Mean K blocks per tile of the busiest worker, if tiles are dealt round-robin or in contiguous
/// chunks and the matrices of C follow one another. Column-wise swizzle groups over all matrices
/// balance better.
double k_blocks_of_busiest(const std::vector<u32>& of_products, const TileScheduler& s) {
  const u64 tiles = s.num_tiles() / of_products.size();  // tiles of one matrix
  const bool chunked = s.raster.walk == Walk::kChunked;
  double most = 0;
  for (u32 worker = 0; worker < s.workers; ++worker) {
    double sum = 0;
    u64 begin = 0;
    for (const u32 k_blocks : of_products) {
      const u64 end = begin + tiles;
      const auto before = [&](u64 tile) {  // K blocks before a tile in the worker's order
        return chunked ? std::clamp<u64>(tile, s.first(worker), s.end(worker))
                       : ceil_div<u64>(tile - std::min<u64>(tile, worker), s.workers);
      };
      sum += static_cast<double>(before(end) - before(begin)) * k_blocks;
      begin = end;
    }
    most = std::max(most, sum);
  }
  return most / ceil_div(s.num_tiles(), s.workers);
}

GemmWork work_with(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config,
                   const GemmTraffic& traffic) {
  const GemmShape& shape = problem.shape;
  const Tiling& t = config.tiling;
  const i32 workers = resident_workers(gpu, config);
  const TileScheduler s = make_tile_scheduler(problem, config, static_cast<u32>(workers));

  GemmWork work{};
  work.traffic = traffic;
  work.ctas_per_sm = resident_ctas(gpu, config);
  // Each worker occupies cluster_size / ctas_per_sm SMs.
  work.tiles_per_sm = ceil_div<i64>(i64{s.num_tiles()} * work.ctas_per_sm, workers);
  work.tiles = i64{s.num_tiles()} * cluster_size(t);
  work.k_blocks = static_cast<double>(ceil_div<i64>(shape.k, t.block_k));
  work.all_k_blocks = static_cast<double>(work.tiles) * work.k_blocks;
  if (grouped_along_k(problem)) {
    const std::vector<u32> of_products = k_blocks_of_products(problem, t);
    const double sum = std::accumulate(of_products.begin(), of_products.end(), 0.0);
    work.k_blocks = k_blocks_of_busiest(of_products, s);
    work.all_k_blocks =
        static_cast<double>(work.tiles) * (sum / static_cast<double>(of_products.size()));
  }
  if (splits_k(config.schedule)) {
    share_tiles(gpu, config, s, static_cast<u32>(workers), work);
  }
  const TensorOperation operation = tensor_operation(gpu, problem, config);
  work.shared_memory = Bytes{operation.operand_bytes * operation.of_cta() * work.all_k_blocks} +
                       work.traffic.sm_intake;
  return work;
}

}  // namespace

GemmWork gemm_work(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config) {
  TrafficMemo traffic(*gpu.l2, problem);
  return gemm_work(gpu, problem, config, traffic);
}

GemmWork gemm_work(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config,
                   TrafficMemo& traffic) {
  return work_with(gpu, problem, config, traffic.traffic(config, resident_workers(gpu, config)));
}

GemmWork least_gemm_work(const GpuSpec& gpu, const GemmProblem& problem,
                         const KernelConfig& config) {
  return work_with(gpu, problem, config,
                   least_traffic(*gpu.l2, problem, config, resident_workers(gpu, config)));
}

}  // namespace tilecast
