#include "kernels/jit/gemm_source.h"

#include <fmt/format.h>

#include "kernels/registry.h"
#include "model/base/error.h"
#include "model/tile/fp8_pairs.h"
#include "model/tile/kernel_config_text.h"
#include "model/tile/result_rules.h"
#include "model/tile/swapped_operands.h"

namespace tilecast {

std::vector<std::string> defines_for(const KernelConfig& asked, const ProblemKind& kind,
                                     SumScale scale) {
  const auto& [types, layout, epilogue, batched, grouped, parts_k, launch] = kind;
  const KernelConfig config = in_pairs(types.operands, asked);
  const Tiling& t = config.tiling;
  const bool swapped = config.operands == OperandOrder::kSwapped;
  const auto define = [](const char* name, i32 value) {
    return fmt::format("TILECAST_{}={}", name, value);
  };
  std::vector<std::string> defines = {
      define("SCHEDULE", static_cast<i32>(kernel_of(config.schedule))),
      define("BLOCK_M", t.block_m),
      define("BLOCK_N", t.block_n),
      define("BLOCK_K", t.block_k),
      define("STAGES", t.stages),
      define("WARPGROUPS_M", t.warpgroups_m),
      define("WARPGROUPS_N", t.warpgroups_n),
      define("CLUSTER_M", t.cluster_m),
      define("CLUSTER_N", t.cluster_n),
      define("C_SLOTS", t.c_slots),
      define("CTAS_PER_SM", config.ctas_per_sm),
      define("INFLIGHT", config.inflight),
      define("PRODUCER_REGISTERS", config.producer_registers),
      define("A_SOURCE", static_cast<i32>(config.a_source)),
      define("INSTRUCTION_N", config.instruction_n),
      define("ELEMENT_TYPE", static_cast<i32>(in_pairs(types.operands))),
      define("LAYOUT", static_cast<i32>(swapped ? transposed(layout) : layout)),
      define("DEFERRED", config.store == Store::kDeferred ? 1 : 0),
      define("HILBERT", config.raster.kind == RasterKind::kHilbert ? 1 : 0),
      define("SUM_SCALE", static_cast<i32>(scale)),
      define("BIAS", static_cast<i32>(epilogue.bias)),
      define("ACTIVATION", static_cast<i32>(epilogue.activation)),
  };
  if (types.c != in_pairs(types.operands)) {  // a C in fp8 is no pairs
    defines.push_back(define("C_TYPE", static_cast<i32>(types.c)));
  }
  if (epilogue.scales != Scales::kNone) {
    defines.push_back(define("SCALES", static_cast<i32>(epilogue.scales)));
  }
  if (const i32 result = (epilogue.residual ? kResultResidual : 0) +
                         (epilogue.amax ? kResultAmax : 0) + (epilogue.scale_c ? kResultScale : 0);
      result != 0) {
    defines.push_back(define("RESULT", result));
  }
  if (types.accumulate == Accumulate::kExact) {
    defines.push_back(define("EXACT", 1));
  }
  if (c_last_columns(t) > 0) {
    defines.push_back(define("C_LAST", 1));
  }
  if (swapped) {
    defines.push_back(define("SWAPPED", 1));
  }
  if (batched || grouped || parts_k) {
    defines.push_back(define("BATCHED", 1));
  }
  if (grouped) {
    defines.push_back(define("GROUPED", 1));
  }
  if (launch != LaunchOrder::kInTurn) {
    defines.push_back(define("LAUNCH", static_cast<i32>(launch)));
  }
  if (parts_k) {
    defines.push_back(define("GROUPED_K", 1));
  }
  if (uses_tcgen05(config.schedule)) {
    defines.push_back(define("ACCUMULATORS", config.accumulators));
    // Of the grids only this one changes the kernel.
    defines.push_back(define("TAKEOVER", config.grid == Grid::kTakeover ? 1 : 0));
  }
  return defines;
}

KernelSource gemm_source(const KernelConfig& config, const ProblemKind& kind, SumScale scale) {
  const auto& [types, layout, epilogue, batched, grouped, parts_k, launch] = kind;
  const GemmKernelInfo& kernel = gemm_kernel_info(config.schedule);
  if (!kernel.supports(types.operands)) {
    throw ConfigError(
        fmt::format("{} has no {} kernel", to_text(config.schedule), to_text(types.operands)));
  }
  if (!kernel.supports(layout) || (is_fp8(types.operands) && layout != Layout::kTn)) {
    throw ConfigError(
        fmt::format("{} has no kernel for layout {}", to_text(config.schedule), to_text(layout)));
  }
  const bool pair_alone = uses_tcgen05(config.schedule) && config.tiling.cluster_n == 1;
  if (cluster_size(config.tiling) > 1 && !traits_of(config.schedule).shares_operands &&
      !pair_alone) {
    throw ConfigError(fmt::format("{} has no kernel for clusters", to_text(config.schedule)));
  }
  if (fuses(epilogue) && uses_tcgen05(config.schedule)) {
    throw ConfigError(fmt::format("{} has no kernel for epilogue {}", to_text(config.schedule),
                                  to_text(epilogue)));
  }
  if (types.accumulate == Accumulate::kExact &&
      !(is_fp8(types.operands) && can_promote(in_pairs(types.operands, config)))) {
    throw ConfigError(fmt::format("{} has no kernel whose {} sums are exact", to_text(config),
                                  to_text(types.operands)));
  }
  if (has_block_scales(epilogue) && !takes_block_scales(in_pairs(types.operands, config))) {
    throw ConfigError(fmt::format("{} has no kernel for epilogue {}", to_text(config.schedule),
                                  to_text(epilogue)));
  }
  if (!takes_result(in_pairs(types.operands, config), types.c, epilogue) ||
      (scale == SumScale::kAlphaBeta && !takes_alpha_beta(types.c, epilogue))) {
    throw ConfigError(fmt::format("{} has no kernel for epilogue {} and C in {}", to_text(config),
                                  to_text(epilogue), to_text(types.c)));
  }
  if (batched && (uses_tcgen05(config.schedule) || traits_of(config.schedule).one_k_block)) {
    throw ConfigError(fmt::format("{} has no kernel for batches", to_text(config.schedule)));
  }
  if (config.operands == OperandOrder::kSwapped &&
      (!a_is_k_major(layout) || fuses(epilogue) || batched || grouped || parts_k ||
       config.store == Store::kDeferred || !has_ring(config.schedule) ||
       element_bytes(types.c) != kOperandBytes)) {
    throw ConfigError(fmt::format("{} has no kernel for this problem", to_text(config)));
  }
  if (config.a_source == OperandSource::kRegisters && !a_is_k_major(layout)) {
    throw ConfigError(
        fmt::format("{} has no kernel for layout {}", to_text(config), to_text(layout)));
  }
  if ((grouped || parts_k) && element_bytes(types.c) != kOperandBytes) {
    throw ConfigError(
        fmt::format("{} has no kernel for groups with C in {}", to_text(config), to_text(types.c)));
  }
  if (grouped &&
      (!walks_groups(config) || !a_is_k_major(layout) || epilogue != in_main_loop(epilogue))) {
    throw ConfigError(fmt::format("{} has no kernel for groups", to_text(config)));
  }
  if (launch != LaunchOrder::kInTurn && uses_tcgen05(config.schedule)) {
    throw ConfigError(
        fmt::format("{} has no kernel for programmatic launches", to_text(config.schedule)));
  }
  if (parts_k && (!walks_groups(config) || layout != Layout::kNt || fuses(epilogue))) {
    throw ConfigError(fmt::format("{} has no kernel for groups along K", to_text(config)));
  }
  return {.path = kernel.source,
          .defines = defines_for(config, kind, scale),
          .architecture = std::string(kernel.architecture)};
}

}  // namespace tilecast
