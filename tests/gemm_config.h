// Problems of tests, and configurations in the short form that tables print: "ws 128x256x64 s4 w2x1
// c2x1 o1 i1 e2 m8" (docs/configurations.md).
#pragma once

#include <string_view>
#include <variant>

#include "model/gemm/config/kernel_config_text.h"
#include "model/ops/any_op.h"

namespace tilecast {

inline GemmProblem fp16(i64 m, i64 n, i64 k, Layout layout = Layout::kTn) {
  return {{m, n, k}, ElementType::kFp16, layout};
}
inline KernelConfig gemm_config(std::string_view text) {
  return std::get<KernelConfig>(parse_config(text));
}

}  // namespace tilecast
