#include "cli/cutlass_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "cli/cutlass_problem.h"
#include "cli/problem_list.h"
#include "cli/say.h"
#include "model/base/error.h"
#include "model/base/refuse.h"
#include "model/base/text.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/gemm/config/schedule_text.h"
#include "model/gemm/problem/operand_copies.h"
#include "validate/record/csv_text.h"

namespace tilecast {
namespace {

constexpr i32 kMostSwizzle = 8;
constexpr i32 kMostSide = 256;           // largest dimension of a CTA tile; rows are 64, 128 or 256
constexpr i32 kFewestCooperative = 128;  // fewest rows, 64 for each of two warpgroups

std::string_view type_name(ElementType type) { return type == ElementType::kBf16 ? "bf16" : "f16"; }

/// Layout of the transpose: A^T and B^T in the order that gives C^T.
std::string layout_name(Layout layout) { return std::string(to_text(layout)) + "n"; }

/// CUTLASS's cooperative and ping-pong kernels have two consumers, the plain kernel has one.
bool has_one_consumer(const KernelConfig& config) {
  return consumer_warpgroups(config.schedule, config.tiling) == 1;
}

std::string schedule_name(const KernelConfig& config) {
  return has_one_consumer(config) ? "_warpspecialized_epi_nosmem"
                                  : fmt::format("_{}_epi_tma", traits_of(config.schedule).cutlass);
}

}  // namespace

std::vector<AnySchedule> cutlass_schedules() {
  std::vector<AnySchedule> schedules;
  std::ranges::copy_if(kEverySchedule, std::back_inserter(schedules),
                       [](Schedule s) { return traits_of(s).cutlass != nullptr; });
  return schedules;
}

std::string_view why_not_listed(const GemmProblem& p) {
  return is_fp8(p.dtype)       ? "expected dtype fp16 or bf16"
         : fuses(p.epilogue)   ? "expected no epilogue: cutlass_profiler does not time epilogues"
         : p.groups != nullptr ? "expected a GEMM or a batch, not groups"
         : p.batch.one_a || p.batch.one_b
             ? "expected a batch in which each GEMM has its own A and B"
         : copied_operands(p).any() || p.leading != LeadingDimensions{}
             ? "expected contiguous matrices whose rows of A and B are multiples of 16 bytes"
             : "";
}

std::string_view why_not_cutlass(const GemmProblem& problem, const KernelConfig& config) {
  const Tiling& t = config.tiling;
  if (problem.shape.n % kCutlassAlignment != 0) {
    return "rows of C";
  }
  const ScheduleTraits traits = traits_of(config.schedule);
  if (traits.cutlass == nullptr) {
    return "schedule";
  }
  if (config.store == Store::kDeferred) {
    return "store=deferred";
  }
  if (config.operands == OperandOrder::kSwapped) {
    return "operands=swapped";
  }
  if (config.ctas_per_sm != 1) {
    return "several CTAs on an SM";
  }
  if (config.raster.kind == RasterKind::kHilbert || config.raster.group > kMostSwizzle ||
      (config.raster.group & (config.raster.group - 1)) != 0) {
    return "raster";
  }
  if (config.raster.walk == Walk::kChunked) {
    return "walk=chunked";
  }
  if ((t.block_n != 64 && t.block_n != 128 && t.block_n != 256) || t.block_m > kMostSide) {
    return "tile";
  }
  if (traits.tiles_at_once == 2) {
    return "";
  }
  if (warpgroups_per_tile(t) == 2) {
    return t.block_n < kFewestCooperative ? "tile" : config.grid != Grid::kResident ? "grid" : "";
  }
  return !has_one_consumer(config) || splits_k(config.schedule) ? "warpgroups"
         : config.grid != Grid::kTiles                          ? "grid"
                                                                : "";
}

std::string cutlass_name(const GemmProblem& problem, const KernelConfig& config) {
  TILECAST_ASSERT(why_not_cutlass(problem, config).empty());
  const Tiling& t = config.tiling;
  const std::string_view type = type_name(problem.dtype);
  return fmt::format("cutlass3x_sm90_tensorop_gemm_{}_{}_f32_{}_{}_{}x{}x{}_{}x{}x1_0_{}_align{}{}",
                     type, type, type, type, t.block_n, t.block_m, t.block_k, t.cluster_n,
                     t.cluster_m, layout_name(problem.layout), kCutlassAlignment,
                     schedule_name(config));
}

std::string builder_text(const KernelConfig& config) {
  const Tiling& t = config.tiling;
  const std::string_view schedule =
      has_one_consumer(config) ? std::string_view() : traits_of(config.schedule).cutlass;
  return fmt::format("TileShape {}x{}x{}, ClusterShape {}x{}x1, KernelTmaWarpSpecialized{}{}",
                     t.block_n, t.block_m, t.block_k, t.cluster_n, t.cluster_m,
                     schedule.ends_with("pingpong")      ? "Pingpong"
                     : schedule.ends_with("cooperative") ? "Cooperative"
                                                         : "",
                     splits_k(config.schedule) ? ", StreamKScheduler" : "");
}

std::string cutlass_header() {
  return "operation_name,m,n,k,batch_count,layout,dtype_a,dtype_b,dtype_c,dtype_acc,dtype_d,alpha,"
         "beta,cta_tile_m,cta_tile_n,cta_tile_k,cluster_m,cluster_n,cluster_k,raster_order,"
         "swizzle_size,split_k_slices,predicted_us,tilecast_config\n";
}

std::string cutlass_rows(const Ranking& ranking, std::size_t top, const std::string& of) {
  const GemmProblem* problem = std::get_if<GemmProblem>(&ranking.problem);
  refuse_if(problem == nullptr, "--format cutlass: expected --op gemm");
  if (const std::string_view why = why_not_listed(*problem); !why.empty()) {
    throw ConfigError(fmt::format("--format cutlass: {}", why));
  }
  std::string rows;
  std::map<std::string, int> without;  // counts of those before the first with a counterpart
  std::set<std::string> kernels;       // kernels that CUTLASS distinguishes, by all columns
  std::vector<Prediction> candidates = ranking.predictions;
  if (ranking.counterpart) {
    std::erase_if(candidates,
                  [&](const auto& p) { return p.config == ranking.counterpart->config; });
    candidates.insert(candidates.begin(), *ranking.counterpart);
  }
  for (const Prediction& p : ranking.predictions) {
    const std::string_view why = why_not_cutlass(*problem, std::get<KernelConfig>(p.config));
    if (why.empty()) {
      break;
    }
    ++without[std::string(why)];
  }
  for (const Prediction& p : candidates) {
    const KernelConfig& config = std::get<KernelConfig>(p.config);
    if (!why_not_cutlass(*problem, config).empty()) {
      continue;
    }
    const Tiling& t = config.tiling;
    const std::string_view type = type_name(problem->dtype);
    const std::string kernel = fmt::format(
        "{},{},{},{},{},{},{},{},{},f32,{},1,0,{},{},{},{},{},1,{},{},{}",
        cutlass_name(*problem, config), problem->shape.n, problem->shape.m, problem->shape.k,
        problem->batch.products, layout_name(problem->layout), type, type, type, type, t.block_n,
        t.block_m, t.block_k, t.cluster_n, t.cluster_m,
        config.raster.kind == RasterKind::kGroupedM ? "along_m" : "along_n", config.raster.group,
        splits_equally(config.schedule) ? config.decomposition.splits : 1);
    if (!kernels.insert(kernel).second) {
      continue;
    }
    rows += fmt::format("{},{:.6g},{}\n", kernel, p.time.value * 1e6, csv_field(to_text(config)));
    if (kernels.size() == top) {
      break;
    }
  }
  std::vector<std::string> reasons;
  for (const auto& [why, count] : without) {
    reasons.push_back(fmt::format("{} {}", why, count));
  }
  refuse_if(rows.empty(), "none of the fastest configurations has a counterpart in CUTLASS: {}",
            join(reasons, ", "));
  if (!without.empty()) {
    begin_line();
    say("{}CUTLASS has no counterpart of some faster configurations; features that it lacks: {}",
        of, join(reasons, ", "));
  }
  return rows;
}

}  // namespace tilecast
