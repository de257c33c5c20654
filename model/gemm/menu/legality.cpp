#include "model/gemm/menu/legality.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "model/gemm/config/kernel_config_text.h"
#include "model/gemm/config/register_plan.h"
#include "model/gemm/config/smem_layout.h"
#include "model/gemm/config/tensor_memory.h"
#include "model/gemm/costs/occupancy.h"
#include "model/gemm/costs/tensor_operation.h"
#include "model/gemm/menu/fused_registers.h"
#include "model/gemm/problem/group_rows.h"
#include "model/gemm/problem/operand_copies.h"
#include "model/gemm/problem/swapped_operands.h"
#include "model/gemm/rules/compiler_rejections.h"
#include "model/gemm/rules/kernel_rules.h"
#include "model/gemm/rules/split_rules.h"
#include "model/spec/load_gpu.h"

namespace tilecast {
namespace {

// Tiles are counted in 32 bits; even the smallest tiles must stay far below overflow.
constexpr i64 kMostSide = i64{1} << 24;
constexpr i64 kMostOutputs = i64{1} << 40;

/// A problem of a supported kind on a GPU.
struct SizeCase {
  const GpuSpec& gpu;
  const GemmProblem& problem;
};
using Sizes = const SizeCase&;

/// Whether the panels of `products` GEMMs of equal size overflow 32-bit counts.
bool too_many(i64 products, const GemmShape& shape) {
  return products > kMostSide / std::max(round_up<i64>(shape.m, kWgmmaM), shape.n);
}

constexpr Rule<SizeCase> kSizeRules[] = {
    {[](Sizes s) { return copied_operands(s.problem).any() && !s.gpu.stream; },
     "rows of A and B must be multiples of {row_step} elements (16 bytes): {gpu} has no "
     "section "
     "stream, which predicts copies of other operands"},
    {[](Sizes s) {
       return copied_operands(s.problem).any() && s.problem.groups != nullptr &&
              s.problem.groups->capacity() != 0;
     },
     "rows of A and B of masked groups must be multiples of {row_step} elements (16 bytes); see "
     "--lda and --ldb"},
    {[](Sizes s) {
       const CopiedOperands copied = copied_operands(s.problem);
       const GemmShape& shape = s.problem.shape;
       return copied.any() && std::max(shape.m, shape.n) > kMostOutputs / std::max<i64>(shape.k, 1);
     },
     "A and B have at most {most_outputs} elements if rows are not multiples of {row_step} "
     "elements and must be copied"},
    {[](Sizes s) { return s.problem.leading.c != 0 && s.problem.groups != nullptr; },
     "ldc is {ldc}: groups require contiguous C"},
    {[](Sizes s) { return s.problem.leading.c != 0 && !c_rows_allow_tma(s.problem); },
     "ldc is {ldc}: if C is not contiguous, ldc and N must be multiples of 16 bytes"},
    {[](Sizes s) { return gates(s.problem.epilogue) && s.problem.shape.n % 2 != 0; },
     "epilogue {epilogue}: gated activation needs an even N, got {n}"},
    {[](Sizes s) {
       const GemmShape& shape = s.problem.shape;
       return shape.m > kMostSide || shape.n > kMostSide || shape.m * shape.n > kMostOutputs;
     },
     "M and N are at most {most_side}, and C has at most {most_outputs} elements"},
    {[](Sizes s) { return s.problem.groups != nullptr && s.problem.groups->total() == 0; },
     "groups: at least one group must be non-empty"},
    {[](Sizes s) { return grouped_along_k(s.problem) && s.problem.shape.k > most_ragged_rows(); },
     "K of all groups is {k}: expected at most {most_k}"},
    {[](Sizes s) { return grouped_along_m(s.problem) && matrices_of_b(s.problem) > kMostGroups; },
     "{groups} groups: a kernel supports at most {most_groups}"},
    // Panels are counted in 32 bits, as if the groups were one GEMM.
    {[](Sizes s) {
       const i64 groups = matrices_of_b(s.problem);
       return grouped_along_m(s.problem) &&
              (rows_in_memory(s.problem) + groups * kWgmmaM > kMostSide ||
               groups * s.problem.shape.n > kMostSide);
     },
     "{groups} groups: at most {most_side} rows in total, each group rounded up to 64, and as "
     "many columns"},
    {[](Sizes s) {
       return !grouped_along_m(s.problem) && too_many(matrices_of_c(s.problem), s.problem.shape);
     },
     "{products} {matrices}: at most {most_side} rows in total, M rounded up to 64, and "
     "as many "
     "columns"},
};

/// A KernelCase with its GPU and the problem as the caller gave it, for rules that need them.
struct ChipCase : KernelCase {
  ChipCase(const GpuSpec& on, const GemmProblem& problem_asked, const KernelConfig& config)
      : KernelCase(kernel_case(ProblemKind::of(problem_asked), config)), gpu(on) {
    asked = &problem_asked;
    problem = operands == OperandOrder::kSwapped ? &swapped_.emplace(transposed(*asked)) : asked;
  }
  ChipCase(const ChipCase&) = delete;

