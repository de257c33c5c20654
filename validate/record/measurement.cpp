#include "validate/record/measurement.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "kernels/revision.h"
#include "model/base/error.h"
#include "model/base/words.h"
#include "model/gemm/config/kernel_config_text.h"

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

const Baseline* baseline_named(std::string_view config) {
  const auto found = std::ranges::find(kBaselines, config, &Baseline::config);
  return found == std::end(kBaselines) ? nullptr : &*found;
}

std::string key_of(const Point& point) {
  return fmt::format("{} {} {} {} {} {}", to_text(op_of(point.problem)), to_text(point.problem),
                     point.config, to_text(point.regime), to_text(point.inputs),
                     to_text(point.l2_state));
}

i64 current_revision(const Point& point) {
  if (is_baseline(point.config)) {
    return 1;
  }
  bool wider_boxes = false;
  if (const auto* const gemm = std::get_if<GemmProblem>(&point.problem)) {
    try {
      wider_boxes = has_wider_boxes(parse_kernel_config(point.config), *gemm);
    } catch (const ConfigError&) {  // from another version; there is no such kernel
    }
  }
  return kernel_revision(point.config, wider_boxes);
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
