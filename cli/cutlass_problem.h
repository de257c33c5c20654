// A problem in the format of CUTLASS's heuristics (cutlass_library, --heuristics-problems-file):
//   {"m":4096,"n":4096,"k":4096,"batch_count":1,"layout":"tnn","dtype_a":"f16","dtype_b":"f16",
//    "dtype_c":"f16","dtype_acc":"f32","dtype_d":"f16","beta":0.0,"use_fast_acc":false}
// `layout` gives A, B and D, t for row-major. A column-major D is a row-major D of the transposed
// GEMM: m and n swap, and A and B too. Unsupported keys are errors.
// Checked by: cutlass_problem_test.cpp.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "model/base/integers.h"

namespace tilecast {

/// Alignment of A, B and D in 16-bit elements: TMA loads rows by 16 bytes.
inline constexpr i64 kCutlassAlignment = 8;

/// The fields of a listed problem, by the names in read_problems.h.
using Fields = std::map<std::string, std::string>;

/// Throws a ConfigError that names the key and expectation.
Fields fields_of_cutlass(const nlohmann::json& object);

}  // namespace tilecast
