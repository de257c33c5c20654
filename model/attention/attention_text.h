// Formats and parses attention's problems and configurations, e.g.
//   4x32:8x4096x4096x128 bf16 causal bhsd
//   attention_overlap:tile=128x176,stages=2,ctas=1,grid=resident,order=longest_first,splits=1,pack=no
// The shape: batch x heads:KV heads x queries x keys x head dimension. Every key that the schedule
// does not fix is present, in one order, so equal configurations have equal strings. Checked by:
// attention_text_test.cpp.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "model/attention/attention_config.h"
#include "model/op/config_key.h"
#include "model/op/op.h"
#include "model/op/problem_field.h"
#include "model/op/schedule_names.h"

namespace tilecast {

template <>
const ConfigKeys<AttentionConfig>& config_keys();

/// All schedules, in the order of the enumerators.
constexpr auto kEveryAttentionSchedule =
    every_enumerator<AttentionSchedule, kAttentionScheduleCount>();

constexpr Op op_of(AttentionSchedule) { return Op::kAttention; }
constexpr Op op_of(const AttentionProblem&) { return Op::kAttention; }

std::string_view to_text(AttentionSchedule schedule);
std::string to_text(const AttentionConfig& config);
AttentionConfig fixed_by_schedule(AttentionSchedule schedule);

/// Formats "4x32:8x4096x4096x128"; without a second number each head has its own KV head.
std::string shape_text(const AttentionProblem& problem);
std::string to_text(const AttentionProblem& problem);
/// Describes the problem in one line for users: "Attention: 4 sequences, 32 heads (8 KV heads),
/// ...".
std::string title_of(const AttentionProblem& problem);
/// Returns the problem's fields (model/op/problem_field.h): columns of CSV, JSON and options. m, n
/// and k are queries, keys and head_dim.
std::span<const ProblemField<AttentionProblem>> fields_of(const AttentionProblem& problem);
inline std::array<i64, 3> sides_of(const AttentionProblem& p) {
  return {p.queries, p.keys, p.head_dim};
}
void set_sides(AttentionProblem& problem, const std::array<i64, 3>& sides);
/// Returns a seed that depends on the shape, for random choices of configurations.
u64 shape_seed(const AttentionProblem& problem);

/// Inverse of shape_text. Throws ConfigError if no kernel supports such a problem.
void read_shape(Op op, std::string_view shape, ElementType dtype, AttentionProblem& problem);
inline AttentionProblem normal_problem(const AttentionProblem& problem) { return problem; }

/// Formats "128x176": rows and keys of a block; "64x96 k8" with eight splits.
std::string tile_text(const AttentionConfig& config);
/// Describes the kernel in one line for users.
std::string kernel_text(const AttentionConfig& config);
/// Returns the numbers that distinguish tiles.
std::array<i32, 3> tile_of(const AttentionConfig& config);

inline double least_bytes(const AttentionProblem& problem) { return attention_bytes(problem); }
inline double flops_of(const AttentionProblem& problem) { return attention_flops(problem); }
/// Whether its speed is reported in bytes per second, like a copy's: each key has few rows of
/// scores.
bool is_rated_in_bytes(const AttentionProblem& problem);

}  // namespace tilecast
