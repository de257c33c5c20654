// Generates the source of one attention configuration's kernel.
#pragma once

#include "kernels/jit/compile.h"
#include "model/attention/attention_config.h"

namespace tilecast {

/// Entry point of every attention source.
constexpr const char* kAttentionEntry = "tilecast_attention";

/// Only types, head dimension, mask and query heads per KV head are compiled in, so kernels for
/// other lengths, strides and numbers of splits share a cubin. `config` must be legal.
KernelSource attention_source(const AttentionConfig& config, const AttentionProblem& problem);

}  // namespace tilecast
