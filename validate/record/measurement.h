// One measured point: a row of the measurement CSV. It is never a prediction; only validate/compare
// combines the two. Absent values were not collected.
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

/// L2 content before each timed run.
enum class L2State : i32 {
  kRotating,  // buffers other than the previous run's, together larger than L2
  kFlushed,   // overwritten by an unrelated kernel
  kWarm,      // the same buffers again
};

enum class Status : i32 {
  kOk,
  kWrong,    // the result was wrong, so it was not timed
  kFailed,   // compile, launch or run failed
  kSkipped,  // not attempted
};

/// Whether requested hardware counters were collected.
enum class CountersState : i32 {
  kCollected,
  kNoPermission,  // the driver restricts them to administrators
  kBusy,          // in use by another program
  kAttached,      // this process runs under another profiler or debugger
  kMig,           // the GPU is partitioned into MIG instances
  kVirtual,       // virtual GPU or confidential computing
  kUnsupported,   // no profiling support on this GPU or system
  kUnknownChip,   // no configs/counters/<chip>.yaml, or the chip is newer than CUPTI
  kNoLibrary,     // CUPTI is incomplete, or older than the driver
  kFailed,        // anything else
};

/// Where, when and with which software the row was measured.
struct RunContext {
  std::string gpu;       // name of its file in configs/gpus, else the driver's product name
  std::string gpu_uuid;  // GPU-...
  std::string date;      // such as 2025-01-31T12:00:00Z
  std::string driver, toolkit;
  std::string git;  // revision of tilecast, with -dirty for a modified tree
};

/// The measured case. Rows with equal points and revisions are repetitions.
struct Point {
  AnyProblem problem{};
  std::string config;  // canonical configuration, or a baseline (is_baseline)
  Regime regime = Regime::kBurst;
  Inputs inputs = Inputs::kNormal;
  L2State l2_state = L2State::kRotating;

  bool operator==(const Point&) const = default;
};

/// Distribution of the kernel time over the samples.
struct TimeDistribution {
  Seconds median, q1, q3;
  i64 samples = 0;
};

/// Launches timed without a pause, and their mean SM clock.
struct SampleBlock {
  std::vector<i64> nanoseconds;  // time of each launch, in order
  Hertz clock;
  bool drifted = false;  // its clock differs from the other blocks', so it is discarded

  bool operator==(const SampleBlock&) const = default;
};

struct Measurement {
  RunContext context;
  Point point;
  i64 revision = 1;       // kernel revision (kernels/revision.h)
  bool verified = false;  // compared with cuBLASLt and correct
  Status status = Status::kOk;
  std::string reason;  // reason if status is not ok

  std::optional<TimeDistribution> time;
  std::optional<Cycles> cycles;         // time x sm_clock
  std::optional<Hertz> sm_clock;        // mean over the timed interval, read inside the GPU
  std::optional<Watts> power;           // mean power, if the load is long enough to measure it
  std::optional<Celsius> temperature;   // GPU temperature right after the timing
  std::string clock_event_reasons;      // reasons for a reduced clock during the load, joined by +;
                                        // or none
  std::optional<i64> blocks;            // number of blocks used
  std::optional<i64> blocks_discarded;  // number of blocks discarded because of a drifted clock
  std::optional<i64> round;             // round from 1, if a run repeats its points in rounds
  std::optional<i64> order_seed;        // seed of the run's point order
  std::string drawn;                    // origin of the point in its suite: named, best, random,
                                        // all

  std::optional<i64> registers;        // registers per thread, as compiled
  std::optional<Bytes> shared_memory;  // shared memory per CTA, as launched
  std::optional<i64> ctas_per_sm;      // occupancy reported by the runtime
  std::optional<i64> ctas;             // CTAs per launch
  // Hash of the tiles that each worker processed, computed on the device.
  std::string tile_checksum;
  std::optional<double> max_error;  // maximum error relative to the largest reference value

  std::optional<CountersState> counters_state;  // absent: counters not requested
  std::map<std::string, double> counters;       // values by CUPTI name
};

constexpr std::string_view kCublasltTop1 = "cublaslt:top1";  // top heuristic
constexpr std::string_view kCublasltBest = "cublaslt:best";  // fastest of the first 16 heuristics

constexpr std::string_view kCudnnAttention = "cudnn:sdpa";  // top plan of cuDNN's heuristics

constexpr std::string_view kRuntimeCopy = "cudart:memcpy_async";  // the runtime's device-to-device
                                                                  // copy

/// A library's kernel and the op that it computes.
struct Baseline {
  std::string_view config;
  Op op;
  std::string_view name, short_name;  // display names
  bool usual = true;                  // measured if no configuration is named
};
inline constexpr Baseline kBaselines[] = {
    {kCublasltTop1, Op::kGemm, "cuBLASLt's top heuristic", "cuBLASLt top-1"},
    {kCublasltBest, Op::kGemm, "cuBLASLt's fastest of 16 heuristics", "cuBLASLt best", false},
    {kRuntimeCopy, Op::kMemcpy, "cudaMemcpyAsync", "cudaMemcpy"},
    {kCudnnAttention, Op::kAttention, "cuDNN's top heuristic", "cuDNN"}};

/// Returns null if `config` is a configuration of tilecast.
const Baseline* baseline_named(std::string_view config);
inline bool is_baseline(std::string_view config) { return baseline_named(config) != nullptr; }
bool is_cublaslt(std::string_view config);

/// Returns a one-line key, equal if and only if the points are equal.
std::string key_of(const Point& point);

/// The current revision of the point's kernel; 1 for a baseline.
i64 current_revision(const Point& point);

/// Explains why this combination cannot be timed; empty if it can.
std::string why_not_timed(Regime regime, L2State l2_state);

std::string_view to_text(L2State state);
std::string_view to_text(Status status);
std::string_view to_text(CountersState state);
/// Throw a ConfigError that lists the known words.
L2State parse_l2_state(std::string_view text);
Status parse_status(std::string_view text);
CountersState parse_counters_state(std::string_view text);

// The sustained regime: a configuration under its own load, of which only the end is measured.
constexpr Seconds kLoadLength{0.25};    // load before the first measured launch
constexpr Seconds kSustainedWindow{1};  // default duration of measured launches

}  // namespace tilecast
