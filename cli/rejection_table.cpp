#include "cli/rejection_table.h"

#include <fmt/format.h>

#include "model/base/text.h"
#include "model/spec/compiler_rejections.h"
#include "model/spec/load_gpu.h"
#include "model/tile/kernel_config_text.h"

namespace tilecast {
namespace {

constexpr std::string_view kHeader =
    "architecture,schedule,block_m,block_n,block_k,stages,warpgroups_m,warpgroups_n,cluster_m,"
    "cluster_n,ctas,inflight,c_slots,producer,instruction_n,a,dtype,layout,compiler,reason\n";

}  // namespace

std::string rejection_key(Architecture architecture, const KernelConfig& config,
                          std::optional<ElementType> dtype, Layout layout) {
  const Tiling& t = config.tiling;
  return fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}", to_text(architecture),
                     to_text(config.schedule), t.block_m, t.block_n, t.block_k, t.stages,
                     t.warpgroups_m, t.warpgroups_n, t.cluster_m, t.cluster_n, config.ctas_per_sm,
                     config.inflight, t.c_slots, config.producer_registers, instruction_n(config),
                     to_text(config.a_source), dtype ? to_text(*dtype) : std::string_view(),
                     to_text(layout));
}

std::string_view rejection_reason(std::string_view rejection) {
  if (rejection.starts_with("spills") || rejection.starts_with("stack frame")) {
    return "spills";
  }
  if (rejection.starts_with("C7508")) {
    return "setmaxnreg_ignored";
  }
  return rejection.starts_with("C75") ? "wgmma_serialized" : "error";
}

RejectionTable::RejectionTable(std::string_view text, std::string_view name) {
  if (text.empty()) {
    return;
  }
  (void)parse_compiler_rejections(text, name);
  for (const std::string_view line : split(text.substr(text.find('\n') + 1), '\n')) {
    if (!line.empty()) {
      const std::size_t compiler = line.rfind(',', line.rfind(',') - 1);
      rows_.emplace(line.substr(0, compiler), line.substr(compiler + 1));
    }
  }
}

void RejectionTable::set(const std::string& key, std::string_view compiler,
                         std::string_view reason) {
  rows_.erase(key);
  if (!reason.empty()) {
    rows_.emplace(key, fmt::format("{},{}", compiler, reason));
  }
}

std::string RejectionTable::text() const {
  std::string text(kHeader);
  for (const auto& [key, rest] : rows_) {
    text += fmt::format("{},{}\n", key, rest);
  }
  return text;
}

}  // namespace tilecast
