// Compares kernels with their simulated processes. The GEMM kernels are compiled for the host
// unchanged, with primitives that log every call (host/kernels/ptx); the processes log the same
// while they are simulated (model/gemm/sim/kernel/step_log.h). For every configuration of
// kernels.txt, on problems with tails along M, N and K, every role of every CTA must take the same
// steps in the same order: waits with their barrier and parity, loads with their tile, K block and
// bytes, multiplies, releases with the notified CTAs, chunks staged and stored, turns, partial
// sums.
//
// Details below the simulator's granularity are removed in one place, as_compared. Not compared:
// the contents of a K block's loads and wgmmas except for their number and bytes; barriers among
// the threads of one warpgroup, and those before the first tile; addresses, except those of
// barriers, stages of A and slots of C; values, and so epilogues; C that threads store themselves;
// timing; how a warp finds the tiles of groups. tcgen05 kernels are not included.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "kernels/registry.h"
#include "model/base/error.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/gemm/config/schedule_text.h"
#include "model/gemm/config/warpgroup_part.h"
#include "model/gemm/costs/kernel_costs.h"
#include "model/gemm/costs/tensor_operation.h"
#include "model/gemm/menu/candidates.h"
#include "model/gemm/menu/legality.h"
#include "model/gemm/problem/group_rows.h"
#include "model/gemm/problem/swapped_operands.h"
#include "model/gemm/sim/simulate.h"
#include "model/ops/any_op.h"
#include "model/predict/predict.h"
#include "tests/catch.h"
#include "tests/h200.h"
#include "tests/roles/kernel_steps.h"

