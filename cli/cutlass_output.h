// Predictions under CUTLASS's names: kernels of its library and a test list for its profiler.
//
// The library's kernels store D column-major, so they compute C's transpose: their M is our N, and
// a tile, a cluster and a raster are turned with it. What corresponds, for Hopper:
//   warp_specialized, warpgroups=1x1, grid=tiles     warpspecialized, without shared memory for C
//   the same with two warpgroups, grid=resident      warpspecialized_cooperative
//   ping_pong                                        warpspecialized_pingpong
//   split_k, stream_k, stream_k_hybrid               stream_k_warpspecialized_cooperative
//   raster=grouped_m, group=1, 2, 4, 8               raster_order along_m, swizzle_size
// Stages are CUTLASS's own choice, as many as fit. Nothing else has a counterpart: its kernels load
// in a warp of their own, end each tile before the next one's, and walk neither curves nor chunks.
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

/// Schedules of which some configurations have counterparts.
std::vector<AnySchedule> cutlass_schedules();

/// What of the problem CUTLASS's profiler does not take; empty of others.
std::string_view why_not_listed(const GemmProblem& problem);

/// Why the configuration has no counterpart for the problem; empty where it has one.
std::string_view why_not_cutlass(const GemmProblem& problem, const KernelConfig& config);

/// As cutlass_library names it: cutlass3x_sm90_tensorop_gemm_... Of a configuration that has one.
std::string cutlass_name(const GemmProblem& problem, const KernelConfig& config);

/// Columns of the test list that cutlass_profiler reads (--testlist-file), and behind them ours.
std::string cutlass_header();

/// Predictions to look at, of a ranking, for those few that have counterparts.
constexpr std::size_t kLookedAtForCutlass = 512;

/// The fastest `top` of a GEMM's ranking that have counterparts, fastest first, without a header.
/// Of those that are one kernel to CUTLASS, which chooses stages and registers itself, the fastest.
/// Says on standard error, after `of`, which faster ones have none. Throws ConfigError where none
/// has.
std::string cutlass_rows(const Ranking& ranking, std::size_t top, const std::string& of = "");

}  // namespace tilecast
