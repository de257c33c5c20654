#include "kernels/jit/gemm_source.h"

#include <fmt/format.h>

#include "kernels/gemm/gemm_args.h"
#include "kernels/registry.h"
#include "model/base/error.h"
#include "model/tile/fp8_pairs.h"
#include "model/tile/kernel_config_text.h"
#include "model/tile/kernel_rules.h"
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
  if (const std::string why = why_no_kernel(kind, config, scale); !why.empty()) {
    throw ConfigError(fmt::format("no kernel of {}: {}", to_text(config), why));
  }
  const GemmKernelInfo& kernel = gemm_kernel_info(config.schedule);
  return {.path = kernel.source,
          .defines = defines_for(config, kind, scale),
          .architecture = std::string(kernel.architecture)};
}

}  // namespace tilecast
