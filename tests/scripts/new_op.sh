# new_op.sh BUILD: adds an operation to a copy of the tree, sums of a matrix's rows, by steps 1 to 3 of
# docs/dev/op.md: three files of its own, and lines in the files that serve all operations, which it counts.
# The copy must predict, explain and search it. Without its enumerator's row it must not compile.
# Every fourth day, two days after new_schedule.sh.
set -u
build=$1 folder=$1/new_op turn=1
. tests/scripts/copied_tree.sh
mkdir model/row_sum
cat >model/row_sum/row_sum.h <<'END'
// Problems and configurations of sums of rows: out[r] = sum of in[r,c].
#pragma once

#include <array>
#include <span>
#include <string>

#include "model/base/element_type.h"
#include "model/op/config_key.h"
#include "model/op/op.h"
#include "model/op/problem_field.h"
#include "model/op/schedule_names.h"

namespace tilecast {

enum class RowSumSchedule : i32 { kRowSum };
struct RowSumTraits {
  const char *name, *abbreviation;
};
constexpr RowSumTraits traits_of(RowSumSchedule) { return {"row_sum", "rsum"}; }
struct RowSumConfig {
  RowSumSchedule schedule;
  i32 rows, warps;  // of a CTA
  constexpr bool operator==(const RowSumConfig&) const = default;
};
struct RowSumProblem {
  i64 rows, columns;
  ElementType dtype;
  constexpr bool operator==(const RowSumProblem&) const = default;
};

template <>
const ConfigKeys<RowSumConfig>& config_keys();
constexpr auto kEveryRowSumSchedule = every_enumerator<RowSumSchedule, 1>();
constexpr Op op_of(RowSumSchedule) { return Op::kRowSum; }
constexpr Op op_of(const RowSumProblem&) { return Op::kRowSum; }
inline std::string_view to_text(RowSumSchedule s) { return traits_of(s).name; }
std::string to_text(const RowSumConfig& config);
constexpr RowSumConfig fixed_by_schedule(RowSumSchedule s) { return {.schedule = s}; }
std::string shape_text(const RowSumProblem& problem);
std::string to_text(const RowSumProblem& problem);
std::string title_of(const RowSumProblem& problem);
inline std::span<const ProblemField<RowSumProblem>> fields_of(const RowSumProblem&) { return {}; }
constexpr std::array<i64, 3> sides_of(const RowSumProblem& p) { return {p.rows, p.columns, 0}; }
constexpr void set_sides(RowSumProblem& p, const std::array<i64, 3>& s) { p = {s[0], s[1], p.dtype}; }
constexpr u64 shape_seed(const RowSumProblem& p) { return static_cast<u64>(p.rows * 31 + p.columns); }
void read_shape(Op op, std::string_view shape, ElementType dtype, RowSumProblem& problem);
constexpr RowSumProblem normal_problem(const RowSumProblem& problem) { return problem; }
std::string tile_text(const RowSumConfig& config);
std::string kernel_text(const RowSumConfig& config);
constexpr std::array<i32, 3> tile_of(const RowSumConfig& config) { return {config.rows, 1, 1}; }
constexpr double read_bytes(const RowSumProblem& p) {
  return static_cast<double>(p.rows * p.columns) * element_bytes(p.dtype);
}
constexpr double written_bytes(const RowSumProblem& p) { return static_cast<double>(p.rows) * 4; }
constexpr double least_bytes(const RowSumProblem& p) { return read_bytes(p) + written_bytes(p); }
constexpr double flops_of(const RowSumProblem&) { return 0; }
constexpr bool is_rated_in_bytes(const RowSumProblem&) { return true; }

}  // namespace tilecast
END
cat >model/row_sum/row_sum_model.h <<'END'
// Rules, candidates and the analytic model of sums of rows: DRAM at its measured rates after a launch.
#pragma once

#include <vector>

