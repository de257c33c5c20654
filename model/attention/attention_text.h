// Attention's problems and configurations as texts and back, e.g.
//   4x32:8x4096x4096x128 bf16 causal bhsd
//   attention_overlap:tile=128x176,stages=2,ctas=1,grid=resident,order=longest_first,splits=1,pack=no
// The shape: batch x heads:KV heads x queries x keys x head dimension. Every key that the schedule
// leaves open is present and in one order, so equal configurations have equal texts.
// Checked by: attention_text_test.cpp.
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

/// In the order of the enumerators.
constexpr auto kEveryAttentionSchedule =
    every_enumerator<AttentionSchedule, kAttentionScheduleCount>();

constexpr Op op_of(AttentionSchedule) { return Op::kAttention; }
constexpr Op op_of(const AttentionProblem&) { return Op::kAttention; }

std::string_view to_text(AttentionSchedule schedule);
std::string to_text(const AttentionConfig& config);
AttentionConfig fixed_by_schedule(AttentionSchedule schedule);

/// "4x32:8x4096x4096x128"; one KV head for each head where no number follows them.
std::string shape_text(const AttentionProblem& problem);
std::string to_text(const AttentionProblem& problem);
/// "Attention: 4 sequences, 32 heads (8 KV heads), ...": the problem in a line for people.
std::string title_of(const AttentionProblem& problem);
/// Its numbers and words one by one (model/op/problem_field.h): columns of CSV, JSON and options.
/// m, n and k are queries, keys and head_dim.
std::span<const ProblemField<AttentionProblem>> fields_of(const AttentionProblem& problem);
inline std::array<i64, 3> sides_of(const AttentionProblem& p) {
  return {p.queries, p.keys, p.head_dim};
}
void set_sides(AttentionProblem& problem, const std::array<i64, 3>& sides);
/// Another number for another shape, for draws of configurations.
u64 shape_seed(const AttentionProblem& problem);

/// Reads the inverse of shape_text. Throws ConfigError where no kernel has such a problem.
void read_shape(Op op, std::string_view shape, ElementType dtype, AttentionProblem& problem);
inline AttentionProblem normal_problem(const AttentionProblem& problem) { return problem; }

/// "128x176": rows and keys of a block; "64x96 k8" with eight splits.
std::string tile_text(const AttentionConfig& config);
/// The kernel in a line for people.
std::string kernel_text(const AttentionConfig& config);
/// By which tiles are told apart.
std::array<i32, 3> tile_of(const AttentionConfig& config);

inline double least_bytes(const AttentionProblem& problem) { return attention_bytes(problem); }
inline double flops_of(const AttentionProblem& problem) { return attention_flops(problem); }
/// Whether its speed is told in bytes a second, as of copies: few rows of scores for each key.
bool is_rated_in_bytes(const AttentionProblem& problem);

}  // namespace tilecast
