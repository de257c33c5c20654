#include "model/op/op.h"

#include "model/base/words.h"

namespace tilecast {
namespace {

constexpr std::pair<Op, std::string_view> row_of(Op op) { return {op, traits_of(op).name}; }
constexpr Words<Op, 4> kOps{
    {row_of(Op::kGemm), row_of(Op::kMemcpy), row_of(Op::kElementwiseAdd), row_of(Op::kAttention)}};

}  // namespace

std::string_view to_text(Op op) { return word_of(kOps, op); }
Op parse_op(std::string_view text) { return value_of(kOps, "op", text); }

}  // namespace tilecast
