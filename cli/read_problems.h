// Reads problems for `predict --problems`, one per line:
//   4096x4096x512:8192:512            a shape, with ranges as in validate/plan/suite.h
//   [256,0,17]x4096x7168              or with groups; as fields, `groups` next to n and k
//   {"m":4096,"n":4096,"k":4096}      or {"shape":"..."}; op, dtype, layout, epilogue, regime,
//                                     inputs if they differ from the defaults
//   the lines of a CSV with the columns m, n, k or shape, and any of the others
// or as one JSON list of such objects. An object may also be one of CUTLASS's (cutlass_problem.h).
// Field names are case-insensitive; an unknown one is an error. Measurement, point and plan files
// are such CSVs. Lines that begin with # are comments.
// Checked by: read_problems_test.cpp.
#pragma once

#include <functional>
#include <istream>
#include <string>

#include "model/base/regime.h"
#include "model/ops/any_op.h"
#include "model/ops/problem_fields.h"
#include "validate/plan/work_plan.h"

namespace tilecast {

struct ProblemDefaults {
  std::string op = "gemm", dtype = "fp16", regime = "burst", inputs = "normal", batch;
  FieldTexts fields = {};  // other fields of a GEMM
};

struct ListedProblem {
  std::size_t index = 0;  // index in the file, from 1
  std::size_t line = 0;   // line of the file, or position in a JSON list
  AnyProblem problem;
  Regime regime = Regime::kBurst;
  Inputs inputs = Inputs::kNormal;
  std::string error;  // why the problem is invalid; empty if it is valid
};

/// Calls `take` with each problem of the shard as it is read, and passes on its exceptions; an
/// invalid line is passed with an error. Throws a ConfigError that begins with `name` if the header
/// or the list as a whole is wrong, or if it has no problem.
void read_problems(std::istream& input, const std::string& name, const ProblemDefaults& defaults,
                   const Shard& shard, const std::function<void(ListedProblem)>& take);

}  // namespace tilecast