  const GpuSpec& gpu;
  const GemmProblem* asked;  // as given by the caller; `problem` is from as_run

 private:
  std::optional<GemmProblem> swapped_;
};
using Chip = const ChipCase&;

/// Registers that kernels with fp32 promotion need besides both sets of accumulators, from compiled
/// kernels without spills. With block scales fewer suffice if more columns share a scale.
i32 registers_beside_promoted(Chip c) {
  constexpr i32 kPlain = 24, kSplit = 72;
  if (!has_block_scales(c.epilogue)) {
    return splits_k(c.schedule) ? kSplit : kPlain;
  }
  const i32 columns = warpgroup_columns(c.tiling);
  return columns % 64 == 0 ? 32 : columns % kInstructionNStep == 0 ? 48 : 64;
}

/// Partial sums of one wgmma's columns need registers besides the accumulators.
bool registers_hold_promoted(Chip c) {
  return accumulator_registers(c.tiling) + instruction_n(c) / 2 + registers_beside_promoted(c) <=
         register_plan(consumer_warpgroups(c.schedule, c.tiling), c.ctas_per_sm,
                       c.producer_registers)
             .consumer;
}

/// A deferred store needs enough registers for at least half of a tile to wait in.
bool lacks_registers(Chip c) {
  return threads_per_cta(c.schedule, c.tiling) * c.ctas_per_sm > c.gpu.sm.max_threads ||
         !registers_suffice(c.gpu, c, fused_registers(*c.problem, c)) ||
         (c.store == Store::kDeferred && 2 * deferred_chunks(c) < c_chunks(c.tiling)) ||
         !defers_with_epilogue(c, c.epilogue) ||
         (promotes(*c.problem) && !registers_hold_promoted(c));
}

i32 ctas_by_shared_memory(Chip c) {
  return ctas_by_shared_memory(c.gpu, c, bytes_beside_layout(*c.problem, c));
}

/// Explains why K cannot be split this way among the workers expected to fit; empty if it can.
std::string why_no_split(Chip c) {
  if (!splits_k(c.schedule)) {
    return {};
  }
  const u32 resident = static_cast<u32>(resident_workers(c.gpu, c));
  return why_not_split(make_tile_scheduler(*c.problem, c, resident),
                       ceil_div<i64>(c.problem->shape.k, c.tiling.block_k), c, resident);
}

constexpr const char* kTooFewRegisters =
    "its threads need more registers than the register file has";
constexpr Rule<ChipCase> kArchitectureRule{
    [](Chip c) { return !has_tensor_core(c.gpu, traits_of(c.schedule).tensor_core); },
    "{instructions} schedules require {their_gpu}; this GPU is {gpu}", Refusal::kArchitecture};
constexpr Rule<ChipCase> kChipRules[] = {
    {[](Chip c) {
       const Architecture on = c.gpu.architecture;  // Hopper's mma.sync converts fp8 and spills
       return uses_mma_sync(c.schedule) && is_narrow(c.types.operands) &&
              on != Architecture::kAda && on != Architecture::kBlackwellRtx;
     },
     "mma.sync supports fp8 only on ada and blackwell_rtx; this GPU is {gpu}",
     Refusal::kArchitecture},
    {[](Chip c) { return !uses_tcgen05(c.schedule) && lacks_registers(c); }, kTooFewRegisters,
     Refusal::kRegisters},
    {[](Chip c) {
       return !c_fits_where_it_is_staged(c.schedule, c.tiling, c_column_bytes(*c.problem)) ||
              ctas_by_shared_memory(c) == 0;
     },
     "its stages and C do not fit in shared memory", Refusal::kSharedMemory},
    {[](Chip c) { return uses_tcgen05(c.schedule) && !tensor_memory_suffices(c); },
     "its accumulators do not fit in tensor memory", Refusal::kTensorMemory},
    {[](Chip c) { return uses_tcgen05(c.schedule) && lacks_registers(c); }, kTooFewRegisters,
     Refusal::kRegisters},
    {[](Chip c) {
       return std::min(resident_ctas(c.gpu, c), ctas_by_shared_memory(c)) < c.ctas_per_sm;
     },
     "{ctas} such CTAs do not fit on an SM", Refusal::kOccupancy},
    {[](Chip c) { return !why_no_split(c).empty(); }, "{split}", Refusal::kSplit},
    {[](Chip c) {
       return c.gpu.compiler_rejections != nullptr &&
              any_rejects(*c.gpu.compiler_rejections, *c.asked, c);
     },
     "the compiler is known to spill its registers or to serialize its MMAs", Refusal::kCompiler},
};

struct Instructions {
  const char *name, *gpus;
};
Instructions instructions_of(Schedule schedule) {
  switch (traits_of(schedule).tensor_core) {
    case TensorCore::kWgmma:
      return {"wgmma", "hopper"};
    case TensorCore::kTcgen05:
      return {"tcgen05", "blackwell"};
    case TensorCore::kMmaSync:
      return {"mma.sync", "ampere, ada, hopper and blackwell_rtx"};
  }
  return {};  // not a schedule
}

/// The first rule that a kernel breaks, from either table.
struct Broken {
  const Rule<ChipCase>* of_chip = nullptr;
  const Rule<KernelCase>* of_kernel = nullptr;

