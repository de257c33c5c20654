// Builds the program that `emit` writes for an attention kernel.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "kernels/emit/emitted_program.h"
#include "kernels/emit/wgmma_text.h"
#include "kernels/jit/attention_source.h"
#include "kernels/jit/config_writer.h"
#include "kernels/launch/bind_attention.h"
#include "model/attention/attention_text.h"

namespace tilecast {
namespace {

double softmax_scale(const AttentionProblem& p) {
  return 1 / std::sqrt(static_cast<double>(p.head_dim));
}

std::string constants_of(const AttentionProblem& p) {
  const AttentionBuffers tight = tight_buffers(p, nullptr, nullptr, nullptr, nullptr, nullptr);
  ConstantsText text;
  text.add("i64", "kHeads", p.heads, "of Q and O");
  text.add("i64", "kKvHeads", p.kv_heads);
  text.add("i64", "kQueries", p.queries, "of a head");
  text.add("i64", "kKeys", p.keys);
  text.add("int", "kHeadDim", p.head_dim);
  text.add("i64", "kRows", i64{p.batch} * p.heads * p.queries, "of Q and O");
  text.add("i64", "kKeyRows", i64{p.batch} * p.kv_heads * p.keys, "of K and V");
  const AttentionStrides &q = tight.q.strides, &k = tight.k.strides;
  text.add("i64", "kBatchOfQ", q.batch, "elements from one sequence of Q and O to the next");
  text.add("i64", "kHeadOfQ", q.head);
  text.add("i64", "kRowOfQ", q.row);
  text.add("i64", "kBatchOfK", k.batch, "of K and V");
  text.add("i64", "kHeadOfK", k.head);
  text.add("i64", "kRowOfK", k.row);
  text.flag("kWritesLse", p.lse);
  text.add("double", "kScale", fmt::format("{:.17g}", softmax_scale(p)), "of scores");
  text.add("double", "kRounding", fmt::format("0x1p-{}", traits_of(p.dtype).digits),
           "of weights and O");
  text.alias("Element", traits_of(p.dtype).of_cuda);
  return text.text();
}

std::string fixed_arguments(const AttentionProblem& p, const AttentionConfig& config,
                            const AttentionArgs& args) {
  const AttentionWorkspace workspace = attention_workspace(p, config);
  AssignmentsText text;
  const AttentionWork& work = args.work;
  text.add("work.batch", work.batch);
  text.add("work.heads", work.heads);
  text.add("work.queries", work.queries);
  text.add("work.keys", work.keys);
  text.add("work.queries_per_tile", work.queries_per_tile);
  text.add("work.row_blocks", work.row_blocks);
  text.add("work.kv_block", work.kv_block);
  text.add("work.splits", work.splits);
  if (work.longest_first) {
    text.add("work.section", divisor_text(work.section));
    text.add("work.last_section", divisor_text(work.last_section));
    text.add("work.by_section_tiles", divisor_text(work.by_section_tiles));
  }
  text.add("work.by_splits", divisor_text(work.by_splits));
  text.add("work.by_row_blocks", divisor_text(work.by_row_blocks));
  text.add("work.by_heads", divisor_text(work.by_heads));
  text.add("work.by_kv_block", divisor_text(work.by_kv_block));
  text.add("tiles", args.tiles);
  text.add("heads", args.heads);
  text.add("heads_per_kv", divisor_text(args.heads_per_kv));
  text.add("scale_log2", fmt::format("{:.9g}f", args.scale_log2));
  if (workspace.parts_done > 0) {
    const i64 outputs = partial_output_elements(p, config);
    text.add("parts_done", fmt::format("device_array<u32>({})", workspace.parts_done));
    text.add("partial_o", fmt::format("device_array<float>({})", outputs));
    text.add("partial_lse", fmt::format("device_array<float>({})", outputs / p.head_dim));
  }
  if (config.splits > 1) {
    const AttentionStrides& s = args.out_strides;
    text.add("out_strides", fmt::format("{{{}, {}, {}}}", s.batch, s.head, s.row));
  }
  if (workspace.draws > 0) {
    text.add("draws", fmt::format("device_array<u32>({})", workspace.draws));
  }
  return text.text();
}

std::string buffer_arguments(const AttentionProblem& p, const AttentionConfig& config,
                             const AttentionArgs& args, const std::vector<std::string>& maps) {
  AssignmentsText text;
  text.add("q", maps[args.q.opaque[0]]);
  text.add("k", maps[args.k.opaque[0]]);
  text.add("v", maps[args.v.opaque[0]]);
  text.add("o", maps[args.o.opaque[0]]);
  if (p.lse) {
    text.add("lse", "buffers.lse");
  }
  if (config.splits > 1) {
    text.add("out", "buffers.o");
  }
  return text.text();
}

}  // namespace

std::string emitted_name(const AttentionProblem& p) {
  std::string name = "attention_" + to_text(p);
  std::ranges::replace_if(
      name, [](char c) { return c == ':' || c == ' '; }, '_');
  return name;
}

EmittedProgram emitted_program(const AttentionProblem& p, const AttentionConfig& config) {
  static constexpr std::string_view kTensors[] = {"q", "k", "v", "o"};
  std::vector<std::string> maps;
  const auto place = [](i64 index) { return reinterpret_cast<void*>(index); };
  const AttentionArgs args = bind_attention(
      p, config, tight_buffers(p, place(0), place(1), place(2), place(3), nullptr),
      static_cast<float>(softmax_scale(p)), [&](const HeadsView& view, const HeadsBox& box) {
        const auto index = reinterpret_cast<std::size_t>(view.pointer);
        TensorMap map{};
        map.opaque[0] = maps.size();
        maps.push_back(tensor_map_text(kTensors[index], view.dtype, sides_of(view, box)));
        return map;
      });
  const bool in_bytes = is_rated_in_bytes(p);
  const std::string type = enumerator_of(p.dtype);
  const i32 cluster = config.grid == AttentionGrid::kClusters ? config.splits : 1;
  Constants known{{"longest_first", args.work.longest_first ? "true" : "false"},
                  {"causal", is_causal(p) ? "true" : "false"}};
  if (!p.lse) {
    known["args.lse"] = "nullptr";
  }
  return {.title = title_of(p),
          .kernel = attention_source(config, p),
          .entry = kAttentionEntry,
          .arguments = "AttentionArgs",
          .host = "attention",
          .buffers = "AttentionBuffers",
          .problem = constants_of(p),
          .launch_args = fixed_arguments(p, config, args),
          .workers = config.grid == AttentionGrid::kResident
                         ? fmt::format("min_of(resident, {}u)", args.tiles)
                         : fmt::format("{}", args.tiles / cluster),
          .bound_args = buffer_arguments(p, config, args, maps),
          .shared_bytes = attention_smem(config, p.head_dim).total_bytes,
          .cluster_size = cluster,
          .work = in_bytes ? attention_bytes(p) : attention_flops(p),
          .work_unit = in_bytes ? "B" : "FLOP",
          .checked = attention_flops(p) / 2,
          .most_checked = 0x1p37,
          .set_bytes = 2 * query_bytes(p) + kv_bytes(p),
          .use = {.roots = {},
                  .kernel = {},
                  .optional = {{"AttentionArgs", true},
                               {"AttentionWork", false},
                               {"AttentionBuffers", false},
                               {"Findings", false}},
                  .known = known,
                  .wgmma = {wgmma_text(config.kv_block, type, false),
                            wgmma_text(p.head_dim, type, true)}}};
}

}  // namespace tilecast
