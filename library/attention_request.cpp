#include "library/attention_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "library/arguments.h"
#include "library/caller_struct.h"
#include "model/attention/attention_model.h"

namespace tilecast {
namespace {

constexpr std::size_t kFirstAttentionSize = 168;
static_assert(sizeof(tilecast_attention) >= kFirstAttentionSize);

constexpr i64 kMostCount = i64{1} << 24;
constexpr i64 kMostElementStride = i64{1} << 38;  // tensor maps have strides below 2^40 bytes
constexpr i64 kWholeElements = 8;                 // elements of 16 bytes
constexpr std::size_t kElementBytes = 2;
constexpr double kMostExtent = 0x1p46;

i32 count(const char* name, i64 value) {
  return static_cast<i32>(count_of(name, value, kMostCount));
}

/// A dimension of a tensor of heads.
struct Dimension {
  const char* name;
  i64 length, packed;
  i64* stride;
};

/// Number of elements from the first to the last one.
double extent_of(const AttentionStrides& strides, const AttentionProblem& p, i64 heads, i64 rows) {
  const auto span = [](i64 length, i64 stride) {
    return static_cast<double>(length - 1) * static_cast<double>(stride);
  };
  return span(p.batch, strides.batch) + span(heads, strides.head) + span(rows, strides.row) +
         p.head_dim;
}

/// Fills in packed strides and checks the others. `written`: ranges of rows, heads and batches must
/// not interleave, so that no two elements have the same address.
AttentionStrides strides_of(const char* name, const tilecast_strides& given,
                            const AttentionProblem& p, i64 heads, i64 rows, bool written) {
  const AttentionStrides packed = attention_strides(p.layout, heads, rows, p.head_dim);
  if (given.batch == 0 && given.head == 0 && given.row == 0) {
    return packed;
  }
  AttentionStrides strides{given.batch, given.head, given.row};
  std::array<Dimension, 3> dimensions{{{"batch", p.batch, packed.batch, &strides.batch},
                                       {"head", heads, packed.head, &strides.head},
                                       {"row", rows, packed.row, &strides.row}}};
  for (const Dimension& d : dimensions) {
    if (d.length == 1) {
      *d.stride = d.packed;
    } else if (*d.stride < p.head_dim || *d.stride > kMostElementStride) {
      throw InvalidArgument(fmt::format(
          "{}.{} is {}: expected {} to {}{}", name, d.name, *d.stride, p.head_dim,
          kMostElementStride, *d.stride == 0 ? "; expanded tensors are not supported" : ""));
    } else if (*d.stride % kWholeElements != 0) {
      throw Unsupported(fmt::format("{}.{} is {}: expected a multiple of 8 elements, 16 bytes",
                                    name, d.name, *d.stride));
    }
  }
  refuse_if<InvalidArgument>(extent_of(strides, p, heads, rows) > kMostExtent,
                             "the strides of {} span more than 2^47 bytes", name);
  if (written) {
    std::ranges::sort(dimensions, {}, [](const Dimension& d) { return *d.stride; });
    i64 extent = p.head_dim;  // extent of the preceding dimensions, in elements
    for (const Dimension& d : dimensions) {
      refuse_if<InvalidArgument>(
          d.length > 1 && *d.stride < extent,
          "{0}.{1} is {2}: expected at least {3}, so that the ranges of different "
          "{1}s do not overlap",
          name, d.name, *d.stride, extent);
      extent += d.length > 1 ? (d.length - 1) * *d.stride : 0;
    }
  }
  return strides;
}

/// Returns the layout of K, because keys and values are most of the traffic.
AttentionLayout layout_in_memory(const AttentionRequest& request) {
  return request.problem.kv_heads > 1 && request.problem.keys > 1 && request.k.head < request.k.row
             ? AttentionLayout::kBshd
             : AttentionLayout::kBhsd;
}

bool overlap(const void* a, std::size_t a_bytes, const void* b, std::size_t b_bytes) noexcept {
  const auto from = reinterpret_cast<std::uintptr_t>(a),
             other = reinterpret_cast<std::uintptr_t>(b);
  return from < other ? other - from < a_bytes : from - other < b_bytes;
}

}  // namespace

AttentionRequest read_request(const tilecast_attention* problem, const tilecast_options* options) {
  const tilecast_attention a = checked_struct(problem, kFirstAttentionSize, "problem");
  AttentionRequest request{};
  AttentionProblem& p = request.problem;
  p = {.batch = count("batch", a.batch),
       .heads = count("heads", a.heads),
       .kv_heads = count("kv_heads", a.kv_heads),
       .queries = count("queries", a.queries),
       .keys = count("keys", a.keys),
       .head_dim = count("head_dim", a.head_dim),
       .dtype = element_type("type", a.type),
       .mask = numbered({AttentionMask::kFull, AttentionMask::kCausal}, "mask", a.mask,
                        "TILECAST_MASK_FULL or TILECAST_MASK_CAUSAL"),
       .layout = numbered({AttentionLayout::kBhsd, AttentionLayout::kBshd}, "layout", a.layout,
                          "TILECAST_BHSD or TILECAST_BSHD"),
       .lse = asked("lse", a.lse)};
  refuse_if<Unsupported>(p.dtype != ElementType::kFp16 && p.dtype != ElementType::kBf16,
                         "type is {}: expected TILECAST_FP16 or TILECAST_BF16 of attention",
                         a.type);
  if (const std::string why = why_not_attention(p); !why.empty()) {
    throw Unsupported(why);
  }
  request.q = strides_of("q", a.q, p, p.heads, p.queries, false);
  request.k = strides_of("k", a.k, p, p.kv_heads, p.keys, false);
  request.v = strides_of("v", a.v, p, p.kv_heads, p.keys, false);
  request.o = strides_of("o", a.o, p, p.heads, p.queries, true);
  static_cast<Request&>(request) = read_options(options);
  refuse_if<Unsupported>(request.programmatic,
                         "options.programmatic is not supported for attention");
  const auto bytes = [&](const AttentionStrides& strides, i64 heads, i64 rows) {
    return static_cast<std::size_t>(extent_of(strides, p, heads, rows)) * kElementBytes;
  };
  request.extents = {.q = bytes(request.q, p.heads, p.queries),
                     .k = bytes(request.k, p.kv_heads, p.keys),
                     .v = bytes(request.v, p.kv_heads, p.keys),
                     .o = bytes(request.o, p.heads, p.queries),
                     .lse = static_cast<std::size_t>(lse_bytes(p))};
  p.layout = layout_in_memory(request);
  return request;
}

AttentionArgumentCheck::AttentionArgumentCheck(const AttentionRequest& request)
    : lse_(request.problem.lse), extents_(request.extents) {}

tilecast_status AttentionArgumentCheck::operator()(
    const tilecast_attention_arguments& arguments) const noexcept {
  const auto& [size, q, k, v, o, lse, scale, reserved, workspace, workspace_bytes] = arguments;
  for (const char* const why :
       {missing(q, "q is null"), missing(k, "k is null"), missing(v, "v is null"),
        missing(o, "o is null"), skewed(q, "q is not 16-byte aligned"),
        skewed(k, "k is not 16-byte aligned"), skewed(v, "v is not 16-byte aligned"),
        skewed(o, "o is not 16-byte aligned"),
        unlike(lse_, lse, "lse is null", "lse is given, but the problem has none"),
        skewed(lse, "lse is not 4-byte aligned", alignof(float))}) {
    if (why != nullptr) {
      return fail_argument(why);
    }
  }
  if (!(scale >= 0) || std::isinf(scale)) {
    return fail_argument("scale must be above 0, or 0 for 1 / sqrt(head_dim)");
  }
  if (reserved != 0) {
    return fail_argument("reserved must be 0");
  }
  if (overlap(o, extents_.o, q, extents_.q) || overlap(o, extents_.o, k, extents_.k) ||
      overlap(o, extents_.o, v, extents_.v)) {
    return fail_argument("the range of o overlaps or interleaves with that of q, k or v");
  }
  if (lse_ &&
      (overlap(lse, extents_.lse, q, extents_.q) || overlap(lse, extents_.lse, k, extents_.k) ||
       overlap(lse, extents_.lse, v, extents_.v) || overlap(lse, extents_.lse, o, extents_.o))) {
    return fail_argument("the range of lse overlaps or interleaves with that of q, k, v or o");
  }
  return TILECAST_OK;
}

}  // namespace tilecast
