#include "model/predict/legality.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/analytic/occupancy.h"
#include "model/base/words.h"
#include "model/predict/fused_registers.h"
#include "model/predict/tcgen05_legality.h"
#include "model/spec/load_gpu.h"
#include "model/tile/fp8_pairs.h"
#include "model/tile/group_rows.h"
#include "model/tile/kernel_config_text.h"
#include "model/tile/operand_copies.h"
#include "model/tile/register_plan.h"
#include "model/tile/result_rules.h"
#include "model/tile/smem_layout.h"
#include "model/tile/split_rules.h"
#include "model/tile/swapped_operands.h"

namespace tilecast {
namespace {

constexpr i32 kMostWarpgroups = 3;
constexpr i32 kMostInflight = 2;
constexpr i32 kMostCtas = 64;  // per SM; the GPU allows fewer
constexpr i32 kMostStages = 64;
constexpr i32 kMostSlots = 64;
constexpr i32 kFewestBlockK = 32;       // a 64-byte swizzle row
constexpr i32 kFewestInstructionN = 8;  // of small_mma
constexpr i32 kFewestOddEights = 24;    // columns of a warpgroup
constexpr i32 kMostBlockSide = 1 << 14;
constexpr i32 kMostClusterSide = 8;
constexpr i32 kMostClusterSize = 8;  // that every device takes
constexpr i32 kMostBlockK = 2048;    // one stage of 64 such rows is 256 KiB, more than any SM has
// Tiles are counted in 32 bits, and those of the smallest size have to be far from their end.
constexpr i64 kMostSide = i64{1} << 24;
constexpr i64 kMostOutputs = i64{1} << 40;

/// Counts that no kernel takes, or that could leave 32 bits when multiplied.
bool counts_exist(const KernelConfig& config) {
  const Tiling& t = config.tiling;
  return config.ctas_per_sm <= kMostCtas && config.inflight <= kMostInflight &&
         t.stages <= kMostStages && t.c_slots <= kMostSlots && t.warpgroups_m <= kMostWarpgroups &&
         t.warpgroups_n <= kMostWarpgroups &&
         consumer_warpgroups(config.schedule, t) <= kMostWarpgroups;
}

/// C borrows stages (c_slots 0) where no load can come in meanwhile.
bool c_staging_allowed(const KernelConfig& config) {
  const Tiling& t = config.tiling;
  if (t.c_slots > 0) {
    return true;
  }
  if (traits_of(config.schedule).borrows_b_stages) {
    return cluster_size(t) == 1 && config.inflight > 0;
  }
  return config.grid == Grid::kTiles;
}

/// A tile's store runs under the next tile of the same warpgroups, from slots that are C's own.
bool store_allowed(const KernelConfig& config) {
  return config.store != Store::kDeferred ||
         (traits_of(config.schedule).stores_can_be_deferred && config.grid == Grid::kResident &&
          config.tiling.c_slots > 0);
}

/// At least half of a tile whose store is deferred finds registers to wait in.
bool registers_hold_deferred(const KernelConfig& config) {
  return config.store != Store::kDeferred || 2 * deferred_chunks(config) >= c_chunks(config.tiling);
}

/// What kernels whose sums are promoted need beside both sets of them, of those compiled that do
/// not spill: with block scales less where more columns have one scale.
i32 registers_beside_promoted(const KernelConfig& config, const Epilogue& epilogue) {
  constexpr i32 kPlain = 24, kSplit = 72;
  if (!has_block_scales(epilogue)) {
    return splits_k(config.schedule) ? kSplit : kPlain;
  }
  const i32 columns = warpgroup_columns(config.tiling);
  return columns % 64 == 0 ? 32 : columns % kInstructionNStep == 0 ? 48 : 64;
}

/// Sums of one wgmma's columns lie beside the accumulators that they are added to.
bool registers_hold_promoted(const KernelConfig& config, const Epilogue& epilogue) {
  return accumulator_registers(config.tiling) + instruction_n(config) / 2 +
             registers_beside_promoted(config, epilogue) <=
         register_plan(consumer_warpgroups(config.schedule, config.tiling), config.ctas_per_sm,
                       config.producer_registers)
             .consumer;
}

/// To whole steps, and to no more than it is launched with.
bool producer_can_shrink(const KernelConfig& config) {
  const i32 registers = config.producer_registers;
  return registers % kRegisterStep == 0 && registers >= kFewestProducerRegisters &&
         registers <= register_plan(consumer_warpgroups(config.schedule, config.tiling),
                                    config.ctas_per_sm, registers)
                          .at_launch;
}

bool schedule_allows(const GemmProblem& problem, const KernelConfig& config) {
  const GemmShape& shape = problem.shape;
  const Tiling& t = config.tiling;
  const bool clusters = t.cluster_m > 1 || t.cluster_n > 1;
  if (clusters && !traits_of(config.schedule).shares_operands) {
    return false;
  }
  if (config.raster.walk == Walk::kChunked && config.grid != Grid::kResident) {
    return false;
  }
  if (problem.groups != nullptr && !walks_groups(config)) {
    return false;
  }
  if ((promotes(problem) && !can_promote(config)) ||
      (has_block_scales(problem.epilogue) && !takes_block_scales(config))) {
    return false;
  }
  if (!takes_result(config, c_type(problem), problem.epilogue)) {
    return false;
  }
  if (config.a_source == OperandSource::kRegisters && !a_is_k_major(problem.layout)) {
    return false;
  }
  if (problem.leading.c != 0 && splits_k(config.schedule)) {
    return false;  // sums of pieces are stored by threads, which know tight rows alone
  }
  if (traits_of(config.schedule).one_k_block &&
      (shape.m > t.block_m || shape.n > t.block_n || shape.k > t.block_k ||
       problem.batch.products > 1)) {
    return false;
  }
  if (has_producer_warpgroup(config.schedule) && !producer_can_shrink(config)) {
    return false;
  }
  const bool one_load_at_a_time =
      traits_of(config.schedule).buffers == Buffers::kTwo || config.inflight < t.stages;
  return one_load_at_a_time && c_staging_allowed(config) && store_allowed(config);
}

/// Odd multiples of eight columns: of one wgmma, K-major, in slabs of K that leave every stage at
/// whole swizzle atoms.
bool takes_odd_eights(const KernelConfig& config, Layout layout) {
  const i32 columns = warpgroup_columns(config.tiling);
  return has_ring(config.schedule) && b_is_k_major(layout) &&
         config.tiling.block_k % kSlabElements == 0 && columns >= kFewestOddEights &&
         columns <= kMostInstructionN;
}

bool whole_wgmmas(const KernelConfig& config, Layout layout) {
  const Tiling& t = config.tiling;
  if (t.block_m % (t.warpgroups_m * kWgmmaM) != 0 ||
      t.block_n % (t.warpgroups_n * finest_n_step()) != 0 || t.block_k % k_slab_elements(t) != 0 ||
      t.block_k % kFewestBlockK != 0) {
    return false;
  }
  if (in_odd_eights(t)) {
    return takes_odd_eights(config, layout);
  }
  const i32 n = instruction_n(config);
  const bool instruction = n == kFewestInstructionN || n % kInstructionNStep == 0;
  return instruction && n <= kMostInstructionN && warpgroup_columns(t) % n == 0 &&
         (b_is_k_major(layout) || wgmmas_keep_to_slabs(config));
}

/// The sides first: the product of any two of them could leave 32 bits.
bool cluster_exists(const Tiling& t) {
  return t.cluster_m <= kMostClusterSide && t.cluster_n <= kMostClusterSide &&
         (cluster_size(t) == 1 || cluster_size(t) == 2 || cluster_size(t) == 4 ||
          cluster_size(t) == kMostClusterSize);
}

/// Each CTA of a cluster loads a slice of whole swizzle atoms, in equal boxes.
bool boxes_fit(const Tiling& t, Layout layout) {
  const auto slices = [](i32 rows, i32 sharers) {
    const i32 boxes = ceil_div(rows / sharers, kMostBoxRows);
    return rows % (sharers * boxes * kSwizzleAtomRows) == 0;
  };
  return slices(a_is_k_major(layout) ? t.block_m : t.block_k, t.cluster_n) &&
         slices(b_is_k_major(layout) ? t.block_n : t.block_k, t.cluster_m);
}

/// `products` of them, or groups that have as many matrices of C. As of one product, so that panels
/// of A and of B can be counted.
std::string why_not_so_many(i64 products, const GemmShape& shape, std::string_view what) {
  if (products > kMostSide / std::max(round_up<i64>(shape.m, kWgmmaM), shape.n)) {
    return fmt::format(
        "{} {}: all products together can have {} rows, M in whole {}, and as many columns", what,
        products, kMostSide, kWgmmaM);
  }
  return {};
}

/// Of C's type and an epilogue's last steps.
std::string why_no_such_result(const GpuSpec& gpu, const GemmProblem& problem) {
  const Epilogue& epilogue = problem.epilogue;
  const ElementType c = c_type(problem);
  const std::string words = fmt::format("epilogue {}: ", to_text(epilogue));
  if (c == ElementType::kFp32 && epilogue.bias != Bias::kNone) {
    return words + "a C in fp32 has no bias";
  }
  if (c == ElementType::kE4m3 && (epilogue.residual || gates(epilogue))) {
    return words + "a C in e4m3 has neither gate nor residual";
  }
  if (c != ElementType::kE4m3 && epilogue.scale_c) {
    return words + "scale_c is of a C in fp8 (dtype_c e4m3)";
  }
  if (gates(epilogue) && epilogue.residual) {
    return words + "a gate has no residual";
  }
  if (gates(epilogue) && problem.shape.n % 2 != 0) {
    return fmt::format("{}a gate takes columns in twos, not {}", words, problem.shape.n);
  }
  if (element_bytes(c) != kOperandBytes && gpu.architecture == Architecture::kBlackwell) {
    return fmt::format("dtype_c {}: kernels for Blackwell take C in 16 bits", to_text(c));
  }
  return {};
}

/// Of groups along K, of a problem that is solvable without. Of fp8 is said before that it is
/// K-major alone.
std::string why_not_in_groups_of_k(const GemmProblem& problem) {
  if (problem.layout != Layout::kNt) {
    return fmt::format(
        "layout {}: groups along K are of rows of A as [K,M] and B as [K,N], layout nt",
        to_text(problem.layout));
  }
  if (fuses(problem.epilogue)) {
    return fmt::format("epilogue {}: kernels that walk groups along K take none",
                       to_text(problem.epilogue));
  }
  if (problem.groups->total() == 0) {
    return "groups: expected one at least that has rows";
  }
  if (problem.shape.k > most_ragged_rows()) {
    return fmt::format("K of all groups is {}: expected {} at most", problem.shape.k,
                       most_ragged_rows());
  }
  return why_not_so_many(problem.groups->count(), problem.shape,
                         "groups along K, of which there are");
}

/// Of a problem that has groups and is solvable without.
std::string why_not_in_groups(const GpuSpec& gpu, const GemmProblem& problem) {
  const i64 groups = matrices_of_b(problem);
  if (gpu.architecture == Architecture::kBlackwell) {
    return "groups: kernels for Blackwell take one product";
  }
  if (problem.batch.products > 1) {
    return fmt::format("a batch of {}: groups are of one product", problem.batch.products);
  }
  if (element_bytes(c_type(problem)) != kOperandBytes) {
    return fmt::format("dtype_c {}: kernels that walk groups write C in 16 bits",
                       to_text(c_type(problem)));
  }
  if (grouped_along_k(problem)) {
    return why_not_in_groups_of_k(problem);
  }
  if (!a_is_k_major(problem.layout)) {
    return fmt::format("layout {}: groups along M are of rows of A, which is [M,K]",
                       to_text(problem.layout));
  }
  if (problem.epilogue != in_main_loop(problem.epilogue)) {
    return fmt::format("epilogue {}: kernels that walk groups take scale_block alone",
                       to_text(problem.epilogue));
  }
  if (groups > kMostGroups) {
    return fmt::format("{} groups: a kernel walks {} at most", groups, kMostGroups);
  }
  if (problem.shape.m == 0) {
    return "groups: expected one at least that has rows";
  }
  // Panels are counted in 32 bits, as if the groups were one product.
  if (rows_in_memory(problem) + groups * kWgmmaM > kMostSide ||
      groups * problem.shape.n > kMostSide) {
    return fmt::format(
        "{} groups: all together can have {} rows, of each group in whole {}, and as many columns",
        groups, kMostSide, kWgmmaM);
  }
  return {};
}

/// By its rows as they lie in memory.
std::string why_not_in_rows(const GpuSpec& gpu, const GemmProblem& problem) {
  const i64 step = kWholeRowBytes / element_bytes(problem.dtype);
  if (copied_operands(problem).any() && !gpu.stream) {
    return fmt::format(
        "rows of A and B must lie at multiples of {} elements (16 bytes): {} has no section "
        "stream, "
        "by which copies of others are forecast",
        step, gpu.name);
  }
  if (copied_operands(problem).any() && problem.groups != nullptr &&
      problem.groups->capacity() != 0) {
    return fmt::format(
        "rows of A and B of masked groups must lie at multiples of {} elements (16 bytes), as "
        "--lda and "
        "--ldb can say",
        step);
  }
  if (problem.leading.c != 0 && (!c_rows_allow_tma(problem) || problem.groups != nullptr)) {
    return fmt::format(
        "ldc is {}: {}", problem.leading.c,
        problem.groups != nullptr
            ? "rows of C that lie in groups are tight"
            : "where rows of C are not tight, ldc and N must be multiples of 16 bytes");
  }
  return {};
}

/// All rules except compiler rejections, for operands in order and fp8 in pairs.
Refusal check_rules(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config) {
  const Tiling& t = config.tiling;
  const bool blackwell = gpu.architecture == Architecture::kBlackwell;
  if (uses_tcgen05(config.schedule) != blackwell) {
    return Refusal::kArchitecture;
  }
  if (blackwell) {
    return check_tcgen05(gpu, problem, config);
  }
  if (!counts_exist(config)) {
    return Refusal::kSchedule;
  }
  if (!cluster_exists(t)) {
    return Refusal::kCluster;
  }
  if (!schedule_allows(problem, config)) {
    return Refusal::kSchedule;
  }
  if (t.block_m > kMostBlockSide || t.block_n > kMostBlockSide) {
    return Refusal::kTmaBox;
  }
  if (!whole_wgmmas(config, problem.layout)) {
    return Refusal::kWgmmaShape;
  }
  if (!boxes_fit(t, problem.layout)) {
    return Refusal::kTmaBox;
  }
  if (t.block_k > kMostBlockK) {
    return Refusal::kSharedMemory;
  }
  if (threads_per_cta(config.schedule, t) * config.ctas_per_sm > gpu.sm.max_threads ||
      !registers_suffice(gpu, config, fused_registers(problem, config)) ||
      !registers_hold_deferred(config) || !defers_with_epilogue(config, problem.epilogue) ||
      (promotes(problem) && !registers_hold_promoted(config, problem.epilogue))) {
    return Refusal::kRegisters;
  }
  const i32 beside = bytes_beside_layout(problem, config);
  if (!c_fits_where_it_is_staged(config.schedule, t, c_column_bytes(problem)) ||
      ctas_by_shared_memory(gpu, config, beside) == 0) {
    return Refusal::kSharedMemory;
  }
  if (std::min(resident_ctas(gpu, config), ctas_by_shared_memory(gpu, config, beside)) <
      config.ctas_per_sm) {
    return Refusal::kOccupancy;
  }
  if (!why_no_split_exists(gpu, problem, config).empty()) {
    return Refusal::kSplit;
  }
  return Refusal::kNone;
}

}  // namespace

std::string why_no_split_exists(const GpuSpec& gpu, const GemmProblem& asked,
                                const KernelConfig& config) {
  if (!splits_k(config.schedule)) {
    return {};
  }
  const GemmProblem problem = as_run(asked, config);
  const u32 resident = static_cast<u32>(resident_workers(gpu, config));
  const i64 k_blocks = ceil_div<i64>(problem.shape.k, config.tiling.block_k);
  return why_not_split(make_tile_scheduler(problem, config, resident), k_blocks, config, resident);
}

std::string_view to_text(Refusal refusal) {
  static constexpr Words<Refusal, 14> kRefusals{{{Refusal::kNone, "none"},
                                                 {Refusal::kArchitecture, "architecture"},
                                                 {Refusal::kTensorMemory, "tensor_memory"},
                                                 {Refusal::kSchedule, "schedule"},
                                                 {Refusal::kWgmmaShape, "wgmma_shape"},
                                                 {Refusal::kTmaBox, "tma_box"},
                                                 {Refusal::kRegisters, "registers"},
                                                 {Refusal::kSharedMemory, "shared_memory"},
                                                 {Refusal::kOccupancy, "occupancy"},
                                                 {Refusal::kCluster, "cluster"},
                                                 {Refusal::kSplit, "split"},
                                                 {Refusal::kCompiler, "compiler"},
                                                 {Refusal::kBlock, "block"},
                                                 {Refusal::kAlignment, "alignment"}}};
  return word_of(kRefusals, refusal);
}

std::string why_not_solvable(const GpuSpec& gpu, const GemmProblem& problem) {
  const GemmShape& shape = problem.shape;
  if (problem.dtype == ElementType::kFp32) {
    return "GEMM takes dtype fp16, bf16, e4m3 or e5m2";
  }
  if (is_fp8(problem.dtype) && problem.layout != Layout::kTn) {
    return fmt::format("dtype {}: wgmma takes fp8 operands K-major only, layout tn",
                       to_text(problem.dtype));
  }
  if (is_fp8(problem.dtype) && gpu.architecture == Architecture::kBlackwell) {
    return fmt::format("dtype {}: kernels for Blackwell take fp16 or bf16", to_text(problem.dtype));
  }
  if (const std::string why = why_not_in_rows(gpu, problem); !why.empty()) {
    return why;
  }
  if (problem.layout != Layout::kTn && gpu.architecture == Architecture::kBlackwell) {
    return fmt::format("layout {}: kernels for Blackwell take layout tn (A is [M,K], B is [N,K])",
                       to_text(problem.layout));
  }
  if (fuses(problem.epilogue) && gpu.architecture == Architecture::kBlackwell) {
    return fmt::format("epilogue {}: kernels for Blackwell take none", to_text(problem.epilogue));
  }
  if (const std::string why = why_no_such_result(gpu, problem); !why.empty()) {
    return why;
  }
  if (shape.m > kMostSide || shape.n > kMostSide || shape.m * shape.n > kMostOutputs) {
    return fmt::format("M and N can be {} at most, and C can have {} elements", kMostSide,
                       kMostOutputs);
  }
  if (problem.epilogue.scales != Scales::kNone && !is_fp8(problem.dtype) &&
      !is_fp8_pair(problem.dtype)) {
    return fmt::format("epilogue {}: operands of fp8 have scales, those of {} none",
                       to_text(problem.epilogue), to_text(problem.dtype));
  }
  if (problem.epilogue.scales != Scales::kNone && problem.batch.products > 1) {
    return fmt::format("epilogue {}: kernels of a batch take no scales", to_text(problem.epilogue));
  }
  if (problem.groups != nullptr) {
    return why_not_in_groups(gpu, problem);
  }
  const i64 products = problem.batch.products;
  if (products > 1 && gpu.architecture == Architecture::kBlackwell) {
    return fmt::format("a batch of {}: kernels for Blackwell take one product", products);
  }
  return why_not_so_many(products, shape, "a batch of");
}

Refusal check_legal(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config) {
  if (is_fp8(problem.dtype)) {
    return config.tiling.block_k % 2 != 0
               ? Refusal::kWgmmaShape
               : check_legal(gpu, in_pairs(problem), in_pairs(problem.dtype, config));
  }
  KernelConfig in_order = config;
  in_order.operands = OperandOrder::kInOrder;
  if (in_order != config && !can_swap_operands(problem, config)) {
    return Refusal::kSchedule;
  }
  const Refusal refusal = check_rules(gpu, as_run(problem, config), in_order);
  return refusal == Refusal::kNone && any_rejects(gpu.compiler_rejections, problem, config)
             ? Refusal::kCompiler
             : refusal;
}

}  // namespace tilecast
