// The problem of a command's line: SHAPE and the options that say what it leaves open.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "model/gemm/problem/routing.h"
#include "model/ops/any_op.h"
#include "model/ops/problem_fields.h"
#include "model/spec/load_gpu.h"

namespace tilecast {

struct ProblemOptions {
  std::string shape, op = "gemm", dtype = "fp16", batch;
  std::vector<std::string> sides;   // SHAPE, whole or as M N K
  std::optional<i64> m, n, k;       // the same as -m, -n and -k
  FieldTexts fields;                // of a GEMM, whose options are of the field's name
  std::string groups, groups_file;  // rows of each, of which SHAPE is N and K
  std::string scales;               // of fp8 operands, before the epilogue
  bool no_fast_accum = false;
  bool causal = false, lse = false;  // of attention
  i64 lda = 0, ldb = 0, ldc = 0;
  std::vector<std::pair<std::string, Option>> gemm_options;  // of these
  // Of a mixture of experts, of which SHAPE is N and K:
  std::optional<i64> experts, tokens;
  i64 top_k = 1, draws = 8;
  u64 seed = 1;
  std::string routing = "uniform";

  /// Makes `shape` of `sides`, or of m, n and k, whichever was given.
  void take_shape();
  /// `fields`, with --scales and --no-fast-accum in them.
  FieldTexts gemm_fields() const;
  /// Of experts the first draw. Throws ConfigError where they are no problem, or name a layout or
  /// an epilogue of another op's, FileError where --groups-file cannot be read.
  AnyProblem problem() const;
  /// Throws ConfigError where they are no routing; there are experts.
  Routing asked_routing() const;
  /// Each draw of it. Throws as both.
  std::vector<GemmProblem> drawn_problems(i64 count) const;

 private:
  /// SHAPE, with the list of --groups or --groups-file in its place.
  std::string whole_shape() const;
};

/// Adds SHAPE, which M N K may stand for, and -m, -n and -k.
Option add_shape(const Command& command, ProblemOptions& options);

/// Moves SHAPE out of a list of values that took it too: `--schedule pp 4096x4096x4096`.
void give_back_shape(std::string& shape, std::vector<std::string>& values);

/// The GPU of --gpu; says on standard error which one a word stands for that is not the beginning
/// of its name alone.
LoadedGpu load_asked_gpu(const std::string& name, bool calibrated);

/// Adds --lda, --ldb and --ldc.
std::vector<Option> add_leading_options(const Command& command, ProblemOptions& options);

/// Adds an option for each field of a GEMM that has one (gemm_fields.h).
void add_gemm_options(const Command& command, ProblemOptions& options);

/// Adds --dtype, those, leading dimensions, --groups and --groups-file; `options` must outlive the
/// parse.
std::vector<Option> add_problem_options(const Command& command, ProblemOptions& options);

/// Adds --experts, which is returned, --tokens, --top-k, --routing and --seed.
Option add_routing_options(const Command& command, ProblemOptions& options);

}  // namespace tilecast