namespace tilecast {
namespace {

/// There are few resident workers, so that each has several tiles; but pieces that wait for each
/// other must be resident together.
u32 workers_for(const KernelConfig& config) {
  return config.decomposition.reduction == Reduction::kSpread ? 64 : 3;
}

KernelConfig config_of(const HostKernel& kernel) {
  const ElementType dtype = kernel.promoted() ? ElementType::kE4m3 : ElementType::kFp16;
  return for_operands(dtype, parse_kernel_config(kernel.config));
}

StepLog simulated_steps(const KernelConfig& config, const GemmProblem& problem) {
  StepLog log;
  const Residency residency{config.ctas_per_sm, static_cast<i32>(workers_for(config))};
  simulate_gemm(h200(), problem, config, residency, {1.755e9}, {.steps = &log});
  return log;
}

/// Removes waits that an earlier wait already covers, so that both sequences can be compared.
std::vector<Step> without_idle_waits(const std::vector<Step>& steps, StepKind store) {
  std::vector<Step> kept;
  i64 multiplying = 0, storing = 0;
  for (const Step& step : steps) {
    multiplying += step.kind == StepKind::kMultiply ? 1 : 0;
    storing += step.kind == store ? 1 : 0;
    i64* const going_on = step.kind == StepKind::kWaitMultiplied   ? &multiplying
                          : step.kind == StepKind::kWaitStoresRead ? &storing
                                                                   : nullptr;
    if (going_on != nullptr) {
      if (*going_on <= step.count) {
        continue;
      }
      *going_on = step.count;
    }
    kept.push_back(step);
  }
  return kept;
}

/// A CTA tile's first row of A, within its GEMM.
i64 first_row_of(const GemmProblem& problem, const Tiling& t, u32 tile_m) {
  const u32 rows = tile_rows(problem.shape, t) * static_cast<u32>(t.cluster_m);
  return grouped_along_m(problem) ? first_row_of(*problem.groups, t, tile_m)
                                  : i64{tile_m % rows} * t.block_m;
}

/// The comparable steps of a role.
std::vector<Step> as_compared(const KernelConfig& config, const GemmProblem& problem,
                              const RoleName& role, std::vector<Step> steps) {
  const Tiling& t = config.tiling;
  // Threads that store C themselves leave no log; staging shows their elements.
  const bool mma_sync = uses_mma_sync(config.schedule);
  const bool by_tma =
      !mma_sync && (config.operands == OperandOrder::kSwapped || c_rows_allow_tma(problem));
  const bool by_threads = !by_tma;
  // With borrowed stages the CTA's first warp stores C for all its warpgroups, while in the
  // simulator each warpgroup stores its part. So only the parts and waits of the first one are
  // compared.
  const bool by_first = t.c_slots == 0 && role.role != 0;
  std::erase_if(steps, [&](const Step& step) {
    const bool stores = step.kind == StepKind::kStore || step.kind == StepKind::kPartStored;
    return (by_threads || by_first) && (stores || step.kind == StepKind::kWaitStoresRead);
  });
  // A barrier of the CTA both releases a stage and waits for it, mma.sync are not waited for, and
  // threads stage C; the first warpgroup's loads stand for all.
  std::erase_if(steps, [&](const Step& step) {
    return mma_sync &&
           (step.kind == StepKind::kWaitEmpty || step.kind == StepKind::kWaitMultiplied ||
            step.kind == StepKind::kStage || (step.kind == StepKind::kLoad && role.role != 0));
  });
  if (t.c_slots == 0 && role.role == 0) {
    // Compares tiles instead: each once, when its first part is stored.
    std::erase_if(steps, [](const Step& step) { return step.kind == StepKind::kStore; });
    steps.erase(std::unique(steps.begin(), steps.end(),
                            [](const Step& a, const Step& b) {
                              return a.kind == StepKind::kPartStored && a == b;
                            }),
                steps.end());
  }
  for (Step& step : steps) {
    if (step.kind == StepKind::kLoad) {
      // The simulator knows the tile of an out-of-bounds slice of A; the kernel does not load it.
      const i64 slice = t.block_m / t.cluster_n;
      if (step.tile_m == kUnknownTile ||
          first_row_of(problem, t, step.tile_m) + role.rank / t.cluster_m * slice >=
              problem.shape.m) {
        step.tile_m = kUnknownTile;
      }
    }
    // A share of every sum, in whole groups of four per thread.
    if (step.kind == StepKind::kReadSum && config.decomposition.reduction == Reduction::kSpread) {
      step.bytes = 0;
    }
  }
  return without_idle_waits(steps, t.c_slots == 0 ? StepKind::kPartStored : StepKind::kStore);
}

std::string text_of(const Step& s) {
  static const char* const kNames[] = {
      "wait empty",        "load",           "load R",    "wait full",     "multiply",
      "wait multiplied",   "release",        "meet",      "stage",         "store",
      "wait stores read",  "part stored",    "take turn", "give turn",     "wait for sum",
      "store sum",         "add sum",        "read sum",  "publish",       "share stored",
      "wait for clearing", "clearing ready", "sum taken", "wait sum taken"};
  return fmt::format("{} at {} count {} tile {},{} K block {} bytes {}",
                     kNames[static_cast<std::size_t>(s.kind)], s.at, s.count, s.tile_m, s.tile_n,
                     s.k_block, s.bytes);
}

/// Returns "" if they are equal, otherwise the first different step with its predecessors.
std::string difference(const std::vector<Step>& kernel, const std::vector<Step>& process) {
  const std::size_t both = std::min(kernel.size(), process.size());
  std::size_t at = 0;
  while (at < both && kernel[at] == process[at]) {
    ++at;
  }
  if (at == kernel.size() && at == process.size()) {
    return "";
  }
  std::string text = fmt::format("step {} of {} and {}\n", at, kernel.size(), process.size());
  for (std::size_t i = at < 4 ? 0 : at - 4; i < at; ++i) {
    text += fmt::format("  both     {}\n", text_of(kernel[i]));
  }
  for (std::size_t i = at; i < at + 3; ++i) {
    text += i < kernel.size() ? fmt::format("  kernel   {}\n", text_of(kernel[i])) : "";
  }
  for (std::size_t i = at; i < at + 3; ++i) {
    text += i < process.size() ? fmt::format("  process  {}\n", text_of(process[i])) : "";
  }
  return text;
}

/// Returns "" if every role of the kernel takes the steps of its process, otherwise the first role
/// and step that differ.
std::string difference(const HostKernel& kernel, const KernelConfig& config,
                       const GemmProblem& problem) try {
  StepLog of_kernel = kernel_steps(kernel, config, problem, workers_for(config)).log;
  StepLog of_process = simulated_steps(config, problem);
  std::set<RoleName> roles;
  for (const StepLog* log : {&of_kernel, &of_process}) {
    for (const auto& [role, steps] : *log) {
      roles.insert(role);
    }
  }
  for (const RoleName& role : roles) {
    const std::string differs =
        difference(as_compared(config, problem, role, std::move(of_kernel[role])),
                   as_compared(config, problem, role, std::move(of_process[role])));
    if (!differs.empty()) {
      return fmt::format("worker {}, CTA {} of its cluster, role {}: {}", role.worker, role.rank,
                         role.role, differs);
    }
  }
  return roles.empty() ? "the kernel has no roles" : "";
} catch (const Error& error) {  // a process that deadlocks, or a kernel that contradicts itself
  return error.what();
}

/// Problems with tails along each dimension, with fewer and more K blocks than stages, with one
/// tile and with many; as run by the kernel.
std::vector<GemmProblem> problems_for(const HostKernel& kernel, const KernelConfig& config) {
  const Tiling& t = config.tiling;
  const Layout layout = kernel.layout;
  const i64 m = i64{t.block_m} * t.cluster_m, n = i64{t.block_n} * t.cluster_n, k = t.block_k;
  std::vector<GemmShape> shapes;
  if (traits_of(config.schedule).one_k_block) {
    shapes = {{t.block_m, t.block_n, k}, {t.block_m - 9, t.block_n - 8, k - 8}};
  } else {
    shapes = {{2 * m, 2 * n, 9 * k}, {2 * m + 9, 3 * n - 24, 7 * k + 8}, {m - 7, 4 * n + 8, 6 * k}};
    if (!splits_k(config.schedule)) {
      shapes.push_back({3 * m + 1, 2 * n + 16, k});
      shapes.push_back({m, n, 2 * k - 8});
    }
  }
  if (b_is_k_major(layout)) {
    GemmShape odd = shapes.back();
    odd.n -= 1;  // threads store C
    shapes.push_back(odd);
  }
  std::vector<GemmProblem> problems;
  for (GemmShape shape : shapes) {
    if (config.operands == OperandOrder::kSwapped || !a_is_k_major(layout)) {
      shape.m = round_up<i64>(shape.m, 8);  // rows of C, or of A, are multiples of 16 bytes
    }
    problems.push_back({.shape = shape,
                        .dtype = kernel.promoted() ? ElementType::kE4m3 : ElementType::kFp16,
                        .layout = layout,
                        .epilogue = {kernel.block_scales ? step<ScaleBlock>() : OutputStep{},
                                     kernel.residual ? step<Residual>() : OutputStep{}},
                        .batch = {.products = kernel.batched ? 3 : 1},
                        .accumulate = kernel.exact ? Accumulate::kExact : Accumulate::kFast});
  }
  if (kernel.parts_k) {  // whole and partial K blocks; one empty group
    std::vector<GemmProblem> grouped;
    for (const GemmProblem& problem : problems) {
      grouped.push_back(in_groups_of_k(problem, {2 * k, 3 * k, k}));
      grouped.push_back(in_groups_of_k(problem, {k + 6, 0, 5, 4 * k - 2}));
    }
    return grouped;
  }
  if (kernel.grouped) {  // whole and partial tiles; some empty groups
    const std::vector<std::vector<i64>> groups = {{2 * m, 0, m, 3 * m},
                                                  {m + 9, 0, 0, 5, 2 * m - 7}};
    std::vector<GemmProblem> grouped;
    for (const GemmProblem& problem : problems) {
      for (const std::vector<i64>& rows : groups) {
        grouped.push_back(in_groups(problem, rows));
      }
      // Masked, with capacity that ends inside a tile.
      grouped.push_back(in_groups(problem, GroupRows::of({m, 0, 2 * m + 9, 5}, 2 * m + 16)));
    }
    return grouped;
  }
  return problems;
}

}  // namespace

TEST_CASE("Every role of a kernel takes the steps of its process, in order") {
  for (const HostKernel& kernel : host_kernels()) {
    const KernelConfig config = config_of(kernel);
    for (const GemmProblem& problem : problems_for(kernel, config)) {
      CAPTURE(kernel.config, to_text(AnyProblem{problem}));
      const GemmProblem asked = as_run(problem, config);  // transposing twice
      CHECK(to_text(check_legal(h200(), asked, config)) == to_text(Refusal::kNone));
      CHECK(difference(kernel, config, problem) == "");
    }
  }
}

TEST_CASE("The schedule of every kernel is ranked") {
  std::set<Schedule> schedules;
  for (const HostKernel& kernel : host_kernels()) {
    schedules.insert(config_of(kernel).schedule);
  }
  for (const Schedule schedule : schedules) {
    const auto ranks = [&](const GemmShape& shape) {
      const GemmProblem problem{shape, ElementType::kFp16, Layout::kTn};
      if (enumerate_candidates(h200(), problem, {schedule}).legal.empty()) {
        return false;
      }
      const Ranking ranking = rank_candidates(h200(), problem, {schedule}, Regime::kBurst,
                                              Inputs::kNormal, 1, {.method = Method::kAnalytic});
      return std::get<KernelConfig>(ranking.predictions.front().config).schedule == schedule;
    };
    CAPTURE(to_text(schedule));
    // One tile; many tiles; few tiles with a long K; several waves with a partial last one.
    CHECK((ranks({64, 64, 64}) || ranks({1024, 1024, 1024}) || ranks({512, 512, 65536}) ||
           ranks({3072, 3072, 4096})));
  }
}

TEST_CASE("The model's counts of bulk copies and wgmmas per K block are the kernels'") {
  for (const HostKernel& kernel : host_kernels()) {
    const KernelConfig config = config_of(kernel);
    CAPTURE(kernel.config);
    const KernelSteps steps =
        kernel_steps(kernel, config, problems_for(kernel, config).front(), workers_for(config));
    const i32 of_scales = kernel.block_scales ? scale_copies(config.tiling) : 0;
    if (uses_mma_sync(config.schedule)) {  // each warp's m16n8 cover 64 rows and all columns
      CHECK(steps.most_wgmmas == tensor_operation(h200(), {}, config).per_k_block *
                                     tilecast::instruction_n(config) / finest_n_step());
      continue;
    }
    CHECK(steps.most_copies == bulk_copies(config.tiling, kernel.layout) + of_scales);
    // With fp32 promotion each wgmma row is waited for.
    const i32 parts = kernel.promoted() ? wgmmas_along_m(config.tiling) : 1;
    CHECK(steps.most_wgmmas * parts == tensor_operation(h200(), {}, config).per_k_block);
    CHECK(steps.fewest_wgmmas == steps.most_wgmmas);
  }
}

TEST_CASE("A warpgroup's part of a tile is at the simulator's position") {
  std::set<std::pair<i32, i32>> splits;
  for (const HostKernel& kernel : host_kernels()) {
    const KernelConfig config = config_of(kernel);
    const Tiling& t = config.tiling;
    const KernelSteps steps =
        kernel_steps(kernel, config, problems_for(kernel, config).front(), workers_for(config));
    CAPTURE(kernel.config);
    if (t.c_slots == 0 || config.decomposition.reduction == Reduction::kSpread) {
      continue;  // the CTA's first warp stores for all, or threads store
    }
    for (i32 warpgroup = 0; warpgroup < consumer_warpgroups(config.schedule, t); ++warpgroup) {
      const auto [row, column] = warpgroup_part(t, warpgroup % warpgroups_per_tile(t));
      CHECK(steps.stored_parts.at(warpgroup) == std::set<std::pair<i32, i32>>{{row, column}});
    }
    splits.emplace(t.warpgroups_m, t.warpgroups_n);
  }
  // Every legal split occurs: at most three warpgroups share a tile.
  CHECK(splits == std::set<std::pair<i32, i32>>{{1, 1}, {2, 1}, {1, 2}, {3, 1}, {1, 3}});
}

TEST_CASE("Every schedule but Blackwell's is compared in all of its layouts") {
  std::set<std::pair<Schedule, bool>> a_along_k, b_along_k;
  std::set<Schedule> batched, grouped, parts_k, scaled, exact;
  std::set<Store> stores;
  for (const HostKernel& kernel : host_kernels()) {
    const KernelConfig config = config_of(kernel);
    if (kernel.batched || kernel.grouped || kernel.parts_k || kernel.promoted()) {
      (kernel.batched        ? batched
       : kernel.grouped      ? grouped
       : kernel.parts_k      ? parts_k
       : kernel.block_scales ? scaled
                             : exact)
          .insert(config.schedule);
    } else {
      a_along_k.emplace(config.schedule, a_is_k_major(kernel.layout));
      b_along_k.emplace(config.schedule, b_is_k_major(kernel.layout));
    }
    stores.insert(config.store);
  }
  for (const Schedule schedule : kEverySchedule) {
    if (uses_tcgen05(schedule)) {
      continue;
    }
    const ScheduleTraits traits = traits_of(schedule);
    CAPTURE(traits.name);
    for (const Layout layout : kEveryLayout) {
      CAPTURE(to_text(layout));
      CHECK(a_along_k.contains({schedule, a_is_k_major(layout)}));
      CHECK(b_along_k.contains({schedule, b_is_k_major(layout)}));
    }
    CHECK(batched.contains(schedule) == !traits.one_k_block);
    CHECK(grouped.contains(schedule) == traits.walks_groups);
    CHECK(parts_k.contains(schedule) == traits.walks_groups);
    CHECK(exact.contains(schedule) == has_producer_warpgroup(schedule));
    CHECK(scaled.contains(schedule) == (exact.contains(schedule) && !splits_k(schedule)));
  }
  CHECK(stores.size() == 2);
}

}  // namespace tilecast
