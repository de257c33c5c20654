#include "model/predict/legality.h"

#include <fmt/format.h>

#include "model/analytic/occupancy.h"
#include "model/base/words.h"
#include "model/tile/kernel_config_text.h"
#include "model/tile/smem_layout.h"

namespace tilecast {
namespace {

constexpr i32 kMostInstructionN = 256;
constexpr i32 kMostBoxRows = 256;
constexpr i32 kSwizzleAtomRows = 8;
constexpr i32 kMostWarpgroups = 3;
constexpr i32 kMostInflight = 2;
constexpr i32 kMostStages = 64;
constexpr i32 kMostClusterSide = 4;
constexpr i32 kMostBlockK = 2048;  // one stage of 64 such rows is 256 KiB, more than any SM has
// Tiles are counted in 32 bits, and those of the smallest size have to be far from their end.
constexpr i64 kMostSide = i64{1} << 24;
constexpr i64 kMostOutputs = i64{1} << 40;

bool schedule_allows(const KernelConfig& config) {
  const Tiling& t = config.tiling;
  const bool clusters = t.cluster_m > 1 || t.cluster_n > 1;
  if (clusters && config.schedule != Schedule::kWarpSpecialized) {
    return false;
  }
  if (config.raster.kind == RasterKind::kChunked && !is_persistent(config.schedule)) {
    return false;
  }
  return config.inflight < t.stages && config.inflight <= kMostInflight &&
         t.warpgroups <= kMostWarpgroups && t.stages <= kMostStages;
}

bool whole_wgmmas(const Tiling& t) {
  return t.block_m % (t.warpgroups * kWgmmaM) == 0 && t.block_n % (kSlabElements / 2) == 0 &&
         t.block_n <= kMostInstructionN && t.block_k % kSlabElements == 0;
}

/// The sides first: the product of any two of them could leave 32 bits.
bool cluster_exists(const Tiling& t) {
  return t.cluster_m <= kMostClusterSide && t.cluster_n <= kMostClusterSide &&
         (cluster_size(t) == 1 || cluster_size(t) == 2 || cluster_size(t) == 4);
}

/// Each CTA of a cluster loads a slice of whole swizzle atoms.
bool boxes_fit(const Tiling& t, Layout layout) {
  const i32 b_rows = layout == Layout::kTn ? t.block_n : t.block_k;
  if (layout == Layout::kNn && t.block_n % kSlabElements != 0) {
    return false;
  }
  const auto slices = [](i32 rows, i32 sharers) {
    return rows % (sharers * kSwizzleAtomRows) == 0 && rows / sharers <= kMostBoxRows;
  };
  return slices(t.block_m, t.cluster_n) && slices(b_rows, t.cluster_m);
}

}  // namespace

std::string_view to_text(Refusal refusal) {
  static constexpr Words<Refusal, 8> kRefusals{{{Refusal::kNone, "none"},
                                                {Refusal::kSchedule, "schedule"},
                                                {Refusal::kWgmmaShape, "wgmma_shape"},
                                                {Refusal::kTmaBox, "tma_box"},
                                                {Refusal::kRegisters, "registers"},
                                                {Refusal::kSharedMemory, "shared_memory"},
                                                {Refusal::kOccupancy, "occupancy"},
                                                {Refusal::kCluster, "cluster"}}};
  return word_of(kRefusals, refusal);
}

std::string why_not_solvable(const GemmProblem& problem) {
  const GemmShape& shape = problem.shape;
  if (problem.dtype == ElementType::kFp32) {
    return "GEMM takes dtype fp16 or bf16";
  }
  if (shape.k % 8 != 0) {
    return "K must be a multiple of 8 (16-byte rows of A and B), not " + std::to_string(shape.k);
  }
  if (problem.layout == Layout::kNn && shape.n % 8 != 0) {
    return "layout nn needs N to be a multiple of 8 (16-byte rows of B), not " +
           std::to_string(shape.n);
  }
  if (shape.m > kMostSide || shape.n > kMostSide || shape.m * shape.n > kMostOutputs) {
    return fmt::format("M and N can be {} at most, and C can have {} elements", kMostSide,
                       kMostOutputs);
  }
  return {};
}

Refusal check_legal(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config) {
  const Tiling& t = config.tiling;
  if (!schedule_allows(config)) {
    return Refusal::kSchedule;
  }
  if (!whole_wgmmas(t)) {
    return Refusal::kWgmmaShape;
  }
  if (!cluster_exists(t)) {
    return Refusal::kCluster;
  }
  if (!boxes_fit(t, problem.layout)) {
    return Refusal::kTmaBox;
  }
  if (t.block_k > kMostBlockK) {
    return Refusal::kSharedMemory;
  }
  if (threads_per_cta(config.schedule, t) * config.ctas_per_sm > gpu.sm.max_threads ||
      !registers_suffice(gpu, config)) {
    return Refusal::kRegisters;
  }
  const i32 by_shared_memory = ctas_by_shared_memory(gpu, config);
  if (by_shared_memory == 0) {
    return Refusal::kSharedMemory;
  }
  if (resident_ctas(gpu, config) < config.ctas_per_sm) {
    return Refusal::kOccupancy;
  }
  return Refusal::kNone;
}

}  // namespace tilecast