#include "model/clock/phase_clock.h"
#include "model/form/hard_bounds.h"
#include "model/op/menu.h"
#include "model/ops/config_pattern.h"
#include "model/rank/effort.h"
#include "model/rank/question.h"
#include "model/rank/why_impossible.h"

namespace tilecast {

using RowSumQuestion = OpQuestion<RowSumProblem>;
struct RowSumForm {
  Cycles cycles;
  Seconds dram, total;
};
RowSumForm form_at(const GpuSpec&, const RowSumProblem&, const RowSumConfig&, Hertz sm_clock);
KernelActivity kernel_activity(const RowSumForm& form);
HardBounds hard_bounds(const GpuSpec& gpu, const RowSumProblem& problem);
LeastWork least_work(const GpuSpec& gpu, const RowSumProblem& problem);
std::string why_not_legal(const GpuSpec&, const RowSumProblem&, const RowSumConfig&);
inline std::string why_rejected(const GpuSpec& gpu, const RowSumProblem& problem, std::string_view,
                                const RowSumConfig& config) {
  return why_not_legal(gpu, problem, config);
}
Refusal check_legal(const GpuSpec&, const RowSumProblem&, const RowSumConfig&);
inline std::string why_not_solvable(const GpuSpec&, const RowSumProblem&) { return {}; }
inline bool is_on_menu(const GpuSpec&, RowSumSchedule) { return true; }
CandidatesOf<RowSumConfig> enumerate_candidates(const GpuSpec&, const RowSumProblem&,
                                                const std::vector<RowSumSchedule>&);
Prediction predict_one(const RowSumQuestion& question, const RowSumConfig& config, Method method);
std::vector<Seconds> closed_form_times(const RowSumQuestion&, std::span<const RowSumConfig>);
Ranking rank_all(const RowSumQuestion&, const std::vector<RowSumSchedule>&, std::size_t keep,
                 const Effort&, const ConfigPattern*);
inline i32 resident_ctas(const GpuSpec&, const RowSumProblem&, const RowSumConfig&) { return 1; }
inline std::vector<std::string> notes(const RowSumQuestion&, const RowSumConfig&, const Prediction&) {
  return {"each row is read once"};
}
inline std::vector<LearnedContribution> learned_contributions(const RowSumQuestion&, const RowSumConfig&) {
  return {};
}
inline std::string why_extrapolated(const GpuSpec&, const RowSumProblem&) { return "no kernel was measured"; }

}  // namespace tilecast
END
cat >model/row_sum/row_sum.cpp <<'END'
#include "model/base/element_type_text.h"
#include "model/op/config_key_texts.h"
#include "model/predict/predict_op.h"
#include "model/rank/rank_every.h"
#include "model/rank/retime.h"
#include "model/rank/settled_clock.h"

