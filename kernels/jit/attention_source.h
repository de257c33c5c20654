// The source of one attention configuration's kernel, and the type that it is a template on.
#pragma once

#include "kernels/jit/compile.h"
#include "model/attention/attention_config.h"

namespace tilecast {

/// The entry point of every attention source.
constexpr const char* kAttentionEntry = "tilecast_attention";

/// Of the problem only types, head dimension, mask and heads of a KV head are compiled in: kernels
/// of other lengths, strides and numbers of splits share a cubin. `config` must be legal.
KernelSource attention_source(const AttentionConfig& config, const AttentionProblem& problem);

}  // namespace tilecast
