#include "model/op/op.h"

#include "model/base/words.h"

namespace tilecast {
namespace {

constexpr Words<Op, 3> kOps{
    {{Op::kGemm, "gemm"}, {Op::kMemcpy, "memcpy"}, {Op::kElementwiseAdd, "elementwise_add"}}};

}  // namespace

std::string_view to_text(Op op) { return word_of(kOps, op); }
Op parse_op(std::string_view text) { return value_of(kOps, "op", text); }

}  // namespace tilecast
