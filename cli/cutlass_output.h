// Predictions under CUTLASS's names: kernels of its library and a test list for its profiler.
//
// The library's kernels store D column-major, so they compute C's transpose: their M is tilecast's
// N, and tiles, clusters and rasters are transposed. Counterparts on Hopper:
//   warp_specialized, warpgroups=1x1, grid=tiles     warpspecialized, without shared memory for C
//   the same with two warpgroups, grid=resident      warpspecialized_cooperative
//   ping_pong                                        warpspecialized_pingpong
//   split_k, stream_k, stream_k_hybrid               stream_k_warpspecialized_cooperative
//   raster=grouped_m, group=1, 2, 4, 8               raster_order along_m, swizzle_size
// CUTLASS chooses its own stages, the most that fit. Nothing else has a counterpart: its kernels
// load in a separate warp, finish each tile before the next one's, and have no Hilbert raster or
// chunked walk.
// Checked by: cutlass_output_test.cpp.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "model/gemm/config/kernel_config.h"
#include "model/gemm/problem/gemm_problem.h"
#include "model/rank/prediction.h"

namespace tilecast {

/// Returns the schedules with counterparts for some configurations.
std::vector<AnySchedule> cutlass_schedules();

/// Returns the property of the problem that CUTLASS's profiler does not support; empty if there is
/// none.
std::string_view why_not_listed(const GemmProblem& problem);

/// Returns why the configuration has no counterpart for the problem; empty if it has one.
std::string_view why_not_cutlass(const GemmProblem& problem, const KernelConfig& config);

/// Returns the name in cutlass_library: cutlass3x_sm90_tensorop_gemm_... The configuration must
/// have a counterpart.
std::string cutlass_name(const GemmProblem& problem, const KernelConfig& config);

/// Returns the kernel in CollectiveBuilder's terms: "TileShape 256x128x64, ClusterShape 1x2x1,
/// KernelTmaWarpSpecializedCooperative".
std::string builder_text(const KernelConfig& config);

/// Columns of the test list that cutlass_profiler reads (--testlist-file), followed by tilecast's
/// columns.
std::string cutlass_header();

/// Number of a ranking's predictions that are searched for the few with counterparts.
constexpr std::size_t kLookedAtForCutlass = 512;

/// Formats the fastest `top` kernels of a GEMM's ranking that have counterparts, without a header:
/// Ranking::counterpart, which the table of predict names, then the others, fastest first. Among
/// kernels with the same counterpart (CUTLASS chooses stages and registers itself), only the
/// fastest is listed. Lists faster kernels without counterpart on standard error, after `of`.
/// Throws ConfigError if no kernel has a counterpart.
std::string cutlass_rows(const Ranking& ranking, std::size_t top, const std::string& of = "");

}  // namespace tilecast
