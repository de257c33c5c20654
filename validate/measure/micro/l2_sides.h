// Which SMs and which lines lie on the same side of L2, by what each SM waits for each line
// (kernels/micro/l2_latency.cu).
#pragma once

#include <span>
#include <vector>

#include "validate/measure/micro/micro_lab.h"

namespace tilecast {

/// Lines of `stride` bytes from the start of `memory`, each SM's cycles for each of them.
struct LineLatencies {
  u32 sms, lines;
  std::vector<u32> cycles;           // SM by SM
  std::vector<TimedSample> samples;  // of all reads of an SM together

  std::span<const u32> of_sm(u32 sm) const {
    return std::span<const u32>(cycles).subspan(std::size_t{sm} * lines, lines);
  }
};

LineLatencies line_latencies(MicroLab& lab, const char* memory, u64 stride, u32 lines);

/// Two groups of values: each joins the nearer mean.
struct TwoMeans {
  double low, high;
  double share_high;
};
TwoMeans two_means(std::span<const u32> values);

/// For each SM whether it waits for the same lines as SM 0 does.
std::vector<bool> on_side_of_sm_0(const LineLatencies& latencies);

/// For each line by how many cycles the SMs of SM 0's side wait less for it than the others do.
std::vector<double> nearer_to_sm_0(const LineLatencies& latencies, const std::vector<bool>& sides);

}  // namespace tilecast
