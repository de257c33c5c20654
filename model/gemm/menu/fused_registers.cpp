#include "model/gemm/menu/fused_registers.h"

namespace tilecast {
namespace {

/// Properties of a problem that cost registers.
struct Fused {
  bool bias, row_scales, activation, gate, residual, amax, wide_c, narrow_c;

  static Fused of(const GemmProblem& problem) {
    const Epilogue& e = problem.epilogue;
    const ElementType c = c_type(problem);
    return {.bias = e.has(OutputKind::kBias),
            .row_scales = e.of(OutputKind::kScale) == step<ScaleRow>(),
            .activation = e.has(OutputKind::kActivate),
            .gate = gates(e),
            .residual = e.has(OutputKind::kLoad),
            .amax = e.has(OutputKind::kAmax),
            .wide_c = c == ElementType::kFp32,
            .narrow_c = c == ElementType::kE4m3};
  }
  bool residual_with_more() const {
    return residual && (bias || row_scales || activation || amax || wide_c);
  }
};

/// Registers of consumer warpgroups, which only multiply and store; the residual comes through the
/// ring.
i32 of_consumers(const Fused& fused) {
  return (fused.residual_with_more() ? 32 : 0) + (fused.gate && fused.bias ? 24 : 0) +
         (fused.gate && fused.row_scales ? 72 : 0) + (fused.wide_c ? 8 : 0) +
         (fused.narrow_c && fused.bias ? 8 : 0);
}

/// Registers of kernels that split K, which load partial sums and the residual.
i32 of_parts(const Fused& fused) {
  return (fused.residual_with_more() ? 56 : 0) + (fused.gate && fused.row_scales ? 72 : 0);
}

/// Registers of threads that also load the next tile's operands.
i32 of_loaders(const Fused& fused, const KernelConfig& config, bool many_products) {
  const i32 activation = !fused.activation || !fused.bias ? 0
                         : fused.gate                     ? 32
                         : many_products                  ? 16
                                                          : 0;
  const bool on_curve = config.raster.kind == RasterKind::kHilbert && config.tiling.cluster_n > 1;
  return activation + (fused.residual_with_more() ? 96 : 0) +
         (fused.amax && fused.activation ? 24 : 0) + (on_curve ? 4 : 0);
}

}  // namespace

i32 fused_registers(const GemmProblem& problem, const KernelConfig& config) {
  const Fused fused = Fused::of(problem);
  if (splits_k(config.schedule)) {
    return of_parts(fused);
  }
  if (has_producer_warpgroup(config.schedule)) {
    return of_consumers(fused);
  }
  return traits_of(config.schedule).loads_run_ahead
             ? of_loaders(fused, config, problem.batch.products > 1)
             : 0;
}

bool defers_with_epilogue(const KernelConfig& config, const Epilogue& epilogue) {
  return config.store != Store::kDeferred || !epilogue.has(OutputKind::kAmax) ||
         config.ctas_per_sm == 1;
}

}  // namespace tilecast
