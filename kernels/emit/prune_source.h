// What a kernel uses of its sources, and no more: conditions on constants are decided
// (fold.h), and declarations that nothing reaches from the entry are left out, members of classes
// too. Names are matched as text: a function by its name and how many arguments it gets, a member
// by its name and, where that is written, its class.
// Checked by: emit_gemm_test.cpp (what is left compiles, to the machine code of the whole).
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

namespace tilecast {

struct SourcePart {
  std::string path;  // of the comment above it
  std::string text;
};

struct PrunedSource {
  std::vector<std::string> includes;  // of the toolkit: "<cuda_fp16.h>"
  std::string text;
};

/// `parts` in the order of their includes; `roots`: names that are reached; `defined`: macros;
/// `values`: of expressions that are known though they are no constants, as "args.c_by_tma".
PrunedSource pruned_source(std::span<const SourcePart> parts, const std::vector<std::string>& roots,
                           const std::vector<std::string>& defined,
                           const std::map<std::string, std::string>& values);

}  // namespace tilecast