  static Broken by(Chip c) {
    if (kArchitectureRule.broken(c)) {
      return {&kArchitectureRule};
    }
    const TensorCore core = traits_of(c.schedule).tensor_core;
    const Rule<KernelCase>* kernel = first_broken(rules_of_kernels(core), c);
    if (kernel == nullptr && core != menu_tensor_core(c.gpu)) {
      // why_not_solvable checks these for the menu's instructions alone.
      kernel = first_broken(rules_of_kinds(), c);
    }
    return kernel != nullptr ? Broken{nullptr, kernel}
                             : Broken{first_broken<ChipCase>(kChipRules, c)};
  }
  Refusal refusal() const {
    return of_chip != nullptr     ? of_chip->refusal
           : of_kernel != nullptr ? of_kernel->refusal
                                  : Refusal::kNone;
  }
  std::string sentence(Chip c) const {
    return of_chip == nullptr
               ? sentence_of(of_kernel, c)
               : fmt::format(
                     fmt::runtime(of_chip->sentence), fmt::arg("ctas", c.ctas_per_sm),
                     fmt::arg("gpu", to_text(c.gpu.architecture)),
                     fmt::arg("instructions", instructions_of(c.schedule).name),
                     fmt::arg("their_gpu", instructions_of(c.schedule).gpus),
                     fmt::arg("split", refusal() == Refusal::kSplit ? why_no_split(c) : ""));
  }
};

/// Finds the smallest change of a single key (the largest legal value of a number) that makes a
/// kernel legal; else empty.
std::string smallest_change(const GpuSpec& gpu, const GemmProblem& problem,
                            const KernelConfig& config) {
  constexpr i32 kMostTried = 64;
  std::string found;
  const auto attempt = [&](const std::string& what, const auto& change) {
    KernelConfig changed = config;
    change(changed);
    if (found.empty() && check_legal(gpu, problem, changed) == Refusal::kNone) {
      found = what;
    }
  };
  const auto lower = [&](i32 value, i32 least, const char* what, const auto& set) {
    for (value = std::min(value - 1, kMostTried); value >= least; --value) {
      attempt(fmt::format(fmt::runtime(what), value, value == 1 ? "" : "s"),
              [&](KernelConfig& c) { set(c, value); });
    }
  };
  lower(config.tiling.stages, 1, "at most {} stage{}",
        [](KernelConfig& c, i32 value) { c.tiling.stages = value; });
  lower(config.ctas_per_sm, 1, "ctas of at most {}",
        [](KernelConfig& c, i32 value) { c.ctas_per_sm = value; });
  lower(config.inflight, 0, "inflight of at most {}",
        [](KernelConfig& c, i32 value) { c.inflight = value; });
  attempt("cluster=1x1", [](KernelConfig& c) { c.tiling.cluster_m = c.tiling.cluster_n = 1; });
  attempt("a dedicated slot for C (c_slots=1)", [](KernelConfig& c) { c.tiling.c_slots = 1; });
  attempt("grid=resident", [](KernelConfig& c) { c.grid = Grid::kResident; });
  attempt("walk=strided", [](KernelConfig& c) { c.raster.walk = Walk::kStrided; });
  for (const i32 registers : {40, 32, 24}) {
    attempt(fmt::format("producer={}", registers),
            [&](KernelConfig& c) { c.producer_registers = registers; });
  }
  return found;
}

}  // namespace

std::string why_not_solvable(const GpuSpec& gpu, const GemmProblem& problem) {
  const std::string why = why_no_kernel(problem, menu_tensor_core(gpu));
  const Rule<SizeCase>* const broken = first_broken<SizeCase>(kSizeRules, {gpu, problem});
  if (!why.empty() || broken == nullptr) {
    return why;
  }
  const bool along_k = grouped_along_k(problem);
  return fmt::format(
      fmt::runtime(broken->sentence), fmt::arg("gpu", gpu.name),
      fmt::arg("row_step", kWholeRowBytes / element_bytes(problem.dtype)),
      fmt::arg("ldc", problem.leading.c), fmt::arg("epilogue", to_text(problem.epilogue)),
      fmt::arg("n", problem.shape.n), fmt::arg("k", problem.shape.k),
      fmt::arg("groups", matrices_of_b(problem)), fmt::arg("matrices", matrices_of_c(problem)),
      fmt::arg("products", along_k ? "groups along K, of which there are" : "a batch of"),
      fmt::arg("most_k", most_ragged_rows()), fmt::arg("most_groups", kMostGroups),
      fmt::arg("most_side", kMostSide), fmt::arg("most_outputs", kMostOutputs));
}

Refusal check_legal(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config) {
  return Broken::by(ChipCase(gpu, problem, config)).refusal();
}

std::string why_not_legal(const GpuSpec& gpu, const GemmProblem& problem,
                          const KernelConfig& config) {
  const ChipCase asked(gpu, problem, config);
  const Broken broken = Broken::by(asked);
  const Refusal refusal = broken.refusal();
  const std::string needs =
      refusal == Refusal::kNone || refusal == Refusal::kArchitecture || refusal == Refusal::kSplit
          ? ""
          : smallest_change(gpu, problem, config);
  return broken.sentence(asked) + (needs.empty() ? "" : "; needs " + needs);
}

}  // namespace tilecast
