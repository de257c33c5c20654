// Checks an fp32 attention output against fp64, one warp per element. Checks every element if
// `samples` covers O, otherwise elements chosen by a hash. Shares no code with the other attention
// kernels.
//
// Bound: |error| <= 2^-13 sum w |v|; w are the weights. The error of fp32 scores is typically 1e-6,
// and at most head_dim / 2^24 sum |q k| scale = 2e-4.
#include "kernels/ptx/convert.cuh"
#include "kernels/verify/check_output.h"
#include "kernels/verify/warp_sum.cuh"
#include "model/attention/attention_problem.h"

namespace tilecast {

extern "C" __global__ void __launch_bounds__(256)
    tilecast_reference_attention_rows(const unsigned short* q, const unsigned short* k,
                                      const unsigned short* v, const AttentionProblem problem,
                                      float scale, const float* o, u64 samples,
                                      ReferenceCheck* check) {
  const AttentionProblem& p = problem;
  const AttentionStrides of_q = attention_strides(p.layout, p.heads, p.queries, p.head_dim);
  const AttentionStrides of_k = attention_strides(p.layout, p.kv_heads, p.keys, p.head_dim);
  const i32 lane = static_cast<i32>(threadIdx.x % 32);
  const u64 warps = static_cast<u64>(gridDim.x) * (blockDim.x / 32);
  const u64 elements = static_cast<u64>(p.batch) * static_cast<u64>(p.heads) *
                       static_cast<u64>(p.queries) * static_cast<u64>(p.head_dim);
  const auto value = [&](const unsigned short* from, i64 at) {
    return static_cast<double>(ptx::value_of_bits(from[at], p.dtype));
  };
  for (u64 sample = static_cast<u64>(blockIdx.x) * (blockDim.x / 32) + threadIdx.x / 32;
       sample < samples; sample += warps) {
    const u64 mixed = (sample + 1) * 0x9e3779b97f4a7c15ull;
    const u64 index = samples >= elements ? sample % elements : (mixed ^ (mixed >> 29)) % elements;
    const u64 head_dim = static_cast<u64>(p.head_dim), queries = static_cast<u64>(p.queries);
    const i32 column = static_cast<i32>(index % head_dim);
    const i32 query = static_cast<i32>(index / head_dim % queries);
    const u64 of_all = index / head_dim / queries;
    const i32 head = static_cast<i32>(of_all % static_cast<u64>(p.heads));
    const i64 batch = static_cast<i64>(of_all / static_cast<u64>(p.heads));
    const i64 at_q = batch * of_q.batch + head * of_q.head + query * of_q.row;
    const i64 at_k = batch * of_k.batch + head / heads_per_kv(p) * of_k.head;
    double weights = 0, sum = 0, magnitude = 0;
    for (i32 key = lane; key < keys_seen(p, query); key += 32) {
      double score = 0;
      for (i32 d = 0; d < p.head_dim; ++d) {
        score += value(q, at_q + d) * value(k, at_k + key * of_k.row + d);
      }
      const double weight = exp(score * static_cast<double>(scale));
      const double term = weight * value(v, at_k + key * of_k.row + column);
      weights += weight;
      sum += term;
      magnitude += fabs(term);
    }
    weights = warp_sum(weights);
    sum = warp_sum(sum);
    magnitude = warp_sum(magnitude);
    if (lane != 0) {
      continue;
    }
    const double expected = weights > 0 ? sum / weights : 0;
    const double bound = weights > 0 ? magnitude / weights / 8192 : 0;
    if (!(fabs(static_cast<double>(o[at_q + column]) - expected) <= bound)) {
      atomicAdd(&check->wrong, u64{1});
      atomicMin(&check->first_wrong, index);
    }
    atomicAdd(&check->checked, u64{1});
  }
}

}  // namespace tilecast
