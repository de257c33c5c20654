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

/// Returns --op, or GEMM for a command without the option.
Op asked_op(const Arguments& args);
/// Writes "4096 x 4096 x 4096" as "4096x4096x4096", and "4096,4096,4096" with spaces.
std::string compact_shape(std::string text);
/// Returns SHAPE, also from M N K or -m, -n and -k; empty if it is not given.
std::string asked_shape(const Arguments& args);
/// Returns the shapes if SHAPE has several, such as 512x4096x4096 512x14336x4096, else nothing.
/// Throws a ConfigError for an option that a list of problems excludes.
std::vector<std::string> several_shapes(const Arguments& args);
/// Returns the values of a GEMM's fields, including --scales and --no-fast-accum.
FieldTexts asked_gemm_fields(const Arguments& args);
/// Parses the problem; with --experts, returns the first random routing. Throws ConfigError if
/// SHAPE is missing, or if the options are not a problem or name a layout or an epilogue of another
/// op; FileError for --groups-file.
AnyProblem asked_problem(const Arguments& args);
/// Parses --experts, which must be given. Throws ConfigError if the options are not a routing.
Routing asked_routing(const Arguments& args);
/// Returns one problem for each random routing. Throws the exceptions of
/// asked_problem and asked_routing.
std::vector<GemmProblem> drawn_problems(const Arguments& args, i64 count);

/// Returns a shape with the batch before it, which may be empty. Throws ConfigError if both name a
/// batch.
std::string in_batch(const std::string& batch, const std::string& shape);

/// Loads the GPU of --gpu. If several names begin with this word, reports on standard error which
/// one it selects.
LoadedGpu load_asked_gpu(const std::string& name, bool calibrated);

}  // namespace tilecast
