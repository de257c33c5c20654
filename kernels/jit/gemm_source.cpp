#include "kernels/jit/gemm_source.h"

#include <fmt/format.h>

#include <cctype>

#include "kernels/gemm/gemm_args.h"
#include "kernels/jit/config_writer.h"
#include "kernels/registry.h"
#include "model/base/error.h"
#include "model/base/text.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/gemm/config/register_plan.h"
#include "model/gemm/config/residual_ring.h"
#include "model/gemm/config/smem_layout.h"
#include "model/gemm/config/tensor_memory.h"
#include "model/gemm/problem/swapped_operands.h"
#include "model/gemm/rules/kernel_rules.h"

namespace tilecast {
namespace {

/// The entry point that launches look up: kGemmEntry.
constexpr const char* kEntryText = R"(
extern "C" __global__ void
__launch_bounds__(tilecast::Config::kThreads, tilecast::Config::kCtasPerSm)
    tilecast_gemm(const __grid_constant__ tilecast::Args<tilecast::Config> args) {
  tilecast::run(args);
}
)";

/// Type of a step, derived from its name: scale_row is ScaleRow.
std::string type_of_step(const Epilogue& epilogue, OutputKind kind) {
  if (!epilogue.has(kind)) {
    return "NoStep";
  }
  std::string type;
  for (const std::string_view word : split(row_of(epilogue.of(kind)).word, '_')) {
    type += word;
    char& first = type[type.size() - word.size()];
    first = static_cast<char>(std::toupper(first));
  }
  return type;
}

/// Number of groups of sixteen columns of R that are loaded ahead, limited by registers.
i32 residual_ahead(const KernelConfig& config, const ProblemKind& kind) {
  constexpr i32 kMostRegisters = 255, kMostAhead = 8;
  const i32 beside = kind.epilogue.has(OutputKind::kAmax) ? 104 : 72;
  const Tiling& t = config.tiling;
  const i32 share = kRegistersPerSm / (threads_per_cta(config.schedule, t) * config.ctas_per_sm);
  const i32 own = has_producer_warpgroup(config.schedule)
                      ? register_plan(consumer_warpgroups(config.schedule, t), config.ctas_per_sm,
                                      config.producer_registers)
                            .consumer
                      : min_of(kMostRegisters, share);
  const i32 words =
      max_of(2, element_bytes(kind.types.c)) / 2;  // 32-bit words that two adjacent elements fill
  return max_of(1, min_of(kMostAhead, (own - accumulator_registers(t) - beside) / (4 * words)));
}

}  // namespace

