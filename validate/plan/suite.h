// A suite as a YAML file, and the points that it expands to.
//
//   shapes: [512x512x512, 8192x8192x512:2048:512]   # start:end:step for any number, end included;
//                             # ROWSxCOLUMNS for elementwise_add, one number for memcpy,
//                             # BATCHxHEADS:KV_HEADSxQUERIESxKEYSxHEAD_DIM for attention;
//                             # a GEMM may have leading dimensions: 64x64x63 lda=64 ldb=64
//   dtypes: [fp16]            # default fp16
//   dtypes_c: [bf16, fp16]    # type of C if A and B are fp8; default bf16
//   accumulate: [fast, exact] # accumulation of fp8 without block scales; default fast
//   layouts: [tn]             # default tn; of attention bhsd
//   masks: [full, causal]     # of attention; default full
//   lse: ["no"]               # of attention: whether the log-sum-exp is written; default no
//   epilogues: [bias_n+gelu]  # default none
//   configs:                  # or `all`
//     - best: 6               # predicted best of each schedule
//     - {random: 6, seed: 1}  # of each schedule's legal candidates, varying with the shape
//     - warp_specialized:tile=...   # for shapes of its op
//     - cudart:memcpy_async         # the runtime's copy, next to memcpy
//     - cudnn:sdpa                  # cuDNN, next to attention
//   schedules: [pipelined]    # that best, random and all draw from; default predict's
//   regimes: [burst]          # default burst
//   inputs: [normal]          # default normal
//   l2: [rotating]            # also flushed (burst only) and warm; default rotating
//   ops: [gemm]               # default gemm; gemm, memcpy, elementwise_add, attention
//   counters: core            # none, core or full; default none
//   cublaslt: true            # adds cublaslt:top1 and cublaslt:best
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "model/base/regime.h"
#include "model/ops/any_op.h"
#include "model/spec/chip_counters.h"
#include "model/spec/gpu_spec.h"
#include "model/spec/strict_map.h"
#include "validate/record/measurement.h"

namespace tilecast {

struct SuiteConfigs {
  std::vector<std::string> texts;  // canonical configurations
  bool all = false;
  std::size_t best = 0, random = 0;  // number of configurations per schedule
  u64 seed = 0;
};

/// A list of a suite for a field of an op. It applies to the problems that have the field.
struct SuiteList {
  std::string_view field;
  std::vector<std::string> items;
};

struct Suite {
  std::vector<std::string> shapes;  // shapes with ranges expanded
  std::vector<ElementType> dtypes{ElementType::kFp16};
  std::vector<SuiteList> fields;  // lists that the suite has
  std::vector<Regime> regimes{Regime::kBurst};
  std::vector<Inputs> inputs{Inputs::kNormal};
  std::vector<L2State> l2_states{L2State::kRotating};
  std::vector<AnySchedule> schedules;  // schedules to measure; menu_schedules if empty
  SuiteConfigs configs;
  bool cublaslt = false;
  CounterChoice counters = CounterChoice::kNone;
};

/// Throws FileError, or ConfigError `file:line: key: expectation`.
Suite load_suite(const std::filesystem::path& path);
Suite parse_suite(const StrictValue& root);

/// Expands one shape with ranges. Throws ConfigError if a result is not a shape.
std::vector<std::string> expand_shapes(std::string_view text);

/// A point to measure.
struct SuitePoint {
  Point point;
  std::string refusal;  // why it is not measured; empty if it is
  std::string drawn;    // named, best, random or all; empty for baselines
  i64 round = 0;        // from 1, if points are measured in rounds
};

struct SuitePoints {
  std::vector<SuitePoint> points;
  std::vector<std::string> notes;  // one line per problem that no kernel solves
};

/// Points ordered by problem. Within a problem and regime they are in the order of the suite:
/// listed configurations, then for each schedule the predicted best and the random ones, then
/// cuBLASLt's. Deterministic and without duplicates. Throws ConfigError if there are more than
/// `most`.
SuitePoints expand_suite(const Suite& suite, const GpuSpec& gpu, std::size_t most = 2'000'000);

/// Returns why `config`, canonical or a baseline, cannot run on this GPU and problem; empty if it
/// can.
std::string why_not_measurable(const GpuSpec& gpu, const AnyProblem& problem,
                               const std::string& config);

}  // namespace tilecast