namespace tilecast {

template <>
const ConfigKeys<RowSumConfig>& config_keys() {
  using C = RowSumConfig;
  static const ConfigKeys<C> keys{{{"rows", "r", {member_at<C, &C::rows>}, nullptr},
                                   {"warps", "w", {member_at<C, &C::warps>}, nullptr}},
                                  {{{"rows"}}, {{"warps"}}}};
  return keys;
}
std::string to_text(const RowSumConfig& config) { return canonical_text(config); }
std::string shape_text(const RowSumProblem& p) { return fmt::format("{}x{}", p.rows, p.columns); }
std::string to_text(const RowSumProblem& p) { return shape_text(p) + " " + std::string(to_text(p.dtype)); }
std::string title_of(const RowSumProblem& p) { return "Sums of rows, " + to_text(p); }
std::string tile_text(const RowSumConfig& config) { return fmt::format("{} rows", config.rows); }
std::string kernel_text(const RowSumConfig& config) { return tile_text(config); }
void read_shape(Op, std::string_view shape, ElementType, RowSumProblem& problem) {
  const std::vector<std::string_view> parts = split(shape, 'x');
  const auto side = [&](std::size_t i) { return i < parts.size() ? parse_integer(parts[i]).value_or(0) : 0; };
  set_sides(problem, {side(0), side(1), 0});
  if (parts.size() != 2 || problem.rows < 1 || problem.columns < 1) {
    throw ConfigError("expected ROWSxCOLUMNS");
  }
}

RowSumForm form_at(const GpuSpec& gpu, const RowSumProblem& p, const RowSumConfig&, Hertz sm_clock) {
  const Seconds dram = transfer_time(Bytes{read_bytes(p)}, gpu.dram->read_rate) +
                       transfer_time(Bytes{written_bytes(p)}, gpu.dram->write_rate);
  const Seconds total = dram + gpu.stream->kernel + gpu.stream->load_latency;
  return {cycles_of(total, sm_clock), dram, total};
}
KernelActivity kernel_activity(const RowSumForm& form) {
  return {{Flops{0}, Bytes{0}, Bytes{0}, Bytes{0}, form.cycles}};
}
HardBounds hard_bounds(const GpuSpec& gpu, const RowSumProblem& p) {
  return {.tensor = {},
          .intake = {},
          .dram = transfer_time(Bytes{least_bytes(p)}, highest_dram_rate(gpu)),
          .dram_peak = transfer_time(Bytes{least_bytes(p)}, gpu.dram->bandwidth),
          .launch = gpu.machine->kernel};
}
LeastWork least_work(const GpuSpec&, const RowSumProblem& p) {
  return {.read = Bytes{read_bytes(p)}, .written = Bytes{written_bytes(p)}};
}
std::string why_not_legal(const GpuSpec&, const RowSumProblem&, const RowSumConfig& config) {
  return config.rows > config.warps * 8 ? "at most eight rows a warp" : "";
}
Refusal check_legal(const GpuSpec& gpu, const RowSumProblem& problem, const RowSumConfig& config) {
  return why_not_legal(gpu, problem, config).empty() ? Refusal::kNone : Refusal::kBlock;
}
CandidatesOf<RowSumConfig> enumerate_candidates(const GpuSpec& gpu, const RowSumProblem& problem,
                                                const std::vector<RowSumSchedule>&) {
  constexpr i32 kRows[] = {4, 64}, kWarps[] = {4, 8};
  CandidatesOf<RowSumConfig> all;
  walk_menu(RowSumConfig{}, [&](const RowSumConfig& c) { all.add(c, check_legal(gpu, problem, c)); },
            &RowSumConfig::rows, kRows, &RowSumConfig::warps, kWarps);
  return all;
}
Prediction predict_one(const RowSumQuestion& q, const RowSumConfig& config, Method) {
  if (const std::string why = why_not_legal(q.gpu, q.problem, config); !why.empty()) {
    throw ConfigError(why);
  }
  const auto [form, clock] = settled_clock(*q.gpu.clock, q.gpu.clock->max, [&](Hertz f) {
    const RowSumForm at = form_at(q.gpu, q.problem, config, f);
    return Settled<RowSumForm>{
        at, clock_of(q.gpu, kernel_activity(at), at.cycles, q.regime, q.inputs).kernel};
  });
  Prediction p{.config = config,
               .bounds = hard_bounds(q.gpu, q.problem),
               .cycles = form.cycles,
               .limiter = Limiter::kDram,
               .shares = {.dram = form.dram / form.total},
               .l2_to_sm = Bytes{read_bytes(q.problem)}};
  set_dram_bytes(q.gpu, p.l2_to_sm, Bytes{written_bytes(q.problem)}, p);
  settle(q.gpu, clock, p);
  set_default_interval(q.gpu, p);
  return p;
}
std::vector<Seconds> closed_form_times(const RowSumQuestion& q, std::span<const RowSumConfig> configs) {
  return legal_times(q, configs, [&](const RowSumConfig& c) { return predict_one(q, c, Method::kAnalytic); });
}
Ranking rank_all(const RowSumQuestion& q, const std::vector<RowSumSchedule>& schedules, std::size_t keep,
                 const Effort& effort, const ConfigPattern* pattern) {
  return rank_every(
      q, enumerate_candidates(q.gpu, q.problem, schedules), keep, effort, pattern,
      [&](const RowSumConfig& config) { return predict_one(q, config, Method::kAnalytic); },
      [](const CandidatesOf<RowSumConfig>& all) { return refusals_text(all); },
      [](std::vector<Prediction>&) {});
}

template std::vector<KeyValue> key_values(const RowSumConfig&);
template std::string canonical_text(const RowSumConfig&);
template RowSumConfig parse_canonical(std::string_view, const RowSumConfig&);
template std::string short_word(const ShortWord&, const RowSumConfig&);
template bool read_short_word(const ShortWord&, std::string_view, RowSumConfig&);

}  // namespace tilecast
END