std::string config_text(const KernelConfig& asked, const ProblemKind& kind, SumScale scale) {
  const ElementType operands = kind.types.operands, c = kind.types.c;
  const Epilogue& epilogue = kind.epilogue;
  KernelConfig config = for_operands(operands, asked);
  config.schedule = kernel_of(config.schedule);
  const Schedule schedule = config.schedule;
  const Tiling& t = config.tiling;
  const bool swapped = config.operands == OperandOrder::kSwapped;
  const Layout layout = swapped ? transposed(kind.layout) : kind.layout;
  const i32 column_bytes = c_column_bytes(c, epilogue);
  const i32 consumers = consumer_warpgroups(schedule, t), instruction = instruction_n(config);
  const SmemLayout smem = smem_layout(schedule, t, column_bytes);
  const RegisterPlan registers =
      register_plan(consumers, config.ctas_per_sm, config.producer_registers);
  const bool in_ring = residual_stages(config, column_bytes, epilogue) > 0;
  const bool block_scales = has_block_scales(epilogue), loads = epilogue.has(OutputKind::kLoad);
  const bool finds_amax = epilogue.has(OutputKind::kAmax), gate = gates(epilogue);
  // Kernels that split K and fuse nothing always contain this code: without it, ptxas allocates
  // registers such that some of them spill.
  const bool scales =
      scale == SumScale::kAlphaBeta ||
      (schedule == Schedule::kStreamK && !fuses(epilogue) && c != ElementType::kE4m3);
  const i32 deferred = deferred_chunks(config, scales ? kBesideDeferredScaled : kBesideDeferred);
  const bool matrices = element_bytes(c) == 2 && !gate;
  bool by_conversion = false;
  OutputSteps::visit<OutputKind::kActivate>(epilogue.of(OutputKind::kActivate), [&](auto activate) {
    by_conversion = decltype(activate)::kByConversion;
  });
  const i32 box_columns = c_box_columns(config, column_bytes, epilogue);
  const i32 box_row_bytes = box_columns * column_bytes;

  ConfigWriter w;
  w.add("Tiling", "kTiling",
        fmt::format("{{.block_m = {}, .block_n = {}, .block_k = {}, .stages = {},\n"
                    "      .warpgroups_m = {}, .warpgroups_n = {}, "
                    ".cluster_m = {}, .cluster_n = {},\n"
                    "      .c_slots = {}, .operand_bytes = {}}}",
                    t.block_m, t.block_n, t.block_k, t.stages, t.warpgroups_m, t.warpgroups_n,
                    t.cluster_m, t.cluster_n, t.c_slots, t.operand_bytes));
  w.count("kThreads", threads_per_cta(schedule, t), "threads per CTA");
  w.count("kCtasPerSm", config.ctas_per_sm, "CTAs that must fit on an SM, as the compiler is told");
  w.count("kConsumerWarpgroups", consumers, "warpgroups that issue wgmma");
  w.add("RegisterPlan", "kRegisters",
        fmt::format("{{.producer = {}, .consumer = {}, .at_launch = {}}}", registers.producer,
                    registers.consumer, registers.at_launch),
        "registers per thread");
  w.count("kInflight", config.inflight,
          "K blocks whose wgmmas may still run when the next ones are issued");
  w.count("kClusterSize", cluster_size(t));
  w.count("kClusterPeers", t.cluster_m + t.cluster_n - 1, "CTAs that read what one CTA loads");
  w.add("LaunchOrder", "kLaunch",
        kind.launch == LaunchOrder::kInTurn         ? "LaunchOrder::kInTurn"
        : kind.launch == LaunchOrder::kProgrammatic ? "LaunchOrder::kProgrammatic"
                                                    : "LaunchOrder::kBesideEpilogue");

  w.line("// The problem.");
  w.add("ElementType", "kElementType", enumerator_of(operands), "type of A and B");
  w.add("ElementType", "kCType", enumerator_of(c));
  w.add("ElementType", "kHalfType", enumerator_of(half_type(c)),
        "type of the bias; also of C if C has 16 bits");
  w.count("kCBytes", element_bytes(c));
  w.flag("kAKMajor", a_is_k_major(layout), "A is [m,k], else [k,m]");
  w.flag("kBKMajor", b_is_k_major(layout), "B is [n,k], else [k,n]");
  w.flag("kBatched", kind.batched || kind.grouped || kind.parts_k,
         "one launch computes several GEMMs: a batch or groups");
  w.flag("kGrouped", kind.grouped, "groups along M, each with its own B");
  w.flag("kGroupedAlongK", kind.parts_k, "groups along K, each with its own C");
  w.flag("kSwapped", swapped, "the kernel computes C transposed");
  w.flag("kPromoted", kind.types.accumulate == Accumulate::kExact || block_scales,
         "sums leave the tensor cores K block by K block");
  w.flag("kScales", scales, "alpha A B + beta C");
  w.flag("kOnHilbertCurve", config.raster.kind == RasterKind::kHilbert, "the order of tiles");
  w.flag("kMmaSync", uses_mma_sync(schedule), "threads copy operands and C, without TMA");

  w.line("// The epilogue: one type per kind of step, and properties that kernels use.");
  w.type("Scales", type_of_step(epilogue, OutputKind::kScale));
  w.type("Bias", type_of_step(epilogue, OutputKind::kBias));
  w.type("Activate", type_of_step(epilogue, OutputKind::kActivate));
  w.type("Load", type_of_step(epilogue, OutputKind::kLoad));
  w.type("Convert", type_of_step(epilogue, OutputKind::kConvert));
  const auto reads = [&](OutputKind step) { return row_of(epilogue.of(step)).reads; };
  w.flag("kFuses", fuses(epilogue));
  w.flag("kScalesOperands", epilogue.has(OutputKind::kScale));
  w.flag("kTensorScales", reads(OutputKind::kScale).whole > 0);
  w.flag("kRowScales", reads(OutputKind::kScale).row > 0 && !block_scales);
  w.flag("kBlockScales", block_scales);
  w.flag("kAddsBias", epilogue.has(OutputKind::kBias));
  w.flag("kBiasOfRows", reads(OutputKind::kBias).row > 0, "one element per row of C");
  w.flag("kBiasOfColumns", reads(OutputKind::kBias).column > 0);
  w.flag("kActivates", epilogue.has(OutputKind::kActivate));
  w.flag("kGates", gate, "two columns of A B are combined into one of C");
  w.flag("kActivatesByConversion", by_conversion,
         "the conversion to 16 bits also applies the activation");
  w.flag("kLoads", loads, "loads a residual, a matrix like C");
  w.flag("kFindsAmax", finds_amax);
  w.flag("kScalesC", epilogue.has(OutputKind::kConvert));

  w.line("// Shared memory.");
  w.add("SmemLayout", "kSmem",
        fmt::format("{{.a_stage_bytes = {}, .b_stage_bytes = {}, .b_stages = {},\n"
                    "      .c_slot_bytes = {}, .b_offset = {}, "
                    ".c_offset = {},\n"
                    "      .barrier_offset = {}, .tcgen05_offset = {}, "
                    ".total_bytes = {}}}",
                    smem.a_stage_bytes, smem.b_stage_bytes, smem.b_stages, smem.c_slot_bytes,
                    smem.b_offset, smem.c_offset, smem.barrier_offset, smem.tcgen05_offset,
                    smem.total_bytes));
  const i32 slab_row_bytes = k_slab_elements(t) * t.operand_bytes;
  w.count("kSlab", k_slab_elements(t), "elements along K in a swizzled row of a K-major operand");
  w.count("kSlabRowBytes", slab_row_bytes);
  w.count("kOperandBytes", t.operand_bytes, "bytes of an element of A or B");
  w.count("kARowsStep", a_rows_step(t, layout), "rows of A are loaded in multiples of this");
  w.count("kScaleBytes", block_scales ? scale_copies(t) * scale_box_bytes(t) : 0,
          "bytes of block scales loaded with each K block");
  w.count("kScaleCopies", scale_copies(t));
  w.count("kScaleBoxRows", scale_box_rows(t));
  w.count("kScaleStageBytes", scale_stage_bytes(t));
  w.count("kScaleRingOffset", smem.total_bytes + scale_ring_offset(t));
  w.count("kRingsEnd", smem.total_bytes + scale_ring_bytes(epilogue, t));

  w.line("// wgmma.");
  w.count("kInstructionN", instruction, "columns per instruction");
  w.count("kInstructionK", instruction_k(t), "elements along K per instruction");
  w.count("kSteps", k_steps(t), "instructions along a K block");
  w.count("kMmasAlongM", wgmmas_along_m(t), "instructions of a warpgroup along M");
  w.count("kMmasAlongN", wgmmas_along_n(config));
  w.count("kWarpgroupRows", warpgroup_rows(t), "rows of the tile per warpgroup");
  w.count("kWarpgroupColumns", warpgroup_columns(t));
  w.count("kAccumulatorRegisters", accumulator_registers(t), "registers per thread");
  w.flag("kAInRegisters", config.a_source == OperandSource::kRegisters);
  w.flag("kMmasKeepToSlabs", wgmmas_keep_to_slabs(config));

  w.line("// tcgen05.");
  w.count("kCtaGroup", cta_group(t), "CTAs that share an instruction");
  w.flag("kTakesOver", config.grid == Grid::kTakeover,
         "a CTA takes over tiles by cluster launch control");
  w.count("kAccumulators", config.accumulators, "tiles in tensor memory");
  w.count("kTensorMemoryAsked", tensor_memory_columns(config));
  w.flag("kTensorMemorySuffices", tensor_memory_suffices(config));
  w.count("kPartChunks", c_chunks(schedule, t));

  w.line(
      "// Storing C: a warpgroup's part of a tile is staged in chunks, and TMA stores them as "
      "boxes.");
  w.flag("kCBorrows", t.c_slots == 0, "C is staged in stages of the ring, not in its own slots");
  w.count("kColumnBytes", column_bytes, "bytes of C per column of A B");
  w.count("kSlotColumns", c_slot_columns(t), "columns of a chunk");
  w.count("kLastColumns", c_last_columns(config, column_bytes, epilogue),
          "columns of the last chunk if it has a tensor map of its own");
  w.count("kBoxColumns", box_columns);
  w.count("kBoxRowBytes", box_row_bytes);
  w.count("kBoxBytes", kWgmmaM * box_row_bytes);
  w.count("kChunksAcross", ceil_div(warpgroup_columns(t), c_slot_columns(t)));
  w.count("kChunks", c_chunks(t));
  w.flag("kDefers", deferred > 0, "a tile is stored during the next tile's K blocks");
  w.count("kDeferredChunks", deferred);
  w.flag("kStagesMatrices", matrices, "C is staged by stmatrix");
  w.flag("kRoundsPairs", matrices && !loads && !finds_amax,
         "elements are rounded in pairs right after the activation");
  w.count("kSixteenWords", 2 * column_bytes, "words that a thread stages per sixteen columns");
  w.flag("kResidualInRing", in_ring, "the residual is loaded through the ring of stages");
  w.count("kResidualChunks", residual_chunks_in_stage(schedule, t, column_bytes));
  w.count("kResidualAhead", residual_ahead(config, kind));
  return w.text();
}

std::string source_text(const std::string& path, const std::string& config) {
  return fmt::format("#include \"kernels/gemm/gemm_config.h\"\n\n{}\n#include \"{}\"\n", config,
                     path);
}

KernelSource gemm_source(const KernelConfig& config, const ProblemKind& kind, SumScale scale) {
  if (const std::string why = why_no_kernel(kind, config, scale); !why.empty()) {
    throw ConfigError(fmt::format("no kernel for {}: {}", to_text(config), why));
  }
  const GemmKernelInfo& kernel = gemm_kernel_info(config.schedule);
  return {.path = kernel.source,
          .architecture = std::string(kernel.architecture),
          .text = source_text(kernel.source, config_text(config, kind, scale)) + kEntryText};
}

}  // namespace tilecast
