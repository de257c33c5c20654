// The configuration a GEMM kernel is compiled for, from the macros that kernels/jit defines. Only
// what must be constant is here: raster, group, shape and grid are run-time arguments.
#pragma once

#include "model/tile/gemm_problem.h"
#include "model/tile/kernel_config.h"

namespace tilecast {

constexpr Tiling kTiling{
    .block_m = TILECAST_BLOCK_M,
    .block_n = TILECAST_BLOCK_N,
    .block_k = TILECAST_BLOCK_K,
    .stages = TILECAST_STAGES,
    .warpgroups = TILECAST_WARPGROUPS,
    .cluster_m = TILECAST_CLUSTER_M,
    .cluster_n = TILECAST_CLUSTER_N,
};
constexpr i32 kCtasPerSm = TILECAST_CTAS_PER_SM;
constexpr i32 kInflight = TILECAST_INFLIGHT;
constexpr ElementType kElementType = static_cast<ElementType>(TILECAST_ELEMENT_TYPE);
constexpr Layout kLayout = static_cast<Layout>(TILECAST_LAYOUT);

}  // namespace tilecast
