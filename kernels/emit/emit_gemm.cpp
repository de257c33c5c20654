#include "kernels/emit/emit_gemm.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "kernels/emit/used_source.h"
#include "kernels/emit/wgmma_text.h"
#include "kernels/jit/gemm_source.h"
#include "kernels/launch/gemm_to_bind.h"
#include "kernels/launch/tensor_map_sides.h"
#include "kernels/registry.h"
#include "model/base/shell_text.h"
#include "model/base/text.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/gemm/config/register_plan.h"
#include "model/gemm/order/reduction_workspace.h"
#include "model/gemm/problem/group_text.h"
#include "model/gemm/problem/leading_text.h"
#include "model/gemm/problem/operand_copies.h"
#include "model/gemm/problem/swapped_operands.h"
#include "model/op/config_key.h"

namespace tilecast {
namespace {

/// "sm_90a" -> "90a"
std::string_view number_of(std::string_view architecture) { return architecture.substr(3); }

/// Some releases of nvcc compile for plain compute_90 as well as sm_90a, which has no such
/// instructions: there the kernel is empty, and never runs.
std::string guarded(std::string source, std::string_view architecture) {
  constexpr std::string_view kCall = "  tilecast::run(args);\n";
  const std::string_view family =
      number_of(architecture).substr(0, number_of(architecture).size() - 1);
  return source.replace(
      source.find(kCall), kCall.size(),
      fmt::format("#if !defined(__CUDA_ARCH__) || defined(__CUDA_ARCH_FEAT_SM{}_ALL)\n{}#endif\n",
                  family, kCall));
}

/// Of groups or a batch.
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
  return fmt::format("{} products{}, each ", batch.products,
                     batch.one_a || batch.one_b ? " that share " + shared : "");
}

std::string first_comment(const EmittedGemm& gemm, const std::string& file) {
  const i64 m = rows_in_memory(gemm.problem), n = c_columns(gemm.problem);
  const i64 k = gemm.problem.shape.k;
  const std::string text = to_text(gemm.config), leading = to_text(gemm.problem.leading);
  std::string comment = fmt::format(
      "// {}: {}C[{},{}] = A[{},{}] B{}, {} with {}sums in fp32{}, layout {} ({}){}.\n"
      "// Forecast of tilecast for {}: {:.2f} us.\n//\n//   {}\n//\n// {}\n",
      file, products_text(gemm.problem), m, n, m, k,
      fuses(gemm.problem.epilogue) ? ", then " + to_text(gemm.problem.epilogue) : "",
      to_text(gemm.problem.dtype), gemm.problem.accumulate == Accumulate::kExact ? "exact " : "",
      c_type(gemm.problem) != gemm.problem.dtype
          ? fmt::format(" and C in {}", to_text(c_type(gemm.problem)))
          : "",
      to_text(gemm.problem.layout), meaning_of(gemm.problem.layout),
      leading.empty() ? "" : ", " + leading, gemm.gpu, gemm.forecast.value * 1e6,
      build_line(gemm.config, file), text);
  comment += fmt::format("//   {:<24}  {}\n", to_text(gemm.config.schedule),
                         traits_of(gemm.config.schedule).meaning);
  for (const auto& [key_value, meaning] : key_values(gemm.config)) {
    comment += fmt::format("//   {:<24}  {}\n", key_value, meaning);
  }
  return comment;
}

/// The problem as its kernel is bound to it: of groups all rows as one product.
GemmToBind to_bind(const EmittedGemm& gemm) {
  GemmProblem problem = gemm.problem;
  problem.leading = {a_row(problem), b_row(problem), c_row(problem)};
  problem.shape.m = rows_in_memory(problem);
  const GemmToBind of_groups = gemm_to_bind(gemm.problem, gemm.config);
  if (problem.groups != nullptr) {
    problem.batch = {};
    problem.groups = nullptr;
  }
  const GemmProblem run = as_run(problem, gemm.config);
  return {run, for_operands(problem.dtype, gemm.config), run.shape.m, of_groups.groups};
}

/// The problem's numbers, which launch and check read.
std::string problem_text(const EmittedGemm& gemm) {
  const GemmProblem& problem = gemm.problem;
  const KernelConfig config = for_operands(problem.dtype, gemm.config);
  const GemmTypes types = types_of(problem);
  const i64 m = rows_in_memory(problem), n = problem.shape.n, k = problem.shape.k;
  const i64 products = matrices_of_c(problem);
  const bool along_k = grouped_along_k(problem), along_m = grouped_along_m(problem);
  const i64 of_a = along_k ? 1 : matrices_of_a(problem);
  const i64 of_b = along_k ? 1 : matrices_of_b(problem);
  const bool a_k = a_is_k_major(problem.layout), b_k = b_is_k_major(problem.layout);
  const i64 row_of_scales =
      has_block_scales(problem.epilogue) ? round_up<i64>(m, scales_apart()) : m;
  GemmProblem scaled{.shape = {row_of_scales, n, k},
                     .dtype = problem.dtype,
                     .layout = problem.layout,
                     .epilogue = problem.epilogue};
  const ScaleElements scales = scale_elements(scaled);
  std::string text;
  const auto add = [&](std::string_view type, std::string_view name, const auto& value,
                       std::string_view meaning = "") {
    text += fmt::format("constexpr {} {} = {};{}{}\n", type, name, value,
                        meaning.empty() ? "" : "  // ", meaning);
  };
  add("i64", "kSideM", m, problem.groups != nullptr ? "of all groups" : "");
  add("i64", "kSideN", n);
  add("i64", "kSideK", k);
  add("i64", "kLda", a_row(problem), "elements from one row to the next");
  add("i64", "kLdb", b_row(problem));
  add("i64", "kLdc", c_row(problem));
  add("bool", "kRowsOfAAreK", a_k, "A in memory is [m,k]");
  add("bool", "kRowsOfBAreK", b_k, "B in memory is [n,k]");
  double multiply_adds = static_cast<double>(along_k ? m : m * products);
  if (const SharedGroupRows& groups = problem.groups; groups != nullptr) {
    add("i64", "kGroups", groups->count());
    add("i64", "kCapacity", groups->capacity(), "rows that each group has room for; 0: no gaps");
    text +=
        "/// Of each group its end, or how many rows it has where there is room for more. The "
        "kernel\n/// reads them from the device: they may be other ones when it runs.\n";
    text += fmt::format("constexpr i32 kGroupNumbers[] = {{{}}};\n",
                        fmt::join(groups->on_device(), ", "));
    if (groups->capacity() > 0) {
      multiply_adds = 0;
      for (const i32 rows : groups->on_device()) {
        multiply_adds += rows;
      }
    }
  } else {
    add("i64", "kGroups", 0);
    add("i64", "kCapacity", 0);
  }
  add("i64", "kProducts", products, "matrices of C");
  add("bool", "kOneA", problem.batch.one_a, "for all products");
  add("bool", "kOneB", problem.batch.one_b);
  add("i64", "kMatricesOfA", of_a);
  add("i64", "kMatricesOfB", of_b);
  add("i64", "kElementsOfA", of_a * (a_k ? m : k) * a_row(problem));
  add("i64", "kElementsOfB", of_b * (b_k ? n : k) * b_row(problem));
  add("i64", "kColumnsOfC", c_columns(problem));
  add("i64", "kElementsOfC", products * m * c_columns(problem));
  add("i64", "kSpanOfC", products * m * c_row(problem), "with what lies between rows");
  add("i64", "kBiasElements", bias_elements(problem.epilogue, m, n));
  add("i64", "kRowOfScales", row_of_scales);
  add("i64", "kScalesOfA", scales.a);
  add("i64", "kScalesOfB", scales.b * (along_m ? problem.groups->count() : 1));
  add("double", "kMultiplyAdds",
      fmt::format("{:.0f}.0", multiply_adds * static_cast<double>(n) * static_cast<double>(k)));
  add("bool", "kFp8", is_fp8(types.operands));
  add("double", "kRounding", fmt::format("0x1p-{}", traits_of(types.c).digits), "of C");
  add("i32", "kSharedBytes",
      smem_layout(config.schedule, config.tiling, c_column_bytes(problem)).total_bytes +
          scale_ring_bytes(problem.epilogue, config.tiling) +
          (along_m ? group_table_bytes(problem.groups->count()) : 0),
      "of a CTA");
  add("int", "kComputeCapability", uses_tcgen05(config.schedule) ? 100 : 90);
  add("double", "kForecastUs", fmt::format("{:.2f}", gemm.forecast.value * 1e6));
  for (const auto& [name, type] : {std::pair{"Element", types.operands},
                                   {"CElement", types.c},
                                   {"BiasElement", half_type(types.c)}}) {
    text += fmt::format("using {} = {};\n", name, traits_of(type).of_cuda);
  }
  return "namespace tilecast::emitted {\n\n" + text + "\n}  // namespace tilecast::emitted\n";
}

/// How WorkDecomposition is made, as make_work_decomposition() chooses.
std::string work_text(const KernelConfig& config) {
  const ScheduleTraits traits = traits_of(config.schedule);
  const bool equally = traits.split_k == SplitK::kEqually;
  return fmt::format(
      "WorkDecomposition::{}{}(args.scheduler.num_tiles(), args.k_blocks, resident, {})",
      equally ? "split_k" : "stream_k", traits.hybrid ? "_hybrid" : "",
      equally ? config.decomposition.splits : config.decomposition.min_k_blocks);
}

/// DeviceBuffers by their addresses, as bind_gemm() passes them on.
const std::map<i64, std::string>& buffer_names() {
  static const std::map<i64, std::string> kNames = {
      {1, "a"},        {2, "b"},        {3, "c"},       {4, "bias"}, {5, "a_scales"},
      {6, "b_scales"}, {7, "residual"}, {8, "scale_c"}, {9, "amax"}, {10, "group_numbers"}};
  return kNames;
}
std::string buffer_name(const void* pointer) {
  return "buffers." + buffer_names().at(reinterpret_cast<i64>(pointer));
}
template <class T>
T* buffer(i64 index) {
  return reinterpret_cast<T*>(index);
}

/// A map's matrix and box, as tensor_map() of buffers.cuh takes them.
std::string tensor_map_text(const MatrixView& matrix, const TmaBox& box) {
  const TensorMapSides sides = sides_of(matrix, box);
  const auto list = [](const auto* values, u32 count) {
    return fmt::format("{{{}}}", fmt::join(values, values + count, ", "));
  };
  const char* const type = matrix.dtype == ElementType::kFp32   ? "FLOAT32"
                           : matrix.dtype == ElementType::kBf16 ? "BFLOAT16"
                           : matrix.dtype == ElementType::kFp16 ? "FLOAT16"
                                                                : "UINT8";
  return fmt::format(
      "tensor_map({}, CU_TENSOR_MAP_DATA_TYPE_{}, {}, {}, {},\n"
      "                      CU_TENSOR_MAP_SWIZZLE_{}, "
      "CU_TENSOR_MAP_L2_PROMOTION_L2_{})",
      buffer_name(matrix.pointer), type, list(sides.lengths, sides.count),
      list(sides.strides, sides.count - 1), list(sides.box, sides.count),
      box.swizzle_bytes == 0 ? "NONE" : fmt::format("{}B", box.swizzle_bytes),
      matrix.fetches_pairs_of_lines ? "256B" : "128B");
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

/// What bind_gemm() makes of the problem, as functions that do it again.
std::string binding_text(const EmittedGemm& gemm) {
  const GemmToBind bound = to_bind(gemm);
  const GemmProblem& problem = bound.problem;
  const KernelConfig& config = bound.config;
  const Epilogue& epilogue = problem.epilogue;
  const bool scales = epilogue.has(OutputKind::kScale), bias = epilogue.has(OutputKind::kBias);
  std::vector<std::string> maps;
  const GemmArgs args = bind_gemm(
      bound,
      {.a = buffer<void>(1),
       .b = buffer<void>(2),
       .c = buffer<void>(3),
       .bias = buffer<void>(4),
       .scales = {.a = buffer<float>(5), .b = buffer<float>(6), .a_stride = 0, .b_stride = 0},
       .group_rows = buffer<i32>(10),
       .residual = buffer<void>(7),
       .scale_c = buffer<float>(8),
       .amax = buffer<float>(9)},
      [&](MapOf, const MatrixView& matrix, const TmaBox& box) {
        maps.push_back(tensor_map_text(matrix, box));
        TensorMap map{};
        map.opaque[0] = maps.size();
        return map;
      });
  std::string fixed, buffers;
  const auto add = [&](std::string& to, std::string_view name, const auto& value) {
    to += fmt::format("  args.{} = {};\n", name, value);
  };
  const auto add_map = [&](std::string_view name, const TensorMap& map) {
    if (map.opaque[0] != 0) {
      add(buffers, name, maps[map.opaque[0] - 1]);
    }
  };
  const TileScheduler scheduler = make_tile_scheduler(
      problem.shape,
      gemm.problem.groups != nullptr && bound.groups.along_k == 0 ? 1 : matrices_of_c(gemm.problem),
      config, 1);
  const u32 tiles = scheduler.num_tiles();
  const bool chunked = config.raster.walk == Walk::kChunked;
  const std::string workers = config.grid == Grid::kResident
                                  ? fmt::format("min_of(resident, {}u)", tiles)
                                  : fmt::format("{}", tiles);
  add(fixed, "scheduler",
      fmt::format("{{.tiles_m = {}, .tiles_n = {}, .workers = {},\n"
                  "                    .raster = {{{}, {}, {}}},\n"
                  "                    .chunk = {}, .band = FastDivisor::of({}),\n"
                  "                    .width = FastDivisor::of({}), .last_width = "
                  "FastDivisor::of({})}}",
                  scheduler.tiles_m, scheduler.tiles_n, workers, kind_text(config.raster),
                  config.raster.group, walk_text(config.raster),
                  chunked ? fmt::format("ceil_div({}u, {})", tiles,
                                        config.grid == Grid::kResident ? workers : workers + "u")
                          : "0",
                  scheduler.band.divisor, scheduler.width.divisor, scheduler.last_width.divisor));
  add(fixed, "m", args.m);
  add(fixed, "n", args.n);
  add(fixed, "k_blocks", args.k_blocks);
  if (splits_k(config.schedule)) {
    add(fixed, "alpha", "1");
  }
  add(fixed, "c_by_tma", args.c_by_tma);
  if (splits_k(config.schedule)) {
    add(fixed, "work", work_text(config));
    add(fixed, "reduction", reduction_text(config));
    WorkDecomposition one{};
    one.streamed = 1;
    one.splits = static_cast<u32>(max_of(config.decomposition.splits, 1));
    const ReductionWorkspace room = reduction_workspace(config, one);  // of a tile
    add(fixed, "partials",
        fmt::format("device_array<float>(i64{{args.work.streamed}} * {})", room.partials));
    add(fixed, "locks",
        fmt::format("device_array<u32>(i64{{args.work.streamed}} * {})", room.locks));
  }
  const bool batched = problem.batch.products > 1 || gemm.problem.groups != nullptr;
  if (batched) {
    add(fixed, "batch",
        fmt::format("{{{}, {}, {}, {}}}",
                    args.batch.tile_rows.divisor == 0
                        ? "{}"
                        : fmt::format("FastDivisor::of({})", args.batch.tile_rows.divisor),
                    args.batch.a_matrices_apart, args.batch.b_matrices_apart, args.batch.c_stride));
  }
  add_map("a", args.a);
  add_map("a_last", args.a_last);
  add_map("b", args.b);
  add_map("c", args.c);
  add_map("c_last", args.c_last);
  add(buffers, "c_pointer", "buffers.c");
  if (bias) {
    add(buffers, "bias", "buffers.bias");
  }
  if (gemm.problem.groups != nullptr) {
    add(buffers, "groups",
        fmt::format("{{buffers.group_numbers, {}, {}}}", args.groups.count, args.groups.capacity));
  }
  if (scales) {
    add(buffers, "scales",
        fmt::format("{{buffers.a_scales, buffers.b_scales, {}, {}}}", args.scales.a_stride,
                    args.scales.b_stride));
    add_map("scales_of_a", args.scales_of_a);
  }
  if (epilogue.has(OutputKind::kLoad)) {
    add_map("result.residual_map", args.result.residual_map);
    add(buffers, "result.residual", "buffers.residual");
    add(buffers, "result.residual_row", args.result.residual_row);
    add(buffers, "result.residual_stride", args.result.residual_stride);
    add(buffers, "result.residual_fours", args.result.residual_fours);
    add(buffers, "result.residual_by_tma", args.result.residual_by_tma);
  }
  if (epilogue.has(OutputKind::kConvert)) {
    add(buffers, "result.scale_c", "buffers.scale_c");
  }
  if (epilogue.has(OutputKind::kAmax)) {
    add(buffers, "result.amax", "reinterpret_cast<u32*>(buffers.amax)");
  }
  return fmt::format(
      "#include \"kernels/emit/buffers.cuh\"\n\nnamespace tilecast::emitted {{\n\n"
      "/// What does not depend on buffers. `resident`: clusters, or CTAs without them, that the "
      "device\n/// holds at once; `workers`: those that are launched.{}\n"
      "GemmArgs launch_args([[maybe_unused]] u32 resident, u32& workers) {{\n"
      "  GemmArgs args{{}};\n{}  workers = {};\n  return args;\n}}\n\n"
      "GemmArgs bound_args(GemmArgs args, const DeviceBuffers& buffers) {{\n{}  return "
      "args;\n}}\n\n"
      "}}  // namespace tilecast::emitted\n",
      bound.groups.along_m > 0 ? "\n/// How many tiles groups have only the kernel knows." : "",
      fixed,
      bound.groups.along_m > 0    ? "resident"
      : splits_k(config.schedule) ? "args.work.workers"
                                  : "args.scheduler.workers",
      buffers);
}

/// Where to begin to read, behind the first comment.
std::string with_contents(const std::string& file, const std::string& gemm_kernel) {
  const std::vector<std::string_view> lines = split(file, '\n');
  const auto line_of = [&](std::string_view part) {
    const auto found =
        std::ranges::find_if(lines, [&](std::string_view line) { return line.starts_with(part); });
    return found - lines.begin() + 2;  // from 1 on, with the line of this list
  };
  const std::size_t end = file.find("\n\n");
  return fmt::format("{}\n// Configuration: line {}, kernel: {}, launch: {}, check: {}.{}",
                     file.substr(0, end), line_of("struct Config {"),
                     line_of("// ---- " + gemm_kernel), line_of("// ---- arguments"),
                     line_of("// ---- kernels/emit/check.cuh"), file.substr(end));
}

/// Whether a text uses a header of which only some do.
bool needed(const std::string& include, const std::string& text) {
  static const std::map<std::string, std::string> kOf = {
      {"<bit>", "std::bit_cast"},         {"<cmath>", "std::sqrt"},
      {"<limits>", "numeric_limits"},     {"<cuda_fp16.h>", "__half"},
      {"<cuda_bf16.h>", "__nv_bfloat16"}, {"<cuda_fp8.h>", "__nv_fp8"}};
  const auto found = kOf.find(include);
  return found == kOf.end() || text.find(found->second) != std::string::npos;
}

/// Arguments of the kernel that branches depend on.
Constants known_arguments(const EmittedGemm& gemm) {
  const GemmToBind bound = to_bind(gemm);
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

/// A kernel's text: what it is compiled for, then its source and entry.
void add_kernel(const std::string& text, SourceParts& to) {
  const std::size_t kernel = text.rfind("#include \"");
  to.add("configuration", text.substr(0, kernel));
  to.add("entry", text.substr(kernel));
}

SourceUse uses(const std::vector<std::string>& roots, const KernelSource& source) {
  const auto constant = [&](const std::string& name) {
    const std::size_t at = source.text.find(" " + name + " = ") + name.size() + 4;
    return source.text.substr(at, source.text.find(';', at) - at);
  };
  const auto n = static_cast<i32>(parse_integer(constant("kInstructionN")).value());
  const std::string type = constant("kElementType");
  return {.roots = roots,
          .parameter = "Config",
          .kernel = source.path,
          .arguments = {{"GemmArgs", true}, {"DeviceBuffers", false}},
          .wgmma = {wgmma_text(n, type, false), wgmma_text(n, type, true)}};
}

}  // namespace

std::string build_line(const KernelConfig& config, const std::string& file) {
  const std::string architecture =
      gemm_source(config, {ElementType::kFp16, Layout::kTn}).architecture;
  const std::string program = file.substr(0, file.rfind('.'));
  return fmt::format(
      "nvcc -std=c++20 -O3 -Xptxas -warn-spills -gencode arch=compute_{},code={} -o {} {} && ./{}",
      number_of(architecture), architecture, shell_word(program), shell_word(file),
      shell_word(program));
}

std::string emitted_kernel(const KernelSource& source) {
  SourceParts parts;
  add_kernel(source.text, parts);
  return used_source(parts, uses({kGemmEntry}, source)).text;
}

std::string emitted_source(const EmittedGemm& gemm, const std::string& file) {
  const KernelSource source = gemm_source(gemm.config, ProblemKind::of(gemm.problem));
  SourceParts parts;
  add_kernel(guarded(source.text, source.architecture), parts);
  parts.add("problem", problem_text(gemm));
  parts.add("arguments", binding_text(gemm));
  parts.add_file("kernels/emit/main.cu");
  SourceUse use = uses({kGemmEntry, "main", "fill", "compare"}, source);
  use.known = known_arguments(gemm);
  const UsedSource used = used_source(parts, use);
  std::string emitted = first_comment(gemm, file) + "\n";
  for (const std::string& include : used.toolkit) {
    if (needed(include, used.text)) {
      emitted += fmt::format("#include {}\n", include);
    }
  }
  return with_contents(emitted + used.text, source.path);
}

}  // namespace tilecast
