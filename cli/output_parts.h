// Parts that the tables and the JSON of several commands share.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "cli/table.h"
#include "model/base/units.h"
#include "model/gemm/problem/routing.h"
#include "model/ops/any_op.h"
#include "model/rank/prediction.h"
#include "model/spec/gpu_spec.h"

namespace tilecast {

inline double microseconds(Seconds time) { return time.value * 1e6; }

/// Formats 177.85, 12345.6, 1234567: the last digits printed are those that vary from run to run.
std::string micro_text(Seconds time);
/// Formats four significant digits: 1.234, 176.9, 12345.
std::string four_digits(double value);

/// Formats 1.016 as "+1.6 %".
std::string more_percent(double ratio);

/// Rounds to significant digits, so that equal results print equally everywhere.
double rounded(double value, int digits);

/// Formats JSON with a line end, on one line or indented; invalid UTF-8 is replaced.
std::string json_text(const nlohmann::ordered_json& json, int indent = -1);

/// Titles of CSV columns that are fields of a JSON object: "name", or "name=/pointer" of a nested
/// one.
std::string csv_titles(std::string_view columns);
/// Formats cells, which are empty if the object lacks the field.
std::string csv_cells(const nlohmann::ordered_json& object, std::string_view columns);

/// Returns method, cycles, clock, time and limiter of a prediction.
nlohmann::ordered_json timing_json(const Prediction& p);
/// Returns configuration, timing, interval, speed and power of a prediction.
nlohmann::ordered_json kernel_json(const Prediction& p);
nlohmann::ordered_json shares_json(const Shares& shares, int digits);

/// Version of the JSON of predict and explain. In version 1 `batch` was the string of --batch.
constexpr int kAnswerSchema = 2;

/// Returns op, dimensions, element type and, if the op has them, layout and epilogue.
nlohmann::ordered_json problem_json(const AnyProblem& problem);

/// Describes the problem in one line: "GEMM 4096 x 4096 x 4096, fp16, tn: A [M,K] (4096,1), B [N,K]
/// (4096,1)", with each operand's strides as it lies in memory. Groups are counted, not listed;
/// with a `routing` they are one random routing.
std::string problem_title(const AnyProblem& problem, const std::optional<Routing>& routing = {});
/// Replaces a long list of groups by "[64 groups]".
std::string without_groups(std::string_view text);
/// Returns "NVIDIA H200 SXM 141 GB, calibrated; burst clock, cold L2, normal inputs". For a GPU
/// without wgmma it states that no kernel was measured: only Hopper GPUs have run any.
std::string conditions_title(const GpuSpec& gpu, bool calibrated, Regime regime, Inputs inputs);

/// Returns the operands that are copied before a kernel, as JSON; in words, "A and B are".
nlohmann::ordered_json copies_json(const OperandCopies& copies);
std::string copied_words(const CopiedOperands& operands);

/// Returns the display name of a limiter: "SM fill" for sm_intake.
std::string shown_limiter(std::string_view word);
/// Returns "tensor cores (92 % of peak at this clock)"; "DRAM (77 % of peak, 3.53 of 4.58 TB/s)",
/// the highest measured rate.
std::string bound_text(const GpuSpec& gpu, const Prediction& p);
/// Returns "power holds the clock at 1.55 GHz".
std::string clock_text(const Prediction& p, bool calibrated);
/// Returns compare's lower bound, such as "lower bound: 1.88 GB once at 4.4 TB/s takes 427 us (92 %
/// reached)"; empty if DRAM is not the bottleneck.
std::string floor_text(const GpuSpec& gpu, const AnyProblem& problem, const Prediction& p);

/// Returns a note if operands and result exceed the GPU's memory; else empty.
std::string memory_text(const GpuSpec& gpu, const AnyProblem& problem);

/// Whether speed is given in bytes per second, of compulsory traffic, instead of FLOPs.
bool is_rated_in_bytes(const AnyProblem& problem);

/// Whether `emit` can write kernels of the op (kernels/emit/emit.h).
bool is_emitted(const AnyProblem& problem);

/// Number of newline-terminated lines in `text`.
std::size_t lines_in(std::string_view text);

/// Returns "128x256x64"; for a memory-bound kernel its block.
std::string tile_text(const AnyConfig& config);
std::string cluster_text(const AnyConfig& config);
/// Returns ", deferred store, A and B swapped": the options that rarely differ.
std::string options_text(const AnyConfig& config);
/// Returns "cooperative, tile 128x256x64, 4 stages, cluster 1x1".
std::string kernel_text(const AnyConfig& config);

}  // namespace tilecast
