// The fields of a GEMM problem (model/op/problem_field.h).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "model/base/error.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/gemm/problem/group_text.h"
#include "model/gemm/problem/leading_text.h"
#include "model/gemm/problem/problem_text.h"
#include "model/op/problem_field.h"

namespace tilecast {

template <char kMatrix>
inline constexpr char kLeadingName[] = {'l', 'd', kMatrix, 0};
template <char kMatrix, i64 LeadingDimensions::*kMember>
constexpr ProblemField<GemmProblem> leading_field() {
  return {kLeadingName<kMatrix>,
          [](const GemmProblem& p) {
            return p.leading.*kMember == 0 ? "" : std::to_string(p.leading.*kMember);
          },
          [](GemmProblem& p, std::string_view text) {
            if (p.leading.*kMember != 0) {
              throw ConfigError(std::string(kLeadingName<kMatrix>) + ": given twice");
            }
            p.leading.*kMember = parse_leading(kLeadingName<kMatrix>, text);
          }};
}

/// Fields in the order in which they must be parsed. C's type comes after the types of A and B;
/// groups after the shape, because one dimension is the sum of the groups; accumulation after types
/// and epilogue.
inline constexpr ProblemField<GemmProblem> kGemmFields[] = {
    {"layout", [](const GemmProblem& p) { return std::string(to_text(p.layout)); },
     [](GemmProblem& p, std::string_view text) { p.layout = parse_layout(text); },
     "tt, tn: B is [N,K]; nt, nn: B is [K,N]; nt, tt: A is [K,M]. For attention: bhsd or bshd",
     "tn"},
    {"dtype_c", c_type_text,
     [](GemmProblem& p, std::string_view text) { p = with_c_type(p, parse_c_type(text).value()); },
     "GEMMs only. Type of C: same as A and B (default), fp32 or e4m3; for fp8 operands bf16 "
     "(default), fp16, fp32 or e4m3",
     "",
     // With 16-bit operands C has their type, so a 16-bit default is not written.
     [](const GemmProblem& p, std::string_view usual) {
       return is_narrow(p.dtype) || element_bytes(parse_c_type(usual).value()) != 2;
     }},
    {"batch", [](const GemmProblem& p) { return p.batch.products > 1 ? to_text(p.batch) : ""; },
     [](GemmProblem& p, std::string_view text) { p.batch = parse_batch(text); },
     "GEMMs only. Number of GEMMs in one launch, such as 32; 32:a, 32:b or 32:ab if they share A, "
     "B or both. Equivalent to 32* before SHAPE"},
    {"groups", [](const GemmProblem& p) { return p.groups == nullptr ? "" : to_text(*p.groups); },
     [](GemmProblem& p, std::string_view text) { p = in_groups(p, parse_group_rows(text)); }},
    leading_field<'a', &LeadingDimensions::a>(),
    leading_field<'b', &LeadingDimensions::b>(),
    leading_field<'c', &LeadingDimensions::c>(),
    {"epilogue", [](const GemmProblem& p) { return fuses(p.epilogue) ? to_text(p.epilogue) : ""; },
     [](GemmProblem& p, std::string_view text) { p.epilogue = parse_epilogue(text); },
     "GEMMs only. Steps applied to A B before it is rounded to C: none, or fp8 scales, a bias, an "
     "activation or gate, a residual, amax and scale_c, joined by + in this order, such as "
     "bias_n+gelu (words: tilecast list epilogues)",
     "none"},
    {"accumulate", [](const GemmProblem& p) { return std::string(accumulate_text(p)); },
     [](GemmProblem& p, std::string_view text) { p = with_accumulate(p, parse_accumulate(text)); },
     "Accumulation of fp8 products: fast: in the tensor cores, which keep fewer bits than fp32; "
     "exact: partial sums of every 128 K are promoted to fp32, as with block scales",
     "",
     [](const GemmProblem& p, std::string_view) {
       return chooses_accumulate(p.dtype, p.epilogue);
     }}};

constexpr std::span<const ProblemField<GemmProblem>> fields_of(const GemmProblem&) {
  return kGemmFields;
}

}  // namespace tilecast
