#include "model/gemm/rules/kernel_rules.h"

#include <fmt/format.h>

#include <vector>

#include "model/base/text.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/gemm/config/register_plan.h"
#include "model/gemm/config/residual_ring.h"
#include "model/gemm/config/schedule_text.h"
#include "model/gemm/problem/swapped_operands.h"

namespace tilecast {
namespace {

using Kernel = const KernelCase&;

// Rejects out-of-range counts and products that overflow int32.
constexpr i32 kMostWarpgroups = 3, kMostInflight = 2, kMostRing = 64;
constexpr i32 kMostCtas = 64;  // maximum per SM; a GPU may allow fewer
constexpr i32 kTcgen05MostCtas = 32, kTcgen05MostWarpgroups = 2, kTcgen05MostGroup = 2;
constexpr i32 kFewestKBytes = 64;       // minimum bytes of K per row: a swizzle row
constexpr i32 kMostKBytes = 4096;       // one stage of 64 such rows exceeds any SM's shared memory
constexpr i32 kFewestInstructionN = 8;  // minimum for small_mma
constexpr i32 kFewestOddEights = 24;    // minimum columns per warpgroup
constexpr i32 kMostBlockSide = 1 << 14;
constexpr i32 kMostClusterSize = 8;  // largest portable cluster size
// Registers that a thread needs in addition to its accumulators if it loads the residual or
// computes amax: some compiled kernels spill with 80, almost none with 88.
constexpr i32 kBesideResult = 88;

bool on_tcgen05(Kernel c) { return uses_tcgen05(c.schedule); }
bool on_mma_sync(Kernel c) { return uses_mma_sync(c.schedule); }
bool of_fp8(Kernel c) { return is_fp8(c.types.operands); }
bool has_groups(Kernel c) { return c.grouped || c.parts_k; }
bool c_has_16_bits(Kernel c) { return element_bytes(c.types.c) == kHalfBytes; }
i32 column_bytes(Kernel c) { return c_column_bytes(c.types.c, c.epilogue); }

constexpr Rule<KernelCase> kKindRules[] = {
    {[](Kernel c) { return c.types.operands == ElementType::kFp32; },
     "GEMM supports dtype fp16, bf16, e4m3 (or fp8) or e5m2"},
    {[](Kernel c) { return on_tcgen05(c) && c.layout != Layout::kTn; },
     "layout {layout}: Blackwell kernels support only layout tn (A is [M,K], B is [N,K])"},
    {[](Kernel c) {
       return on_tcgen05(c) &&
              (is_narrow(c.types.operands) || fuses(c.epilogue) || !c_has_16_bits(c) || c.batched ||
               has_groups(c) || c.launch != LaunchOrder::kInTurn);
     },
     "Blackwell kernels support a single GEMM of fp16 or bf16, no epilogue, 16-bit C, and no "
     "programmatic launch"},
    {[](Kernel c) {
       return on_mma_sync(c) &&
              (has_groups(c) || has_block_scales(c.epilogue) ||
               c.types.accumulate == Accumulate::kExact || c.launch != LaunchOrder::kInTurn);
     },
     "kernels with mma.sync support neither groups, block scales, exact accumulation nor "
     "programmatic launch"},
    {[](Kernel c) { return on_mma_sync(c) && c.problem != nullptr && c.problem->leading.c != 0; },
     "ldc is {ldc}: kernels with mma.sync require contiguous C"},
    {[](Kernel c) { return is_narrow(c.types.operands) && c.layout != Layout::kTn; },
     "dtype {dtype}: tensor cores support 8-bit operands only in layout tn (K-major)"},
    {[](Kernel c) { return c.types.c == ElementType::kFp32 && c.epilogue.has(OutputKind::kBias); },
     "epilogue {epilogue}: a bias is not supported with fp32 output"},
    {[](Kernel c) {
       return c.types.c == ElementType::kE4m3 &&
              (c.epilogue.has(OutputKind::kLoad) || gates(c.epilogue));
     },
     "epilogue {epilogue}: gated activation and residual are not supported with e4m3 output"},
    {[](Kernel c) {
       return c.types.c != ElementType::kE4m3 && c.epilogue.has(OutputKind::kConvert);
     },
     "epilogue {epilogue}: scale_c requires fp8 output (dtype_c e4m3)"},
    {[](Kernel c) { return gates(c.epilogue) && c.epilogue.has(OutputKind::kLoad); },
     "epilogue {epilogue}: a gate cannot be combined with a residual"},
    {[](Kernel c) {
       return c.scale == SumScale::kAlphaBeta &&
              (c.types.c == ElementType::kE4m3 || gates(c.epilogue));
     },
     "alpha and beta are not supported with fp8 output or a gate"},
    {[](Kernel c) {
       return c.scale == SumScale::kAlphaBeta && c.problem != nullptr && c.problem->leading.c != 0;
     },
     "ldc is {ldc}: alpha and beta require contiguous C"},
    {[](Kernel c) { return c.epilogue.has(OutputKind::kScale) && !of_fp8(c); },
     "epilogue {epilogue}: scales require fp8 operands, not {dtype}"},
    {[](Kernel c) { return c.epilogue.has(OutputKind::kScale) && c.batched; },
     "epilogue {epilogue}: scales are not supported with a batch"},
    {[](Kernel c) { return c.types.accumulate == Accumulate::kExact && !of_fp8(c); },
     "accumulate=exact applies only to fp8 operands, not to {dtype}"},
    {[](Kernel c) { return has_groups(c) && c.batched; },
     "a batch of {products}: groups require a single GEMM"},
    {[](Kernel c) { return has_groups(c) && !c_has_16_bits(c); },
     "dtype_c {c}: grouped kernels write only 16-bit C"},
    {[](Kernel c) { return c.parts_k && c.layout != Layout::kNt; },
     "layout {layout}: groups along K require A as [K,M] and B as [K,N], layout nt"},
    {[](Kernel c) { return c.parts_k && fuses(c.epilogue); },
     "epilogue {epilogue}: not supported with groups along K"},
    {[](Kernel c) { return c.grouped && !a_is_k_major(c.layout); },
     "layout {layout}: groups along M require A as [M,K]"},
    {[](Kernel c) { return c.grouped && c.epilogue != in_main_loop(c.epilogue); },
     "epilogue {epilogue}: grouped kernels support only scale_block"},
};

/// Checks the dimensions first: the product of any two could overflow 32 bits.
bool cluster_exists(const Tiling& t) {
  const bool countable = t.cluster_m <= kMostClusterSize && t.cluster_n <= kMostClusterSize;
  const i32 size = countable ? cluster_size(t) : 0;
  return size == 1 || size == 2 || size == 4 || size == kMostClusterSize;
}

RegisterPlan registers_of(const KernelConfig& c) {
  return register_plan(consumer_warpgroups(c.schedule, c.tiling), c.ctas_per_sm,
                       c.producer_registers);
}

/// Whether the producer releases a multiple of eight registers, and keeps no more than it had at
/// launch.
bool producer_can_shrink(const KernelConfig& c) {
  return c.producer_registers % kRegisterStep == 0 &&
         c.producer_registers >= kFewestProducerRegisters &&
         c.producer_registers <= registers_of(c).at_launch;
}

/// A residual that comes through the ring needs no more registers than C.
bool registers_hold_result(Kernel c) {
  const bool loads =
      c.epilogue.has(OutputKind::kLoad) && residual_stages(c, column_bytes(c), c.epilogue) == 0;
  return (!loads && !c.epilogue.has(OutputKind::kAmax)) || !has_producer_warpgroup(c.schedule) ||
         accumulator_registers(c.tiling) + kBesideResult <= registers_of(c).consumer;
}

bool c_borrows_stages_safely(const KernelConfig& c) {
  return traits_of(c.schedule).borrows_b_stages ? cluster_size(c.tiling) == 1 && c.inflight > 0
                                                : c.grid == Grid::kTiles;
}

/// A tile's store overlaps the next tile of the same warpgroups, so C needs separate slots.
bool can_defer(const KernelConfig& c) {
  return traits_of(c.schedule).stores_can_be_deferred && c.grid == Grid::kResident &&
         c.tiling.c_slots > 0;
}

i32 k_bytes(const Tiling& t) { return t.block_k * t.operand_bytes; }

bool has_whole_k_blocks(const Tiling& t) {
  return t.block_k % k_slab_elements(t) == 0 && k_bytes(t) % kFewestKBytes == 0;
}

/// An odd multiple of eight columns needs one wgmma, K-major operands, and slabs of K for which
/// every stage begins at a swizzle atom.
bool takes_odd_eights(Kernel c) {
  const i32 columns = warpgroup_columns(c.tiling);
  return has_ring(c.schedule) && b_is_k_major(c.layout) && k_bytes(c.tiling) % kSwizzleBytes == 0 &&
         columns >= kFewestOddEights && columns <= kMostInstructionN;
}

bool has_whole_wgmmas(Kernel c) {
  const i32 n = instruction_n(c);
  return (n == kFewestInstructionN || n % kInstructionNStep == 0) && n <= kMostInstructionN &&
         warpgroup_columns(c.tiling) % n == 0 &&
         (b_is_k_major(c.layout) || wgmmas_keep_to_slabs(c));
}

/// Whether each CTA of a cluster loads as many rows, in equal boxes. A slice may begin at any row,
/// since copies and wgmmas swizzle by addresses.
bool in_whole_boxes(i32 rows, i32 sharers) {
  const i32 boxes = ceil_div(rows / sharers, kMostBoxRows);
  return rows % (sharers * boxes) == 0;
}

constexpr const char* kNoSuchBox = "a TMA box of this tile and cluster is too large";
constexpr const char* kNoSuchCluster = "a cluster of {cluster_m}x{cluster_n} CTAs is not supported";
constexpr const char* kNoWholeWgmmas = "the tile does not consist of whole wgmma instructions";
constexpr const char* kAmaxIsWhole = "amax requires tiles that are not split along K";
constexpr const char* kStagesTooLarge = "its stages and C do not fit in shared memory";
constexpr Rule<KernelCase> kChunksAreResident{
    [](Kernel c) { return c.raster.walk == Walk::kChunked && c.grid != Grid::kResident; },
    "walk=chunked requires grid=resident"};

constexpr Rule<KernelCase> kWgmmaRules[] = {
    {[](Kernel c) {
       return c.operands == OperandOrder::kSwapped &&
              (!can_swap_operands(c, c) ||
               (c.problem != nullptr && !c_rows_allow_tma(transposed(*c.problem))));
     },
     "operands=swapped requires layout tn or nn, N a multiple of 8, no groups, no epilogue and no "
     "store=deferred"},
    {[](Kernel c) {
       const Tiling& t = c.tiling;
       return c.ctas_per_sm > kMostCtas || c.inflight > kMostInflight || t.stages > kMostRing ||
              t.c_slots > kMostRing;
     },
     "inflight is at most 2, and ctas, stages and c_slots are at most 64"},
    {[](Kernel c) {
       return c.tiling.warpgroups_m > kMostWarpgroups || c.tiling.warpgroups_n > kMostWarpgroups ||
              consumer_warpgroups(c.schedule, c.tiling) > kMostWarpgroups;
     },
     "{schedule} supports at most 3 consumer warpgroups per CTA"},
    {[](Kernel c) { return !cluster_exists(c.tiling); }, kNoSuchCluster, Refusal::kCluster},
    {[](Kernel c) { return cluster_size(c.tiling) > 1 && !traits_of(c.schedule).shares_operands; },
     "{schedule} does not support clusters"},
    kChunksAreResident,
    {[](Kernel c) { return has_groups(c) && !walks_groups(c); },
     "groups are supported by {walkers} with grid=resident"},
    {[](Kernel c) { return has_block_scales(c.epilogue) && !takes_block_scales(c); },
     "block scales are supported by {scalers} with K blocks of 128, two stages or more, up to 256 "
     "columns, inflight=0 and without store=deferred"},
    {[](Kernel c) { return promotes(c.types.accumulate, c.epilogue) && !can_promote(c); },
     "exact accumulation requires a producer warpgroup, K blocks of 128, two stages "
     "or more, at most 256 columns, inflight=0 and no store=deferred"},
    {[](Kernel c) { return splits_k(c.schedule) && !may_split_k(c.epilogue); }, kAmaxIsWhole},
    {[](Kernel c) { return !registers_hold_result(c); },
     "its accumulators leave no registers for a residual or amax"},
    {[](Kernel c) {
       return (column_bytes(c) != kHalfBytes || gates(c.epilogue)) && in_odd_eights(c.tiling);
     },
     "{c} output or a gate requires a multiple of 16 columns per warpgroup"},
    {[](Kernel c) { return column_bytes(c) > kHalfBytes && c.store == Store::kDeferred; },
     "store=deferred supports at most 16 bits per column, not {c} output"},
    {[](Kernel c) { return c.a_source == OperandSource::kRegisters && !a_is_k_major(c.layout); },
     "a=registers requires A as [M,K], not layout {layout}"},
    // Threads store the sums of split tiles and require contiguous rows.
    {[](Kernel c) {
       return c.problem != nullptr && c.problem->leading.c != 0 && splits_k(c.schedule);
     },
     "{schedule} requires contiguous C"},
    {[](Kernel c) { return c.batched && traits_of(c.schedule).one_k_block; },
     "{schedule} computes one GEMM, not a batch of {products}"},
    {[](Kernel c) {
       return traits_of(c.schedule).one_k_block && c.problem != nullptr &&
              (c.problem->shape.m > c.tiling.block_m || c.problem->shape.n > c.tiling.block_n ||
               c.problem->shape.k > c.tiling.block_k);
     },
     "{schedule} computes one tile with one K block, and the problem is larger"},
    {[](Kernel c) { return has_producer_warpgroup(c.schedule) && !producer_can_shrink(c); },
     "producer must be a multiple of 8, from 24 to the registers per thread at launch"},
    {[](Kernel c) {
       return traits_of(c.schedule).buffers != Buffers::kTwo && c.inflight >= c.tiling.stages;
     },
     "inflight={inflight} requires more than {inflight} stages"},
    {[](Kernel c) { return c.tiling.c_slots == 0 && !c_borrows_stages_safely(c); },
     "c_slots=0 stages C in pipeline stages, which must be free of loads: requires grid=tiles, or "
     "{borrowers} with cluster=1x1 and inflight of 1 or 2"},
    {[](Kernel c) { return c.store == Store::kDeferred && !can_defer(c); },
     "store=deferred is supported by {deferrers} with grid=resident and c_slots of at least 1"},
    {[](Kernel c) {
       return c.tiling.block_m > kMostBlockSide || c.tiling.block_n > kMostBlockSide;
     },
     kNoSuchBox, Refusal::kTmaBox},
    {[](Kernel c) { return !has_whole_k_blocks(c.tiling); },
     "a K block must be {half_slab} or a multiple of {slab} elements of {dtype}",
     Refusal::kWgmmaShape},
    {[](Kernel c) {
       return c.tiling.block_m % (c.tiling.warpgroups_m * kWgmmaM) != 0 ||
              c.tiling.block_n % (c.tiling.warpgroups_n * finest_n_step()) != 0;
     },
     kNoWholeWgmmas, Refusal::kWgmmaShape},
    {[](Kernel c) { return in_odd_eights(c.tiling) && !takes_odd_eights(c); },
     "warpgroups of {columns} columns, an odd multiple of 8, require 24 to 248 columns, B as "
     "[N,K], a "
     "schedule with a ring, and K blocks of whole {slab} elements",
     Refusal::kWgmmaShape},
    {[](Kernel c) { return !in_odd_eights(c.tiling) && !has_whole_wgmmas(c); }, kNoWholeWgmmas,
     Refusal::kWgmmaShape},
    {[](Kernel c) {
       const Tiling& t = c.tiling;
       return !in_whole_boxes(a_is_k_major(c.layout) ? t.block_m : t.block_k, t.cluster_n) ||
              !in_whole_boxes(b_is_k_major(c.layout) ? t.block_n : t.block_k, t.cluster_m);
     },
     kNoSuchBox, Refusal::kTmaBox},
    {[](Kernel c) { return k_bytes(c.tiling) > kMostKBytes; }, kStagesTooLarge,
     Refusal::kSharedMemory},
};

constexpr Rule<KernelCase> kTcgen05Rules[] = {
    {[](Kernel c) {
       const Tiling& t = c.tiling;
       return c.ctas_per_sm > kTcgen05MostCtas || c.inflight > kMostInflight ||
              t.stages > kMostRing || t.c_slots > kMostRing || t.warpgroups_m != 1 ||
              t.warpgroups_n > kTcgen05MostWarpgroups || c.accumulators > kMostAccumulators ||
              t.cluster_n != 1 || c.operands == OperandOrder::kSwapped;
     },
     "a tcgen05 kernel has warpgroups of 1x1 or 1x2, inflight and accumulators up to 2, up to 32 "
     "ctas, up to 64 stages and c_slots, and operands in order"},
    {[](Kernel c) { return cta_group(c.tiling) > kTcgen05MostGroup; }, kNoSuchCluster,
     Refusal::kCluster},
    {[](Kernel c) {
       return splits_k(c.schedule) && c.decomposition.reduction == Reduction::kSpread;
     },
     "{schedule} supports reduction=turnstile and atomic"},
    {[](Kernel c) { return c.layout != Layout::kTn; }, "tcgen05 schedules support only layout tn"},
    kChunksAreResident,
    {[](Kernel c) { return max_of(1, c.inflight) >= c.tiling.stages; },
     "inflight={inflight} requires more than {inflight} stages, and at least two"},
    {[](Kernel c) {
       return c.tiling.c_slots == 0 && c.grid != Grid::kTiles &&
              !traits_of(c.schedule).borrows_b_stages;
     },
     "c_slots=0 stages C in pipeline stages, which must be free of loads: requires grid=tiles, or "
     "{borrowers}"},
    // One instruction for the whole tile, and whole slots of C.
    {[](Kernel c) {
       const Tiling& t = c.tiling;
       return t.block_m != kTcgen05BlockM || t.block_n > kMostInstructionN ||
              t.block_n % (t.warpgroups_n * kTcgen05NStep) != 0 || t.block_k % kSlabElements != 0;
     },
     "the tile does not consist of whole MMA instructions", Refusal::kWgmmaShape},
    {[](Kernel c) { return k_bytes(c.tiling) > kMostKBytes; }, kStagesTooLarge,
     Refusal::kSharedMemory},
};

constexpr i32 kMmaSyncMostCtas = 8, kMmaSyncMostWarpgroups = 2, kMmaSyncMostStages = 8;
constexpr i32 kMmaSyncMostBlockSide = 256;

/// Rules of mma.sync kernels. Fragments hold sixteen columns; N-major B is stored in slabs of 64.
/// `atomic` is excluded because no warp is free to clear the sums.
constexpr Rule<KernelCase> kMmaSyncRules[] = {
    {[](Kernel c) {
       return splits_k(c.schedule) && c.decomposition.reduction == Reduction::kAtomic;
     },
     "{schedule} supports reduction=turnstile and spread"},
    {[](Kernel c) { return splits_k(c.schedule) && !may_split_k(c.epilogue); }, kAmaxIsWhole},
    {[](Kernel c) {
       const Tiling& t = c.tiling;
       return c.ctas_per_sm > kMmaSyncMostCtas || t.stages > kMmaSyncMostStages || t.stages < 2 ||
              t.warpgroups_m > kMmaSyncMostWarpgroups || t.warpgroups_n > kMmaSyncMostWarpgroups ||
              warpgroups_per_tile(t) > kMmaSyncMostWarpgroups;
     },
     "{schedule} supports 2 to 8 stages, at most 8 ctas and at most 2 warpgroups"},
    {[](Kernel c) {
       return c.tiling.block_m > kMmaSyncMostBlockSide || c.tiling.block_n > kMmaSyncMostBlockSide;
     },
     "{schedule} supports tiles of at most 256 rows and columns", Refusal::kWgmmaShape},
    {[](Kernel c) { return k_bytes(c.tiling) != 64 && k_bytes(c.tiling) != kSwizzleBytes; },
     "a K block must be {half_slab} or {slab} elements of {dtype}", Refusal::kWgmmaShape},
    {[](Kernel c) {
       const i32 step = b_is_k_major(c.layout) ? kInstructionNStep : kSlabColumns;
       return c.tiling.block_m % (c.tiling.warpgroups_m * kWgmmaM) != 0 ||
              c.tiling.block_n % (c.tiling.warpgroups_n * step) != 0;
     },
     "the tile does not consist of whole mma.sync fragments: 64 rows per warpgroup, and 16 columns "
     "(64 if B is [K,N])",
     Refusal::kWgmmaShape},
};

/// Lists the schedules for the same kind of tensor core.
std::string schedules_that(Kernel c, bool (*has)(Schedule)) {
  std::vector<std::string> names;
  for (const Schedule schedule : kEverySchedule) {
    if (traits_of(schedule).tensor_core == traits_of(c.schedule).tensor_core && has(schedule)) {
      names.emplace_back(to_text(schedule));
    }
  }
  return join(names, " and ");
}

}  // namespace

bool may_split_k(const Epilogue& epilogue) { return !epilogue.has(OutputKind::kAmax); }

std::span<const Rule<KernelCase>> rules_of_kinds() { return kKindRules; }

std::span<const Rule<KernelCase>> rules_of_kernels(TensorCore core) {
  switch (core) {
    case TensorCore::kWgmma:
      return kWgmmaRules;
    case TensorCore::kTcgen05:
      return kTcgen05Rules;
    case TensorCore::kMmaSync:
      return kMmaSyncRules;
  }
  return {};  // not a tensor core
}

std::string sentence_of(const Rule<KernelCase>* rule, const KernelCase& c) {
  const auto walks = [](Schedule s) { return traits_of(s).walks_groups; };
  const auto scales = [](Schedule s) { return has_producer_warpgroup(s) && !splits_k(s); };
  const auto borrows = [](Schedule s) { return traits_of(s).borrows_b_stages; };
  const auto defers = [](Schedule s) { return traits_of(s).stores_can_be_deferred; };
  const i32 slab = kSwizzleBytes / element_bytes(c.types.operands);
  return rule == nullptr
             ? ""
             : fmt::format(
                   fmt::runtime(rule->sentence), fmt::arg("dtype", to_text(c.types.operands)),
                   fmt::arg("c", to_text(c.types.c)), fmt::arg("layout", to_text(c.layout)),
                   fmt::arg("epilogue", to_text(c.epilogue)),
                   fmt::arg("products",
                            c.problem ? fmt::to_string(c.problem->batch.products) : "several"),
                   fmt::arg("ldc", c.problem ? c.problem->leading.c : 0),
                   fmt::arg("schedule", to_text(c.schedule)),
                   fmt::arg("cluster_m", c.tiling.cluster_m),
                   fmt::arg("cluster_n", c.tiling.cluster_n),
                   fmt::arg("columns", warpgroup_columns(c.tiling)),
                   fmt::arg("inflight", c.inflight), fmt::arg("slab", slab),
                   fmt::arg("half_slab", slab / 2), fmt::arg("walkers", schedules_that(c, walks)),
                   fmt::arg("scalers", schedules_that(c, scales)),
                   fmt::arg("borrowers", schedules_that(c, borrows)),
                   fmt::arg("deferrers", schedules_that(c, defers)));
}

KernelCase kernel_case(const ProblemKind& kind, const KernelConfig& config, SumScale scale) {
  KernelCase asked{kind, for_operands(kind.types.operands, config), scale};
  asked.layout = as_run(kind.layout, config);
  return asked;
}

std::string why_no_kernel(const GemmProblem& problem, TensorCore core, SumScale scale) {
  const Schedule any = core == TensorCore::kTcgen05   ? kTcgen05Schedules.front()
                       : core == TensorCore::kMmaSync ? kMmaSyncSchedules.front()
                                                      : kWgmmaSchedules.front();
  const KernelCase asked{ProblemKind::of(problem), fixed_by_schedule(any), scale, &problem};
  return sentence_of(first_broken(rules_of_kinds(), asked), asked);
}

std::string why_no_kernel(const ProblemKind& kind, const KernelConfig& config, SumScale scale) {
  const KernelCase in_order{kind, config, scale};
  if (const Rule<KernelCase>* broken = first_broken(rules_of_kinds(), in_order)) {
    return sentence_of(broken, in_order);
  }
  const KernelCase asked = kernel_case(kind, config, scale);
  const TensorCore core = traits_of(config.schedule).tensor_core;
  return sentence_of(first_broken(rules_of_kernels(core), asked), asked);
}

}  // namespace tilecast
