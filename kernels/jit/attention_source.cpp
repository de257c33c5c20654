#include "kernels/jit/attention_source.h"

#include <fmt/format.h>

#include "kernels/attention/attention_args.h"
#include "kernels/jit/config_writer.h"

namespace tilecast {
namespace {

constexpr const char* kAttentionEntryText = R"(
extern "C" __global__ void
__launch_bounds__(tilecast::Config::kThreads, tilecast::Config::kCtasPerSm)
    tilecast_attention(const __grid_constant__ tilecast::AttentionArgs args) {
  tilecast::run<tilecast::Config>(args);
}
)";

std::string config_of(const AttentionConfig& config, const AttentionProblem& problem) {
  constexpr i32 kSlab = 64, kRowBytes = 128;
  const i32 head_dim = problem.head_dim;
  const PackedHeads packed = packed_heads(problem, config);
  const HeadsBox box = query_box(packed);
  const i32 slabs = head_dim / kSlab;
  const AttentionRegisters registers = attention_registers(config);
  const AttentionSmem smem = attention_smem(config, head_dim);
  ConfigWriter w;
  w.count("kThreads", attention_threads(config), "threads per CTA");
  w.count("kCtasPerSm", config.ctas_per_sm, "CTAs that must fit on an SM, as the compiler is told");
  w.count("kGroups", config.groups, "consumer warpgroups, each with 64 rows of a tile");
  w.add("AttentionRegisters", "kRegisters",
        fmt::format("{{.producer = {}, .consumer = {}}}", registers.producer, registers.consumer),
        "registers per thread");
  w.count("kKvBlock", config.kv_block, "keys per block");
  w.count("kStages", config.stages, "stages of K; V has the same number");
  w.flag("kTurns", traits_of(config.schedule).takes_turns && config.groups > 1,
         "warpgroups take turns at the tensor cores");
  w.flag("kSplits", config.splits > 1, "several CTAs share the keys of a tile");
  w.count("kPartsAtOnce", parts_at_once(config, head_dim),
          "partial results of a row that are loaded at once to be summed");
  w.flag("kClusters", config.grid == AttentionGrid::kClusters,
         "the CTAs that share a tile form a cluster");
  w.flag("kDynamic", config.order == AttentionOrder::kDynamic, "CTAs draw tiles from a counter");

  w.line("// The problem.");
  w.add("ElementType", "kElementType", enumerator_of(problem.dtype), "type of Q, K, V and O");
  w.count("kHeadDim", head_dim);
  w.flag("kCausal", is_causal(problem));
  w.count("kSharedHeads", packed.shared, "query heads per set in the tensor maps");
  w.count("kPackedHeads", packed.heads, "query heads in a warpgroup's rows");
  w.count("kQueries", box.rows, "queries per warpgroup");
  w.count("kThreadRows", thread_rows(problem, config), "how many of a thread's two rows exist");

  w.line("// Shared memory.");
  w.add("AttentionSmem", "kSmem",
        fmt::format("{{.q_bytes = {}, .stage_bytes = {}, .q_slots = {},\n"
                    "      .k_offset = {}, .v_offset = {}, .barrier_offset = {},\n"
                    "      .total_bytes = {}}}",
                    smem.q_bytes, smem.stage_bytes, smem.q_slots, smem.k_offset, smem.v_offset,
                    smem.barrier_offset, smem.total_bytes));
  w.count("kQuerySlots", smem.q_slots, "buffers, each for Q and then O of a tile");
  w.count("kRowBytes", kRowBytes, "bytes of a swizzled row");
  w.count("kSlab", kSlab, "columns of a swizzled row");
  w.count("kSlabs", slabs, "slabs per head");
  w.count("kQuerySlabBytes", kGroupRows * kRowBytes, "bytes per warpgroup");
  w.count("kKvSlabBytes", config.kv_block * kRowBytes);
  w.count("kLoadedQueryBytes", slabs * box.rows * box.heads * kRowBytes, "bytes per warpgroup");
  return w.text();
}

}  // namespace

KernelSource attention_source(const AttentionConfig& config, const AttentionProblem& problem) {
  const std::string path = fmt::format("kernels/attention/{}.cu", traits_of(config.schedule).name);
  return {.path = path,
          .text = fmt::format("#include \"kernels/attention/attention_args.h\"\n\n{}\n"
                              "#include \"{}\"\n{}",
                              config_of(config, problem), path, kAttentionEntryText)};
}

}  // namespace tilecast
