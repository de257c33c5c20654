// Attention in fp32 and fp64, without the maxima of a softmax, so that only the input is shared
// with the kernels. Normal inputs have |score| <= 1.5 sqrt(head_dim) = 24 after scaling: exp stays
// far from the limits of fp32.
//
// Each CTA takes 16 rows of a head, in blocks of 16 keys. Scores and a block's sums are in fp32,
// sums over blocks in fp64. With weights w that add up to 1, it writes, in O's layout, O = sum w v,
// sqrt(sum w^2 v^2), from which the check computes its bound, and log(sum exp). Checked by:
// reference_attention_rows.cu on the device, attention_lab_test.cpp.
#include "kernels/ptx/convert.cuh"
#include "model/attention/attention_problem.h"

namespace tilecast {

constexpr i32 kRows = 16, kKeys = 16;  // rows and keys of a tile
constexpr i32 kThreads = kRows * kKeys;
constexpr i32 kMostHeadDim = 256, kPad = 4;     // floats; rows begin in different banks
constexpr i32 kColumns = kMostHeadDim / kKeys;  // maximum number of columns per thread

using Matrix = float[kRows][kMostHeadDim + kPad];

/// Loads rows `first` to `first` + 15 of a head as fp32; rows after the last one are zeros.
__device__ void load_rows(Matrix& to, const unsigned short* head, i64 row_stride, i32 first,
                          i32 rows, i32 head_dim, ElementType type) {
  const i32 warp = static_cast<i32>(threadIdx.x) / 32, lane = static_cast<i32>(threadIdx.x) % 32;
  for (i32 row = warp; row < kRows; row += kThreads / 32) {
    for (i32 d = lane; d < head_dim; d += 32) {
      to[row][d] = first + row < rows
                       ? ptx::value_of_bits(head[(first + row) * row_stride + d], type)
                       : 0.0f;
    }
  }
}

extern "C" __global__ void __launch_bounds__(kThreads)
    tilecast_reference_attention(const unsigned short* q, const unsigned short* k,
                                 const unsigned short* v, const AttentionProblem problem,
                                 float scale, float* o, float* deviation, float* lse) {
  alignas(16) __shared__ Matrix queries, keys;  // `keys` holds K's rows, then V's
  __shared__ float weights[kRows][kKeys];
  const AttentionProblem& p = problem;
  const AttentionStrides of_q = attention_strides(p.layout, p.heads, p.queries, p.head_dim);
  const AttentionStrides of_k = attention_strides(p.layout, p.kv_heads, p.keys, p.head_dim);
  const i32 row = static_cast<i32>(threadIdx.x) / kKeys;
  const i32 lane = static_cast<i32>(threadIdx.x) % kKeys;
  const i32 tiles_of_head = ceil_div(p.queries, kRows);
  const i64 tiles = i64{p.batch} * p.heads * tiles_of_head;
  for (i64 tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const i64 of_all = tile / tiles_of_head;
    const i32 batch = static_cast<i32>(of_all / p.heads), head = static_cast<i32>(of_all % p.heads);
    const i32 first = static_cast<i32>(tile % tiles_of_head) * kRows;
    const i64 at_k = batch * of_k.batch + head / heads_per_kv(p) * of_k.head;
    const i32 seen = keys_seen(p, first + row);
    const i32 most_seen = keys_seen(p, min_of(first + kRows, p.queries) - 1);
    load_rows(queries, q + batch * of_q.batch + head * of_q.head, of_q.row, first, p.queries,
              p.head_dim, p.dtype);
    double sums[kColumns] = {}, total = 0;
    float squares[kColumns] = {};
    for (i32 block = 0; block < most_seen; block += kKeys) {
      load_rows(keys, k + at_k, of_k.row, block, p.keys, p.head_dim, p.dtype);
      __syncthreads();
      float score = 0;
      for (i32 d = 0; d < p.head_dim; d += kPad) {
        const float4 a = *reinterpret_cast<const float4*>(&queries[row][d]);
        const float4 b = *reinterpret_cast<const float4*>(&keys[lane][d]);
        score = fmaf(a.x, b.x, fmaf(a.y, b.y, fmaf(a.z, b.z, fmaf(a.w, b.w, score))));
      }
      weights[row][lane] = block + lane < seen ? expf(score * scale) : 0.0f;
      __syncthreads();
      load_rows(keys, v + at_k, of_k.row, block, p.keys, p.head_dim, p.dtype);
      __syncthreads();
      float of_block = 0;
      for (i32 key = 0; key < kKeys; ++key) {
        of_block += weights[row][key];
      }
      total += static_cast<double>(of_block);
#pragma unroll
      for (i32 column = 0; column < kColumns; ++column) {
        const i32 d = column * kKeys + lane;
        if (d >= p.head_dim) {
          break;
        }
        float sum = 0, square = 0;
        for (i32 key = 0; key < kKeys; ++key) {
          const float term = weights[row][key] * keys[key][d];
          sum += term;
          square = fmaf(term, term, square);
        }
        sums[column] += static_cast<double>(sum);
        squares[column] += square;
      }
      __syncthreads();
    }
    if (first + row < p.queries) {
      const double all = seen == 0 ? 1 : total;
      const i64 at = batch * of_q.batch + head * of_q.head + (first + row) * of_q.row + lane;
#pragma unroll
      for (i32 column = 0; column < kColumns; ++column) {
        if (column * kKeys >= p.head_dim) {
          break;
        }
        o[at + column * kKeys] = static_cast<float>(sums[column] / all);
        deviation[at + column * kKeys] = sqrtf(squares[column]) / static_cast<float>(all);
      }
      if (lse != nullptr && lane == 0) {
        lse[(i64{batch} * p.heads + head) * p.queries + first + row] =
            static_cast<float>(log(total));  // -infinity if no key is visible
      }
    }
    __syncthreads();  // queries are no longer read
  }
}

}  // namespace tilecast
