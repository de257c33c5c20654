#include "kernels/jit/attention_source.h"

#include <fmt/format.h>

namespace tilecast {
namespace {

constexpr const char* kAttentionEntryText = R"(
extern "C" __global__ void
__launch_bounds__(tilecast::Kernel::kThreads, tilecast::Kernel::kConfig.ctas_per_sm)
    tilecast_attention(const __grid_constant__ tilecast::AttentionArgs args) {
  tilecast::run<tilecast::Kernel>(args);
}
)";

}  // namespace

KernelSource attention_source(const AttentionConfig& config, const AttentionProblem& problem) {
  const std::string path = fmt::format("kernels/attention/{}.cu", traits_of(config.schedule).name);
  // The number of splits, and the order unless dynamic, are arguments.
  const i32 splits = config.splits > 1 ? 2 : 1;
  const AttentionOrder order =
      config.order == AttentionOrder::kDynamic ? AttentionOrder::kDynamic : AttentionOrder::kStatic;
  return {.path = path,
          .defines = {},
          .text = fmt::format(
              "#include \"kernels/attention/attention_args.h\"\n\nnamespace tilecast {{\n\n"
              "struct Given {{\n"
              "  static constexpr AttentionConfig kConfig{{\n"
              "      .schedule = AttentionSchedule{{{}}} /* {} */,\n"
              "      .groups = {},\n      .kv_block = {},\n      .stages = {},\n"
              "      .ctas_per_sm = {},\n      .grid = AttentionGrid{{{}}},\n"
              "      .order = AttentionOrder{{{}}},\n"
              "      .splits = {},\n      .pack = {},\n  }};\n"
              "  static constexpr i32 kHeadDim = {};\n"
              "  static constexpr ElementType kElementType = ElementType{{{}}} /* {} */;\n"
              "  static constexpr bool kCausal = {};\n"
              "  static constexpr i32 kPackedHeads = {};\n}};\n\n"
              "using Kernel = AttentionKernel<Given>;\n\n}}  // namespace tilecast\n\n"
              "#include \"{}\"\n{}",
              static_cast<i32>(config.schedule), traits_of(config.schedule).name, config.groups,
              config.kv_block, config.stages, config.ctas_per_sm, static_cast<i32>(config.grid),
              static_cast<i32>(order), splits, config.pack, problem.head_dim,
              static_cast<i32>(problem.dtype), traits_of(problem.dtype).name, is_causal(problem),
              config.pack ? heads_per_kv(problem) : 1, path, kAttentionEntryText)};
}

}  // namespace tilecast
