// The memory-bound configurations that are tried for a problem, and why others are not: the product
// of a menu of blocks, buffers, warps, vectors, orders and hints, sifted by legality.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/gemm/menu/legality.h"
#include "model/spec/gpu_spec.h"
#include "model/stream/stream_config.h"

namespace tilecast {

/// kBlock: no kernel has such a block; kAlignment: the problem's rows or elements do not fit its
/// vectors or its view; kRegisters: a thread would hold more of a block than the promised CTAs per
/// SM leave it; kSharedMemory; kOccupancy: those CTAs do not fit.
Refusal check_legal(const GpuSpec& gpu, const StreamProblem& problem, const StreamConfig& config);

/// Reason in words why the configuration cannot run, empty where it can.
std::string why_not_legal(const GpuSpec& gpu, const StreamProblem& problem,
                          const StreamConfig& config);

struct StreamCandidates {
  std::vector<StreamConfig> legal;
  std::map<std::string, int> rejected;          // by reason
  std::map<std::string, StreamConfig> example;  // the first of each reason
};

/// `schedules` of the problem's op; empty means all of them. In a fixed order.
StreamCandidates enumerate_candidates(const GpuSpec& gpu, const StreamProblem& problem,
                                      const std::vector<StreamSchedule>& schedules);

}  // namespace tilecast
