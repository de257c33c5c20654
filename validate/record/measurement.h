// One measured point, as one row of the measurement CSV holds it. Never a prediction: the two meet
// only in validate/compare. Absent means not collected.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/integers.h"
#include "model/base/regime.h"
#include "model/base/units.h"
#include "model/ops/any_op.h"

namespace tilecast {

/// What L2 held before each timed run.
enum class L2State : i32 {
  kRotating,  // other buffers than the last run's, together larger than L2
  kFlushed,   // overwritten by an unrelated kernel
  kWarm,      // the same buffers again
};

enum class Status : i32 {
  kOk,
  kWrong,    // the result was not right, so it was not timed
  kFailed,   // compile, launch or run failed
  kSkipped,  // not tried
};

/// Whether hardware counters were collected, where they were asked for.
enum class CountersState : i32 {
  kCollected,
  kNoPermission,  // the driver keeps them for administrators
  kBusy,          // another program holds them
  kAttached,      // this process runs under another profiler or debugger
  kMig,           // the GPU is cut into instances
  kVirtual,       // a virtual GPU, or confidential computing
  kUnsupported,   // this GPU or system has no profiling
  kUnknownChip,   // no configs/counters/<chip>.yaml, or newer than CUPTI
  kNoLibrary,     // a part of CUPTI is missing, or older than the driver
  kFailed,        // anything else
};

/// Where, when and with what the row was measured.
struct RunContext {
  std::string gpu;       // name of its file in configs/gpus, else the product name of the driver
  std::string gpu_uuid;  // GPU-...
  std::string date;      // 2025-01-31T12:00:00Z
  std::string driver, toolkit;
  std::string git;  // revision of tilecast, with -dirty where the tree was
};

/// What was measured: two rows with equal points and revisions repeat each other.
struct Point {
  AnyProblem problem{};
  std::string config;  // canonical text, or what it is compared with: is_baseline
  Regime regime = Regime::kBurst;
  Inputs inputs = Inputs::kNormal;
  L2State l2_state = L2State::kRotating;

  bool operator==(const Point&) const = default;
};

/// Kernel time over the samples; never a lone mean.
struct TimeDistribution {
  Seconds median, q1, q3;
  i64 samples = 0;
};

/// What was timed without a pause, with the mean SM clock over it.
struct SampleBlock {
  std::vector<i64> nanoseconds;  // of each launch, in order
  Hertz clock;
  bool drifted = false;  // its clock was off the other blocks', so that it does not count

  bool operator==(const SampleBlock&) const = default;
};

struct Measurement {
  RunContext context;
  Point point;
  i64 revision = 1;       // of the kernel (kernels/revision.h)
  bool verified = false;  // result compared with cuBLASLt and right
  Status status = Status::kOk;
  std::string reason;  // where status is not ok

  std::optional<TimeDistribution> time;
  std::optional<Cycles> cycles;         // time x sm_clock
  std::optional<Hertz> sm_clock;        // mean over the timed interval, read inside the GPU
  std::optional<Watts> power;           // mean; where the load lasts long enough to tell
  std::optional<Celsius> temperature;   // of the GPU, right after the timing
  std::string clock_event_reasons;      // what held the clock down meanwhile, joined by +; or none
  std::optional<i64> blocks;            // that the figures are made of
  std::optional<i64> blocks_discarded;  // because their clock had drifted
  std::optional<i64> samples_at;        // where the file of raw samples has this row's
  std::optional<i64> round;             // from 1, where the points of a run were repeated in turns
  std::optional<i64> order_seed;        // of the order in which the run took its points
  std::string drawn;                    // how its suite came to the point: named, best, random, all

  std::optional<i64> registers;        // of one thread, as compiled
  std::optional<Bytes> shared_memory;  // of one CTA, as launched
  std::optional<i64> ctas_per_sm;      // occupancy the runtime reports
  std::optional<i64> ctas;             // of one launch
  std::string tile_checksum;           // of the tiles each worker walked, on the device
  std::optional<double> max_error;  // largest error against the reference, over its largest value

  std::optional<CountersState> counters_state;  // absent: not asked for
  std::map<std::string, double> counters;       // by CUPTI name

  std::vector<SampleBlock> raw;  // kept beside the CSV, not in it (raw_samples.h)
};

constexpr std::string_view kCublasltTop1 = "cublaslt:top1";  // the heuristic's first answer
constexpr std::string_view kCublasltBest = "cublaslt:best";  // fastest of its first 16

constexpr std::string_view kRuntimeCopy = "cudart:memcpy_async";  // its device-to-device copy

/// A library's kernel, not one of ours, and the op that it computes.
struct Baseline {
  std::string_view config;
  Op op;
};
inline constexpr Baseline kBaselines[] = {
    {kCublasltTop1, Op::kGemm}, {kCublasltBest, Op::kGemm}, {kRuntimeCopy, Op::kMemcpy}};

/// Null where it is a configuration of ours.
const Baseline* baseline_named(std::string_view config);
inline bool is_baseline(std::string_view config) { return baseline_named(config) != nullptr; }
bool is_cublaslt(std::string_view config);

/// One line that is equal for equal points and differs otherwise.
std::string key_of(const Point& point);

/// The revision of the kernel that would be measured now; 1 of a baseline.
i64 current_revision(const Point& point);

/// Why nothing can be timed so; empty where it can.
std::string why_not_timed(Regime regime, L2State l2_state);

std::string_view to_text(L2State state);
std::string_view to_text(Status status);
std::string_view to_text(CountersState state);
/// Throw ConfigError that lists the known words.
L2State parse_l2_state(std::string_view text);
Status parse_status(std::string_view text);
CountersState parse_counters_state(std::string_view text);

}  // namespace tilecast
