#include "validate/record/measurement.h"

#include <fmt/format.h>

#include "kernels/revision.h"
#include "model/base/error.h"
#include "model/base/words.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/gemm/problem/group_text.h"
#include "model/gemm/problem/leading_text.h"

namespace tilecast {
namespace {

constexpr Words<L2State, 3> kL2States{{
    {L2State::kRotating, "rotating"},
    {L2State::kFlushed, "flushed"},
    {L2State::kWarm, "warm"},
}};

constexpr Words<Status, 4> kStatuses{{
    {Status::kOk, "ok"},
    {Status::kWrong, "wrong"},
    {Status::kFailed, "failed"},
    {Status::kSkipped, "skipped"},
}};

constexpr Words<CountersState, 10> kCountersStates{{
    {CountersState::kCollected, "collected"},
    {CountersState::kNoPermission, "no_permission"},
    {CountersState::kBusy, "busy"},
    {CountersState::kAttached, "attached"},
    {CountersState::kMig, "mig"},
    {CountersState::kVirtual, "virtual"},
    {CountersState::kUnsupported, "unsupported"},
    {CountersState::kUnknownChip, "unknown_chip"},
    {CountersState::kNoLibrary, "no_library"},
    {CountersState::kFailed, "failed"},
}};

}  // namespace

bool is_cublaslt(std::string_view config) { return config.starts_with("cublaslt:"); }

bool is_baseline(std::string_view config) { return is_cublaslt(config) || config == kRuntimeCopy; }

AnyProblem problem_of(const Point& point) {
  const auto& [m, n, k] = point.problem.shape;
  switch (point.op) {
    case Op::kGemm:
      return point.problem;
    case Op::kMemcpy:
      return StreamProblem{1, m, point.problem.dtype, point.op};
    case Op::kElementwiseAdd:
      return StreamProblem{m, n, point.problem.dtype, point.op};
  }
  TILECAST_ASSERT(!"an op without a problem");
  return {};
}

Point point_of(const AnyProblem& problem) {
  Point point{.op = op_of(problem)};
  if (const GemmProblem* gemm = std::get_if<GemmProblem>(&problem)) {
    point.problem = *gemm;
  } else {
    const StreamProblem& stream = std::get<StreamProblem>(problem);
    point.problem.dtype = stream.dtype;
    point.problem.shape = stream.op == Op::kMemcpy ? GemmShape{stream.columns, 0, 0}
                                                   : GemmShape{stream.rows, stream.columns, 0};
  }
  return point;
}

std::string key_of(const Point& point) {
  return fmt::format("{} {}x{}x{} {} {} {} {} {} {}", to_text(point.op), point.problem.shape.m,
                     point.problem.shape.n, point.problem.shape.k, types_text(point.problem),
                     to_text(point.problem.layout), point.config, to_text(point.regime),
                     to_text(point.inputs), to_text(point.l2_state)) +
         (point.problem.accumulate == Accumulate::kExact ? " exact" : "") +
         (fuses(point.problem.epilogue) ? " " + to_text(point.problem.epilogue) : "") +
         (point.problem.batch.products > 1 ? " batch " + to_text(point.problem.batch) : "") +
         (point.problem.groups != nullptr ? " groups " + to_text(*point.problem.groups) : "") +
         (point.problem.leading != LeadingDimensions{} ? " " + to_text(point.problem.leading) : "");
}

i64 current_revision(const Point& point) {
  return is_baseline(point.config) ? 1 : kernel_revision(point.op, point.config);
}

std::string why_not_timed(Regime regime, L2State l2_state) {
  return regime == Regime::kSustained && l2_state == L2State::kFlushed
             ? "flushes of L2 would interrupt the load of the sustained regime"
             : "";
}

std::string_view to_text(L2State state) { return word_of(kL2States, state); }
std::string_view to_text(Status status) { return word_of(kStatuses, status); }
std::string_view to_text(CountersState state) { return word_of(kCountersStates, state); }

L2State parse_l2_state(std::string_view text) { return value_of(kL2States, "l2_state", text); }
Status parse_status(std::string_view text) { return value_of(kStatuses, "status", text); }

CountersState parse_counters_state(std::string_view text) {
  return value_of(kCountersStates, "counters_state", text);
}

}  // namespace tilecast
