// The problem of a command's line: SHAPE and the options that say what it leaves open.
#pragma once

#include <string>
#include <vector>

#include "cli/arguments.h"
#include "model/gemm/problem/routing.h"
#include "model/ops/any_op.h"
#include "model/ops/problem_fields.h"
#include "model/spec/load_gpu.h"

namespace tilecast {

/// SHAPE, of M N K or -m, -n and -k, too; empty where it is not given.
std::string asked_shape(const Arguments& args);
/// The texts of a GEMM's fields, with --scales and --no-fast-accum in them.
FieldTexts asked_gemm_fields(const Arguments& args);
/// Of experts the first draw. Throws ConfigError where there is no SHAPE, where the options are no
/// problem, or name a layout or an epilogue of another op's; FileError for --groups-file.
AnyProblem asked_problem(const Arguments& args);
/// Throws ConfigError where the options are no routing; there are experts.
Routing asked_routing(const Arguments& args);
/// Each draw of it. Throws as both.
std::vector<GemmProblem> drawn_problems(const Arguments& args, i64 count);

/// A shape with the batch before it, which may be empty. Throws ConfigError where both name one.
std::string in_batch(const std::string& batch, const std::string& shape);

/// The GPU of --gpu; says on standard error which one a word stands for that is not the beginning
/// of its name alone.
LoadedGpu load_asked_gpu(const std::string& name, bool calibrated);

}  // namespace tilecast
