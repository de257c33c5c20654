// The problem of a command line: SHAPE and the options that complete it.
#pragma once

#include <string>
#include <vector>

#include "cli/arguments.h"
#include "model/gemm/problem/routing.h"
#include "model/ops/any_op.h"
#include "model/ops/problem_fields.h"
#include "model/spec/load_gpu.h"

namespace tilecast {

/// --op, or GEMM for a command without the option.
Op asked_op(const Arguments& args);
/// SHAPE, of M N K or -m, -n and -k, too; empty where it is not given.
std::string asked_shape(const Arguments& args);
/// The texts of a GEMM's fields, with --scales and --no-fast-accum in them.
FieldTexts asked_gemm_fields(const Arguments& args);
/// With --experts, the first draw. Throws ConfigError if SHAPE is missing, if the options are not a
/// problem, or name a layout or an epilogue of another op; FileError for --groups-file.
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
