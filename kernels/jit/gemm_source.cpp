#include "kernels/jit/gemm_source.h"

#include <fmt/format.h>

#include "kernels/gemm/gemm_args.h"
#include "kernels/registry.h"
#include "model/base/error.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/gemm/problem/swapped_operands.h"
#include "model/gemm/rules/kernel_rules.h"

namespace tilecast {
namespace {

/// The entry point: kGemmEntry.
constexpr const char* kEntryText = R"(
extern "C" __global__ void
__launch_bounds__(tilecast::Config::kThreads, tilecast::Config::kCtasPerSm)
    tilecast_gemm(const __grid_constant__ tilecast::Args<tilecast::Config> args) {
  tilecast::run(args);
}
)";

}  // namespace

std::string config_text(const KernelConfig& asked, const ProblemKind& kind, SumScale scale,
                        Build build) {
  const auto& [types, layout, epilogue, batched, grouped, along_k, launch] = kind;
  const bool timeline = build == Build::kTimeline;
  const KernelConfig config = for_operands(types.operands, asked);
  const Tiling& t = config.tiling;
  // An enumerator, followed by its word as a comment.
  const auto word = [](const char* type, auto enumerator, std::string_view text) {
    return fmt::format("{}{{{}}} /* {} */", type, static_cast<i32>(enumerator), text);
  };
  const Schedule schedule = kernel_of(config.schedule);
  // Only this grid changes the kernel.
  const Grid grid = config.grid == Grid::kTakeover ? Grid::kTakeover : Grid::kTiles;
  const Layout run = config.operands == OperandOrder::kSwapped ? transposed(layout) : layout;
  std::string text = fmt::format(
      "namespace tilecast {{\n\n/// What this kernel is compiled for.\nstruct Given {{\n"
      "  static constexpr KernelConfig kKernel{{\n"
      "      .schedule = {},\n"
      "      .tiling = {{.block_m = {}, .block_n = {}, .block_k = {}, .stages = {},\n"
      "                 .warpgroups_m = {}, .warpgroups_n = {}, .cluster_m = {}, .cluster_n = {},\n"
      "                 .c_slots = {}, .operand_bytes = {}}},\n"
      "      .ctas_per_sm = {},\n      .inflight = {},\n      .producer_registers = {},\n"
      "      .a_source = {},\n      .instruction_n = {},\n      .grid = Grid{{{}}},\n"
      "      .raster = {{}},\n      .decomposition = {{}},\n      .accumulators = {},\n"
      "      .store = Store{{{}}},\n      .operands = OperandOrder{{{}}},\n  }};\n",
      word("Schedule", schedule, to_text(schedule)), t.block_m, t.block_n, t.block_k, t.stages,
      t.warpgroups_m, t.warpgroups_n, t.cluster_m, t.cluster_n, t.c_slots, t.operand_bytes,
      config.ctas_per_sm, config.inflight, config.producer_registers,
      word("OperandSource", config.a_source,
           config.a_source == OperandSource::kShared ? "shared" : "registers"),
      config.instruction_n, static_cast<i32>(grid), config.accumulators,
      static_cast<i32>(config.store), static_cast<i32>(config.operands));
  const auto constant = [&text](std::string_view type_and_name, const std::string& value) {
    text += fmt::format("  static constexpr {} = {};\n", type_and_name, value);
  };
  const auto flag = [&](std::string_view name, bool holds) {
    constant(fmt::format("bool {}", name), holds ? "true" : "false");
  };
  constant("ElementType kElementType",
           word("ElementType", types.operands, to_text(types.operands)));
  constant("ElementType kCType", word("ElementType", types.c, to_text(types.c)));
  constant("Layout kLayout", word("Layout", run, to_text(run)));
  constant("Epilogue kEpilogue",
           fmt::format("Epilogue::of_number({}) /* {} */", epilogue.number(), to_text(epilogue)));
  flag("kExact", types.accumulate == Accumulate::kExact);
  flag("kBatched", batched || grouped || along_k);
  flag("kGrouped", grouped);
  flag("kGroupedAlongK", along_k);
  flag("kAlphaBeta", scale == SumScale::kAlphaBeta);
  flag("kOnHilbertCurve", config.raster.kind == RasterKind::kHilbert);
  flag("kTimeline", timeline);
  constant("LaunchOrder kLaunch", fmt::format("LaunchOrder{{{}}}", static_cast<i32>(launch)));
  if (timeline) {
    text += "  __device__ static const TimelineBuffers& timeline() { return tilecast_timeline; }\n";
    text =
        "#include \"kernels/gemm/timeline_stamps.h\"\n\n"
        "extern \"C\" {\n__constant__ tilecast::TimelineBuffers tilecast_timeline;\n}\n\n" +
        text;
  }
  return text + "};\n\nusing Config = GemmConfig<Given>;\n\n}  // namespace tilecast\n";
}

std::string source_text(const std::string& path, const std::string& config) {
  return fmt::format("#include \"kernels/gemm/gemm_config.h\"\n\n{}\n#include \"{}\"\n", config,
                     path);
}

KernelSource gemm_source(const KernelConfig& config, const ProblemKind& kind, SumScale scale,
                         Build build) {
  if (const std::string why = why_no_kernel(kind, config, scale); !why.empty()) {
    throw ConfigError(fmt::format("no kernel for {}: {}", to_text(config), why));
  }
  const GemmKernelInfo& kernel = gemm_kernel_info(config.schedule);
  return {.path = kernel.source,
          .defines = {},
          .architecture = std::string(kernel.architecture),
          .text = source_text(kernel.source, config_text(config, kind, scale, build)) + kEntryText};
}

}  // namespace tilecast
