#include "model/stream/stream_rules.h"

#include <fmt/format.h>

#include <optional>
#include <span>

#include "model/spec/gpu_fields.h"
#include "model/stream/stream_config_text.h"
#include "model/stream/stream_occupancy.h"

namespace tilecast {
namespace {

constexpr i32 kMostWarps = 32, kMostComputingWarps = kMostWarps - 2;
constexpr i64 kMostBlockBytes = i64{1} << 20;  // larger than the shared memory of any SM
constexpr i32 kBoxAlignment = 128;             // alignment of a box in shared memory
constexpr i32 kSwizzleAtom = 1024;         // bytes after which the copy engine's swizzle repeats
constexpr i32 kMostVectorsPerThread = 64;  // vectors are unrolled
constexpr i32 kFewestCpAsyncBytes = 4;
constexpr i64 kMostBlocks = i64{1} << 31;
constexpr i64 kMostElements = i64{1} << 40;

/// A kernel, optionally with a problem and a GPU. The rules of each table use the parts that they
/// need.
struct StreamCase {
  const StreamConfig& config;
  ElementType dtype;
  const StreamProblem* problem = nullptr;
  const GpuSpec* gpu = nullptr;

  i32 element() const { return element_bytes(dtype); }
  i64 block_bytes() const { return i64{config.block_rows} * config.block_columns * element(); }
  i64 bytes_of_threads() const { return i64{config.warps} * kWarpThreads * config.vector_bytes; }
  StreamProblem seen() const { return viewed(config, *problem); }
  i64 row_bytes() const { return seen().columns * element(); }
};
using Case = const StreamCase&;

bool is_power_of_two(i32 value) { return (value & (value - 1)) == 0; }
bool copies_runs(Case c) { return copies_runs(c.config.schedule); }
bool has_boxes(Case c) { return uses_tensor_maps(c.config.schedule); }
bool swizzled(Case c) { return c.config.layout == StreamLayout::kSwizzled; }
bool whole_vectors(Case c) { return c.block_bytes() % c.bytes_of_threads() == 0; }

constexpr Rule<StreamCase> kGpuRules[] = {
    {[](Case c) { return uses_tma(c.config.schedule) && !has_bulk_copies(c.gpu->architecture); },
     "{schedule} requires TMA (Hopper or later)"},
    {[](Case c) {
       return stream_shared_bytes(c.config, c.dtype) > shared_memory_of(*c.gpu).most_per_cta;
     },
     "the buffers do not fit in {most_shared} bytes of shared memory", Refusal::kSharedMemory},
    {[](Case c) {
       return c.config.order == BlockOrder::kBounded &&
              bounded_shared_bytes(c.config, shared_memory_of(*c.gpu)) <
                  stream_shared_bytes(c.config, c.dtype);
     },
     "fewer CTAs fit on an SM than order=bounded requests", Refusal::kBlock},
};

constexpr Rule<StreamCase> kKernelRules[] = {
    {[](Case c) {
       return c.config.warps > kMostComputingWarps || c.config.ctas_per_sm > kMostWarps;
     },
     "at most 30 computing warps, and 32 CTAs per SM"},
    {[](Case c) { return c.block_bytes() > kMostBlockBytes || c.config.stages > kMostRingStages; },
     "blocks of at most 1 MiB, and at most 16 stages"},
    {[](Case c) {
       return is_memcpy(c.config.schedule) &&
              (c.config.block_rows != 1 || c.config.order == BlockOrder::kBands);
     },
     "order=bands would give the single row of a vector to one CTA"},
    {[](Case c) { return c.config.order == BlockOrder::kTickets && !copies_runs(c); },
     "only memcpy_tma supports drawing blocks from a counter"},
    {[](Case c) { return copies_runs(c) && c.config.warps != 1; },
     "a single thread issues all copies: expected warps=1"},
    {[](Case c) { return copies_runs(c) && !whole_vectors(c); },
     "a block must be a multiple of threads x vector"},
    {[](Case c) {
       return copies_runs(c) && one_block_a_cta(c.config.order) && c.config.stages != 1;
     },
     "a CTA that copies a single block must have one stage"},
    {[](Case c) {
       const i32 bytes = c.config.vector_bytes;
       return bytes > kChunkBytes || !is_power_of_two(bytes) || bytes < c.element();
     },
     "vector={vector}: expected a power of two from {element} to 16"},
    {[](Case c) { return !copies_runs(c) && !is_power_of_two(c.config.block_columns); },
     "the columns of a block must be a power of two"},
    {[](Case c) {
       return !copies_runs(c) &&
              (c.config.block_columns * c.element() % c.config.vector_bytes != 0 ||
               !whole_vectors(c));
     },
     "a block must be a multiple of computing threads x vector"},
    {[](Case c) {
       return !copies_runs(c) && c.block_bytes() / c.bytes_of_threads() > kMostVectorsPerThread;
     },
     "at most 64 vectors per thread"},
    {[](Case c) { return has_boxes(c) && c.config.stages < 2; },
     "the copy engine requires two stages: C is stored from A's buffer"},
    {[](Case c) { return has_boxes(c) && c.config.block_rows > kMostBoxElements; },
     "at most 256 rows in a bulk copy"},
    {[](Case c) {
       return has_boxes(c) &&
              (c.config.block_rows * box_columns(c.config, c.dtype) * c.element() %
                       (swizzled(c) ? kSwizzleAtom : kBoxAlignment) !=
                   0 ||
               (swizzled(c) && c.config.block_columns * c.element() < kSwizzledRowBytes));
     },
     "TMA boxes must be multiples of 128 bytes, and of 1024 bytes if swizzled"},
    {[](Case c) {
       return traits_of(c.config.schedule).copy == BlockCopy::kCpAsync &&
              c.config.vector_bytes < kFewestCpAsyncBytes;
     },
     "cp.async copies at least 4 bytes"},
    {[](Case c) { return !uses_tma(c.config.schedule) && c.config.stages > kMostStages; },
     "at most 4 buffers"},
    {[](Case c) {
       return !uses_tma(c.config.schedule) && swizzled(c) &&
              c.config.block_columns * c.element() < kChunkBytes;
     },
     "a swizzled row has at least 16 bytes"},
};

constexpr Rule<StreamCase> kProblemRules[] = {
    {[](Case c) {
       const auto [rows, columns, dtype, op] = *c.problem;
       return rows < 1 || columns < 1 || rows >= kMostBlocks || columns > kMostElements / rows;
     },
     "the shape is empty, beyond 2^40 elements, or of 2^31 rows or more"},
    {[](Case c) { return op_of(c.config.schedule) != c.problem->op; },
     "{schedule} computes {op}, not {asked_op}"},
    {[](Case c) { return c.problem->op == Op::kMemcpy && c.problem->rows != 1; },
     "memcpy requires a shape of one row"},
    {[](Case c) {
       return c.config.view == StreamView::kFlat &&
              c.problem->rows * c.problem->columns % c.config.block_columns != 0;
     },
     "view=flat requires a multiple of {columns} elements"},
    {[](Case c) { return c.seen().rows > 1 && c.row_bytes() % c.config.vector_bytes != 0; },
     "rows of {row_bytes} bytes are not a multiple of {vector}-byte vectors"},
    {[](Case c) { return has_boxes(c) && c.seen().columns >= kMostBlocks; },
     "a tensor map's dimension exceeds 31 bits"},
    {[](Case c) {
       return ceil_div<i64>(c.seen().rows, c.config.block_rows) *
                  ceil_div<i64>(c.seen().columns, c.config.block_columns) >=
              kMostBlocks;
     },
     "more than 2^31 blocks"},
};

constexpr Rule<StreamCase> kFitRules[] = {
    {[](Case c) { return !stream_registers_suffice(*c.gpu, c.config, c.dtype); },
     "its threads need more registers than the register file has", Refusal::kRegisters},
    {[](Case c) { return fitting_stream_ctas(*c.gpu, c.config, c.dtype) < c.config.ctas_per_sm; },
     "{ctas} such CTAs do not fit on an SM", Refusal::kOccupancy},
};

/// The first broken rule that `asked` can evaluate, and its kind.
struct BrokenRule {
  const Rule<StreamCase>* rule = nullptr;
  Refusal refusal = Refusal::kNone;
};
BrokenRule broken_by(Case asked) {
  const bool alone = asked.problem == nullptr, on_gpu = asked.gpu != nullptr;
  const struct {
    bool asked;
    std::span<const Rule<StreamCase>> rules;
    std::optional<Refusal> refusal = {};  // if not set, each rule has its own kind
  } tables[] = {{on_gpu, kGpuRules},
                {alone || on_gpu, kKernelRules, Refusal::kBlock},
                {!alone, kProblemRules, Refusal::kAlignment},
                {on_gpu, kFitRules}};
  for (const auto& table : tables) {
    const Rule<StreamCase>* const rule = table.asked ? first_broken(table.rules, asked) : nullptr;
    if (rule != nullptr) {
      return {rule, table.refusal.value_or(rule->refusal)};
    }
  }
  return {};
}

std::string sentence_of_broken(Case c) {
  const Rule<StreamCase>* const broken = broken_by(c).rule;
  if (broken == nullptr) {
    return "";
  }
  const StreamSchedule schedule = c.config.schedule;
  return fmt::format(
      fmt::runtime(broken->sentence), fmt::arg("schedule", to_text(schedule)),
      fmt::arg("op", to_text(op_of(schedule))), fmt::arg("element", c.element()),
      fmt::arg("vector", c.config.vector_bytes), fmt::arg("columns", c.config.block_columns),
      fmt::arg("ctas", c.config.ctas_per_sm),
      fmt::arg("asked_op", c.problem == nullptr ? "" : to_text(c.problem->op)),
      fmt::arg("row_bytes", c.problem == nullptr ? 0 : c.row_bytes()),
      fmt::arg("most_shared", c.gpu == nullptr ? 0 : shared_memory_of(*c.gpu).most_per_cta));
}

}  // namespace

std::string stream_config_fault(const StreamConfig& config, ElementType dtype) {
  return sentence_of_broken({config, dtype});
}

std::string stream_problem_fault(const StreamConfig& config, const StreamProblem& problem) {
  return sentence_of_broken({config, problem.dtype, &problem});
}

Refusal check_legal(const GpuSpec& gpu, const StreamProblem& problem, const StreamConfig& config) {
  return broken_by({config, problem.dtype, &problem, &gpu}).refusal;
}

std::string why_not_legal(const GpuSpec& gpu, const StreamProblem& problem,
                          const StreamConfig& config) {
  return sentence_of_broken({config, problem.dtype, &problem, &gpu});
}

}  // namespace tilecast
