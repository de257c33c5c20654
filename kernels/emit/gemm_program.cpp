// Builds the program that `emit` writes for a GEMM.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "kernels/emit/emitted_program.h"
#include "kernels/emit/wgmma_text.h"
#include "kernels/jit/config_writer.h"
#include "kernels/jit/gemm_source.h"
#include "kernels/launch/gemm_to_bind.h"
#include "kernels/registry.h"
#include "model/base/refuse.h"
#include "model/base/text.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/gemm/config/register_plan.h"
#include "model/gemm/config/tensor_memory.h"
#include "model/gemm/order/reduction_workspace.h"
#include "model/gemm/problem/group_text.h"
#include "model/gemm/problem/leading_text.h"
#include "model/gemm/problem/operand_copies.h"
#include "model/gemm/problem/problem_text.h"
#include "model/gemm/problem/swapped_operands.h"

namespace tilecast {
namespace {

/// Returns the problem as its kernel is bound to it: with groups, all rows as one GEMM.
GemmToBind as_bound(const GemmProblem& asked, const KernelConfig& config) {
  GemmProblem problem = asked;
  problem.leading = {a_row(problem), b_row(problem), c_row(problem)};
  problem.shape.m = rows_in_memory(problem);
  const GemmToBind of_groups = gemm_to_bind(asked, config);
  if (problem.groups != nullptr) {
    problem.batch = {};
    problem.groups = nullptr;
  }
  const GemmProblem run = as_run(problem, config);
  return {run, for_operands(problem.dtype, config), run.shape.m, of_groups.groups};
}

/// Formats the groups or the batch.
std::string products_text(const GemmProblem& problem) {
  const Batch& batch = problem.batch;
  if (problem.groups != nullptr) {
    return fmt::format("groups of {} rows {}, ", list_text(*problem.groups),
                       grouped_along_k(problem) ? "along K with a C each" : "with a B each");
  }
  if (batch.products == 1) {
    return "";
  }
  const std::string shared = batch.one_a && batch.one_b ? "A and B" : batch.one_a ? "A" : "B";
  return fmt::format("{} GEMMs{}, each ", batch.products,
                     batch.one_a || batch.one_b ? " that share " + shared : "");
}

std::string title_of(const GemmProblem& problem) {
  const i64 m = rows_in_memory(problem), n = c_columns(problem), k = problem.shape.k;
  const std::string leading = to_text(problem.leading);
  return fmt::format(
      "{}C[{},{}] = A[{},{}] B{}, {} with {}sums in fp32{}, layout {} ({}){}",
      products_text(problem), m, n, m, k,
      fuses(problem.epilogue) ? ", then " + to_text(problem.epilogue) : "", to_text(problem.dtype),
      problem.accumulate == Accumulate::kExact ? "exact " : "",
      c_type(problem) != problem.dtype ? fmt::format(" and C in {}", to_text(c_type(problem))) : "",
      to_text(problem.layout), meaning_of(problem.layout), leading.empty() ? "" : ", " + leading);
}

double multiply_adds_of(const GemmProblem& problem) {
  double rows = static_cast<double>(rows_in_memory(problem)) *
                static_cast<double>(grouped_along_k(problem) ? 1 : matrices_of_c(problem));
  if (problem.groups != nullptr && problem.groups->capacity() > 0) {
    rows = 0;
    for (const i32 of_group : problem.groups->on_device()) {
      rows += of_group;
    }
  }
  return rows * static_cast<double>(problem.shape.n) * static_cast<double>(problem.shape.k);
}

/// Number of elements of A, B and C in memory.
struct Elements {
  i64 a, b, c;
};
Elements elements_of(const GemmProblem& problem) {
  const bool along_k = grouped_along_k(problem);
  const i64 m = rows_in_memory(problem), k = problem.shape.k;
  const i64 a_rows = a_is_k_major(problem.layout) ? m : k;
  const i64 b_rows = b_is_k_major(problem.layout) ? problem.shape.n : k;
  return {.a = (along_k ? 1 : matrices_of_a(problem)) * a_rows * a_row(problem),
          .b = (along_k ? 1 : matrices_of_b(problem)) * b_rows * b_row(problem),
          .c = matrices_of_c(problem) * m * c_row(problem)};
}

std::string constants_of(const GemmProblem& problem) {
  const GemmTypes types = types_of(problem);
  const i64 m = rows_in_memory(problem), n = problem.shape.n, k = problem.shape.k;
  const i64 products = matrices_of_c(problem);
  const bool along_k = grouped_along_k(problem);
  const i64 row_of_scales =
      has_block_scales(problem.epilogue) ? round_up<i64>(m, scales_apart()) : m;
  const ScaleElements scales = scale_elements({.shape = {row_of_scales, n, k},
                                               .dtype = problem.dtype,
                                               .layout = problem.layout,
                                               .epilogue = problem.epilogue});
  const SharedGroupRows& groups = problem.groups;
  const Elements elements = elements_of(problem);
  ConstantsText text;
  text.add("i64", "kSideM", m, groups != nullptr ? "of all groups" : "");
  text.add("i64", "kSideN", n);
  text.add("i64", "kSideK", k);
  text.add("i64", "kLda", a_row(problem), "elements from one row to the next");
  text.add("i64", "kLdb", b_row(problem));
  text.add("i64", "kLdc", c_row(problem));
  text.flag("kRowsOfAAreK", a_is_k_major(problem.layout), "A in memory is [m,k]");
  text.flag("kRowsOfBAreK", b_is_k_major(problem.layout), "B in memory is [n,k]");
  text.add("i64", "kGroups", groups != nullptr ? groups->count() : 0);
  text.add("i64", "kCapacity", groups != nullptr ? groups->capacity() : 0,
           "rows that each group has room for; 0 if groups follow without gaps");
  if (groups != nullptr) {
    text.line(
        "/// The end of each group, or with kCapacity its number of rows. The kernel reads these "
        "numbers\n/// from the device, so a run may use others.");
    text.line(fmt::format("constexpr i32 kGroupNumbers[] = {{{}}};",
                          fmt::join(groups->on_device(), ", ")));
  }
  text.add("i64", "kProducts", products, "matrices of C");
  text.flag("kOneA", problem.batch.one_a, "for all GEMMs");
  text.flag("kOneB", problem.batch.one_b);
  text.add("i64", "kMatricesOfA", along_k ? 1 : matrices_of_a(problem));
  text.add("i64", "kMatricesOfB", along_k ? 1 : matrices_of_b(problem));
  text.add("i64", "kElementsOfA", elements.a);
  text.add("i64", "kElementsOfB", elements.b);
  text.add("i64", "kColumnsOfC", c_columns(problem));
  text.add("i64", "kElementsOfC", products * m * c_columns(problem));
  text.add("i64", "kSpanOfC", elements.c, "including gaps between rows");
  text.add("i64", "kBiasElements", bias_elements(problem.epilogue, m, n));
  text.add("i64", "kRowOfScales", row_of_scales);
  text.add("i64", "kScalesOfA", scales.a);
  text.add("i64", "kScalesOfB", scales.b * (grouped_along_m(problem) ? groups->count() : 1));
  text.flag("kFp8", is_fp8(types.operands));
  text.add("double", "kRounding", fmt::format("0x1p-{}", traits_of(types.c).digits), "of C");
  text.alias("Element", traits_of(types.operands).of_cuda);
  text.alias("CElement", traits_of(types.c).of_cuda);
  text.alias("BiasElement", traits_of(half_type(types.c)).of_cuda);
  return text.text();
}

/// Returns the expression that constructs the WorkDecomposition; must match
/// make_work_decomposition().
std::string work_text(const KernelConfig& config) {
  const ScheduleTraits traits = traits_of(config.schedule);
  const bool equally = traits.split_k == SplitK::kEqually;
  return fmt::format(
      "WorkDecomposition::{}{}(args.scheduler.num_tiles(), args.k_blocks, resident, {})",
      equally ? "split_k" : "stream_k", traits.hybrid ? "_hybrid" : "",
      equally ? config.decomposition.splits : config.decomposition.min_k_blocks);
}

std::string walk_text(const Raster& raster) {
  return raster.walk == Walk::kChunked ? "Walk::kChunked" : "Walk::kStrided";
}
std::string kind_text(const Raster& raster) {
  const char* const kinds[] = {"kGroupedM", "kGroupedN", "kHilbert"};
  return fmt::format("RasterKind::{}", kinds[static_cast<i32>(raster.kind)]);
}
std::string reduction_text(const KernelConfig& config) {
  const char* const reductions[] = {"kTurnstile", "kAtomic", "kSpread"};
  return fmt::format("Reduction::{}", reductions[static_cast<i32>(config.decomposition.reduction)]);
}

/// Formats the tile walk, the split of K and the strides of a batch. None of them depends on a
/// buffer.
std::string fixed_arguments(const GemmProblem& asked, const GemmToBind& bound,
                            const GemmArgs& args) {
  const KernelConfig& config = bound.config;
  const TileScheduler scheduler = make_tile_scheduler(
      bound.problem.shape,
      asked.groups != nullptr && bound.groups.along_k == 0 ? 1 : matrices_of_c(asked), config, 1);
  const u32 tiles = scheduler.num_tiles();
  const bool resident = config.grid == Grid::kResident;
  const std::string workers =
      resident ? fmt::format("min_of(resident, {}u)", tiles) : fmt::format("{}", tiles);
  AssignmentsText text;
  text.add(
      "scheduler",
      fmt::format("{{.tiles_m = {}, .tiles_n = {}, .workers = {},\n"
                  "                    .raster = {{{}, {}, {}}},\n"
                  "                    .chunk = {}, .band = {},\n"
                  "                    .width = {}, .last_width = {}}}",
                  scheduler.tiles_m, scheduler.tiles_n, workers, kind_text(config.raster),
                  config.raster.group, walk_text(config.raster),
                  config.raster.walk != Walk::kChunked
                      ? "0"
                      : fmt::format("ceil_div({}u, {}{})", tiles, workers, resident ? "" : "u"),
                  divisor_text(scheduler.band), divisor_text(scheduler.width),
                  divisor_text(scheduler.last_width)));
  text.add("m", args.m);
  text.add("n", args.n);
  text.add("k_blocks", args.k_blocks);
  if (splits_k(config.schedule)) {
    text.add("alpha", 1);
  }
  text.add("c_by_tma", args.c_by_tma);
  if (splits_k(config.schedule)) {
    text.add("work", work_text(config));
    text.add("reduction", reduction_text(config));
    WorkDecomposition one{};
    one.streamed = 1;
    one.splits = static_cast<u32>(max_of(config.decomposition.splits, 1));
    const ReductionWorkspace room = reduction_workspace(config, one);  // elements of a tile
    text.add("partials",
             fmt::format("device_array<float>(i64{{args.work.streamed}} * {})", room.partials));
    text.add("locks", fmt::format("device_array<u32>(i64{{args.work.streamed}} * {})", room.locks));
  }
  if (bound.problem.batch.products > 1 || asked.groups != nullptr) {
    text.add("batch", fmt::format("{{{}, {}, {}, {}}}", divisor_text(args.batch.tile_rows),
                                  args.batch.a_matrices_apart, args.batch.b_matrices_apart,
                                  args.batch.c_stride));
  }
  return text.text();
}

/// Returns a placeholder that bind_gemm() passes on in place of a member of GemmBuffers.
template <class T>
T* place_of(i64 index) {
  return reinterpret_cast<T*>(index);
}
constexpr std::string_view kBuffers[] = {"",         "a",        "b",        "c",       "bias",
                                         "a_scales", "b_scales", "residual", "scale_c", "amax"};

GemmArgs bind(const GemmToBind& bound, std::vector<std::string>& maps) {
  return bind_gemm(
      bound,
      {.a = place_of<void>(1),
       .b = place_of<void>(2),
       .c = place_of<void>(3),
       .bias = place_of<void>(4),
       .scales = {.a = place_of<float>(5), .b = place_of<float>(6), .a_stride = 0, .b_stride = 0},
       .residual = place_of<void>(7),
       .scale_c = place_of<float>(8),
       .amax = place_of<float>(9)},
      [&](MapOf, const MatrixView& matrix, const TmaBox& box) {
        const auto index = reinterpret_cast<std::size_t>(matrix.pointer);
        maps.push_back(tensor_map_text(kBuffers[index], matrix.dtype, sides_of(matrix, box)));
        TensorMap map{};
        map.opaque[0] = maps.size();
        return map;
      });
}

std::string plain_text(const PlainMatrix& matrix) {
  return fmt::format("{{buffers.{}, {}, {}, {}, {}}}",
                     kBuffers[reinterpret_cast<std::size_t>(matrix.pointer)], matrix.row_bytes,
                     matrix.matrix_bytes, matrix.side, matrix.k);
}

std::string buffer_arguments(const GemmProblem& asked, Schedule schedule, const GemmArgs& args,
                             const std::vector<std::string>& maps) {
  const Epilogue& epilogue = asked.epilogue;
  AssignmentsText text;
  const auto add_map = [&](std::string_view name, const TensorMap& map) {
    if (map.opaque[0] != 0) {
      text.add(name, maps[map.opaque[0] - 1]);
    }
  };
  if (uses_mma_sync(schedule)) {
    text.add("a_plain", plain_text(args.a_plain));
    text.add("b_plain", plain_text(args.b_plain));
  } else {
    add_map("a", args.a);
    add_map("b", args.b);
  }
  add_map("a_last", args.a_last);
  add_map("c", args.c);
  add_map("c_last", args.c_last);
  text.add("c_pointer", "buffers.c");
  if (epilogue.has(OutputKind::kBias)) {
    text.add("bias", "buffers.bias");
  }
  if (asked.groups != nullptr) {
    text.add("groups", fmt::format("{{buffers.group_numbers, {}, {}}}", args.groups.count,
                                   args.groups.capacity));
  }
  if (epilogue.has(OutputKind::kScale)) {
    text.add("scales", fmt::format("{{buffers.a_scales, buffers.b_scales, {}, {}}}",
                                   args.scales.a_stride, args.scales.b_stride));
    add_map("scales_of_a", args.scales_of_a);
  }
  if (epilogue.has(OutputKind::kLoad)) {
    add_map("result.residual_map", args.result.residual_map);
    text.add("result.residual", "buffers.residual");
    text.add("result.residual_row", args.result.residual_row);
    text.add("result.residual_stride", args.result.residual_stride);
    text.add("result.residual_fours", args.result.residual_fours);
    text.add("result.residual_by_tma", args.result.residual_by_tma);
  }
  if (epilogue.has(OutputKind::kConvert)) {
    text.add("result.scale_c", "buffers.scale_c");
  }
  if (epilogue.has(OutputKind::kAmax)) {
    text.add("result.amax", "reinterpret_cast<u32*>(buffers.amax)");
  }
  return text.text();
}

/// Returns the kernel arguments that branches depend on.
Constants known_arguments(const GemmToBind& bound) {
  const KernelConfig& config = bound.config;
  const bool by_tma = config.operands == OperandOrder::kSwapped || c_rows_allow_tma(bound.problem);
  return {{"args.c_by_tma", by_tma ? "1" : "0"},
          {"args.trace", "nullptr"},
          {"args.alpha", "1"},
          {"args.beta", "0"},
          {"raster.walk", walk_text(config.raster)},
          {"raster.kind", kind_text(config.raster)},
          {"args.reduction", reduction_text(config)},
          {"reduction", reduction_text(config)}};
}

}  // namespace

std::string emitted_name(const GemmProblem& problem) {
  refuse_if(copied_operands(problem).any(),
            "emit: rows of A and B must be multiples of 16 bytes (see --lda and --ldb): an emitted "
            "file cannot copy operands into padded rows");
  std::string name = fmt::format("gemm_{}_{}_{}", to_text(problem.shape), to_text(problem.dtype),
                                 to_text(problem.layout));
  if (const std::string c = c_type_text(problem); !c.empty()) {
    name += "_" + c;
  }
  if (problem.accumulate == Accumulate::kExact) {
    name += "_exact";
  }
  if (problem.groups != nullptr) {
    name += fmt::format("_{}{}groups", problem.groups->count(),
                        grouped_along_k(problem)         ? "k"
                        : problem.groups->capacity() > 0 ? "masked"
                                                         : "");
  }
  if (problem.batch.products > 1) {
    name += "_batch" + to_text(problem.batch);
  }
  if (const std::string leading = to_text(problem.leading); !leading.empty()) {
    name += "_" + leading;
    std::erase(name, '=');
  }
  if (fuses(problem.epilogue)) {
    name += "_" + to_text(problem.epilogue);
  }
  std::ranges::replace_if(
      name, [](char c) { return c == ':' || c == ' ' || c == '+'; }, '_');
  return name;
}

EmittedProgram emitted_program(const GemmProblem& problem, const KernelConfig& config) {
  const KernelConfig own = for_operands(problem.dtype, config);
  const GemmTypes types = types_of(problem);
  const GemmToBind bound = as_bound(problem, config);
  std::vector<std::string> maps;
  const GemmArgs args = bind(bound, maps);
  const double multiply_adds = multiply_adds_of(problem);
  const Elements elements = elements_of(problem);
  const i32 n = instruction_n(bound.config);
  const std::string type = enumerator_of(types.operands);
  KernelSource kernel = gemm_source(config, ProblemKind::of(problem));
  if (uses_mma_sync(config.schedule)) {
    // The first with the instruction; nvcc adds PTX, so that later GPUs run it too.
    kernel.architecture = is_fp8(problem.dtype) ? "sm_89" : "sm_80";
  }
  return {
      .title = title_of(problem),
      .kernel = std::move(kernel),
      .entry = kGemmEntry,
      .arguments = "GemmArgs",
      .host = "gemm",
      .buffers = "GemmBuffers",
      .problem = constants_of(problem),
      .launch_args = fixed_arguments(problem, bound, args),
      .workers = bound.groups.along_m > 0    ? "resident"
                 : splits_k(config.schedule) ? "args.work.workers"
                                             : "args.scheduler.workers",
      .bound_args = buffer_arguments(problem, config.schedule, args, maps),
      .workers_comment = bound.groups.along_m > 0
                             ? "\n/// Only the kernel knows the number of tiles of groups."
                             : "",
      .shared_bytes = smem_layout(own.schedule, own.tiling, c_column_bytes(problem)).total_bytes +
                      scale_ring_bytes(problem.epilogue, own.tiling) +
                      (bound.groups.along_m > 0 ? group_table_bytes(problem.groups->count()) : 0),
      .cluster_size = cluster_size(own.tiling),
      .tensor_memory_columns = own.accumulators > 0 ? tensor_memory_columns(own) : 0,
      .work = 2 * multiply_adds,
      .work_unit = "FLOP",
      .checked = multiply_adds,
      .most_checked = 0x1p40,
      .set_bytes = static_cast<double>((elements.a + elements.b) * element_bytes(types.operands) +
                                       elements.c * element_bytes(types.c)),
      .use = {.roots = {},
              .kernel = {},
              .optional = {{"GemmArgs", true}, {"GemmBuffers", false}, {"Findings", false}},
              .known = known_arguments(bound),
              .wgmma = {wgmma_text(n, type, false), wgmma_text(n, type, true)}}};
}

}  // namespace tilecast