sed -i '/kAttention,  /a\  kRowSum,' model/op/op.h
compiles model/op/op.cpp && fail "an operation without a row compiles"
sed -i '/"head_dim"}};/a\    case Op::kRowSum:\n      return {.name = "row_sum", .sides = 2};' model/op/op.h
sed -i -e 's/Words<Op, 4>/Words<Op, 5>/' -e 's/row_of(Op::kAttention)/&, row_of(Op::kRowSum)/' model/op/op.cpp
sed -i -e '/stream_config.h"/i #include "model/row_sum/row_sum.h"' -e 's/AttentionProblem>;/AttentionProblem, RowSumProblem>;/' \
  -e 's/AttentionConfig>;/AttentionConfig, RowSumConfig>;/' -e 's/AttentionSchedule>;/AttentionSchedule, RowSumSchedule>;/' \
  model/ops/any_op.h
sed -i -e '/std::end(kEveryAttentionSchedule)/a\  all.insert(all.end(), std::begin(kEveryRowSumSchedule), std::end(kEveryRowSumSchedule));' \
  -e '/return AttentionProblem{};/a\    case Op::kRowSum:\n      return RowSumProblem{};' model/ops/any_op.cpp
for file in model/predict/predict_op.h model/predict/rejected.cpp; do
  sed -i '/attention_model.h"/a #include "model/row_sum/row_sum_model.h"' $file
done
sed -i '/^ProblemFeatures features_of(int, const StreamProblem/a ProblemFeatures features_of(int, const RowSumProblem\&, Regime) { return {}; }' \
  model/predict/library_time.cpp
sed -i 's|model/stream model/ops|model/stream model/row_sum model/ops|' CMakeLists.txt
sed -i 's/"gemm|attention|memcpy|elementwise_add"/"gemm|attention|memcpy|elementwise_add|row_sum"/' cli/option_table.h

changes >../lines
files=$(grep -c '^diff' ../lines) lines=$(grep -c '^>' ../lines)
grep '^>' ../lines
echo "beside its folder: $lines lines in $files files"
[ "$lines" -le 17 ] && [ "$files" -le 9 ] || fail "more than 17 lines in nine files"

build_copy tilecast -DTILECAST_BUILD_TESTS=OFF
ask() { ../build/tilecast "$@" || fail "$*"; }

# 32768 x 8192 numbers of 2 bytes take 537 MB, which an H200 reads in 110 to 160 us.
time=$(ask predict 32768x8192 --op row_sum --format json | sed -n 's/^ *"time_us": \([0-9]*\).*/\1/p' | head -n 1)
[ "${time:-0}" -ge 110 ] && [ "$time" -le 160 ] || fail "predicted $time us"
ask predict 32768x8192 --op row_sum --config row_sum:rows=4,warps=8 | grep 'Sums of rows' || fail "no title"
ask explain 32768x8192 --op row_sum | grep 'each row is read once' || fail "its note is missing"
../build/tilecast predict 32768x8192 --op row_sum --config row_sum:rows=64,warps=4 2>&1 |
  grep 'at most eight rows a warp' || fail "its rule is missing"
