// Formats and parses the canonical string of a KernelConfig, e.g.
//   blocked:tile=128x128x128,warpgroups=1x1,ctas=2,c_slots=0,raster=grouped_m,group=8
//   small_mma:tile=64x128x128,warpgroups=1x1,a=registers,instruction_n=32
//   warp_specialized:tile=128x256x64,stages=4,warpgroups=2x1,cluster=2x1,ctas=1,inflight=1,c_slots=2,producer=24,grid=resident,raster=grouped_m,group=8,walk=strided
//   tcgen05_warp_specialized:tile=128x256x64,stages=6,warpgroups=1x1,cta_group=2,accumulators=2,ctas=1,inflight=1,c_slots=2,grid=takeover,raster=grouped_m,group=8,walk=strided
// Every key that the schedule does not fix is present, in a fixed order, so equal configurations
// have equal strings. Only store=deferred of warp_specialized, the last key, is omitted if tiles
// are stored at their end.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/element_type_text.h"
#include "model/gemm/config/kernel_config.h"
#include "model/gemm/config/schedule_text.h"
#include "model/gemm/problem/gemm_problem.h"
#include "model/op/config_key.h"

namespace tilecast {

template <>
const ConfigKeys<KernelConfig>& config_keys();

std::string to_text(const KernelConfig& config);

/// Inverse of to_text. Throws a ConfigError that names the key and the expected value. Checks only
/// the syntax (positive numbers, known words); whether a GPU can run it:
/// model/gemm/menu/legality.h.
KernelConfig parse_kernel_config(std::string_view text);

std::string_view to_text(Reduction reduction);
std::string_view to_text(RasterKind kind);
std::string_view to_text(Layout layout);
std::string_view meaning_of(Layout layout);
std::string_view to_text(Accumulate accumulate);
std::string to_text(const GemmShape& shape);  // Formats "8192x8192x4096".
/// Formats "32"; "32:b" if all GEMMs share one B, "32:a", "32:ab".
std::string to_text(const Batch& batch);

Layout parse_layout(std::string_view text);
Accumulate parse_accumulate(std::string_view text);
constexpr Layout kEveryLayout[] = {Layout::kTn, Layout::kNn, Layout::kNt, Layout::kTt};
/// Parses a shape; each dimension is between 1 and 2^31 - 1.
GemmShape parse_gemm_shape(std::string_view text);
/// Inverse of to_text; accepts 1 to 2^31 - 1 GEMMs.
Batch parse_batch(std::string_view text);

}  // namespace tilecast
