// Builds the launch arguments of an attention kernel from problem, configuration and buffers.
// Shared by launches (kernels/jit/attention_launch.h) and emitted programs, each of which passes
// its own tensor-map encoder.
#pragma once

#include "kernels/attention/attention_args.h"
#include "kernels/launch/heads_view.h"

namespace tilecast {

/// A tensor of heads in device memory, 16-byte aligned. Strides are in elements and are multiples
/// of 16 bytes.
struct HeadsBuffer {
  void* pointer;
  AttentionStrides strides;
};

struct AttentionBuffers {
  HeadsBuffer q, k, v, o;
  float* lse = nullptr;  // [batch, heads, queries], if the problem returns it
};

/// Describes contiguous tensors in the problem's layout.
inline AttentionBuffers tight_buffers(const AttentionProblem& p, void* q, void* k, void* v, void* o,
                                      float* lse) {
  const AttentionStrides of_queries = attention_strides(p.layout, p.heads, p.queries, p.head_dim);
  const AttentionStrides of_keys = attention_strides(p.layout, p.kv_heads, p.keys, p.head_dim);
  return {{q, of_queries}, {k, of_keys}, {v, of_keys}, {o, of_queries}, lse};
}

/// Number of floats of the partial outputs, which precede the partial log-sum-exps.
inline i64 partial_output_elements(const AttentionProblem& p, const AttentionConfig& config) {
  return i64{p.batch} * p.heads * p.queries * config.splits * p.head_dim;
}

/// Binds everything except the workspace. `scale`: softmax scale, positive. `encode(view, box)`
/// makes a tensor map.
template <class Encode>
AttentionArgs bind_attention(const AttentionProblem& p, const AttentionConfig& config,
                             const AttentionBuffers& buffers, float scale, Encode encode) {
  constexpr float kLog2E = 1.44269504088896341f;
  const PackedHeads packed = packed_heads(p, config);
  const auto map = [&](const HeadsBuffer& buffer, i64 heads, i64 rows, i64 shared, HeadsBox box) {
    return encode(HeadsView{.pointer = buffer.pointer,
                            .dtype = p.dtype,
                            .head_dim = p.head_dim,
                            .heads = shared,
                            .rows = rows,
                            .sets = heads / shared,
                            .batch = p.batch,
                            .head_stride = buffer.strides.head,
                            .row_stride = buffer.strides.row,
                            .batch_stride = buffer.strides.batch},
                  box);
  };
  AttentionArgs args{};
  args.q = map(buffers.q, p.heads, p.queries, packed.shared, query_box(packed));
  args.o = map(buffers.o, p.heads, p.queries, packed.shared, query_box(packed));
  args.k = map(buffers.k, p.kv_heads, p.keys, 1, kv_box(config));
  args.v = map(buffers.v, p.kv_heads, p.keys, 1, kv_box(config));
  args.work = attention_work(p, config);
  args.tiles = args.work.tiles();
  args.heads = p.heads;
  args.heads_per_kv = FastDivisor::of(static_cast<u32>(args.work.heads / p.kv_heads));
  args.scale_log2 = scale * kLog2E;
  args.lse = buffers.lse;
  args.out = buffers.o.pointer;
  args.out_strides = buffers.o.strides;
  return args;
}

}  // namespace tilecast
