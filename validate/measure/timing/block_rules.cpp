#include "validate/measure/timing/block_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "model/base/error.h"
#include "model/base/quantile.h"
#include "validate/measure/timing/launch_times.h"

namespace tilecast {
namespace {

std::vector<Seconds> times_of(const SampleBlock& block) {
  std::vector<Seconds> times;
  times.reserve(block.nanoseconds.size());
  for (const i64 nanoseconds : block.nanoseconds) {
    times.push_back(seconds_of(nanoseconds));
  }
  return times;
}

std::size_t counted(const std::vector<SampleBlock>& blocks) {
  return static_cast<std::size_t>(std::count_if(
      blocks.begin(), blocks.end(), [](const SampleBlock& block) { return !block.drifted; }));
}

}  // namespace

void mark_drifted(std::vector<SampleBlock>& blocks, const BlockRules& rules) {
  std::vector<Hertz> clocks;
  for (const SampleBlock& block : blocks) {
    clocks.push_back(block.clock);
  }
  std::sort(clocks.begin(), clocks.end());
  const Hertz middle = quantile_of_sorted<Hertz>(clocks, 0.5);
  for (SampleBlock& block : blocks) {
    block.drifted = std::abs(block.clock / middle - 1) > rules.clock_drift;
  }
}

bool enough(const std::vector<SampleBlock>& blocks, const BlockRules& rules) {
  if (blocks.size() >= rules.most_taken || counted(blocks) >= rules.most) {
    return true;
  }
  std::vector<Seconds> medians;
  for (const SampleBlock& block : blocks) {
    if (!block.drifted) {
      medians.push_back(distribution_of(times_of(block)).median);
    }
  }
  return medians.size() >= rules.least && relative_spread(medians) < rules.quiet_spread;
}

BlockSummary summary_of(const std::vector<SampleBlock>& blocks, const BlockRules& rules) {
  BlockSummary summary{.time = {}, .clock = {}, .counted = counted(blocks), .discarded = 0};
  summary.discarded = blocks.size() - summary.counted;
  if (summary.counted < rules.least) {
    throw Error(ExitCode::kWrong,
                fmt::format("the SM clock drifted by more than {:g} % in {} of {} blocks",
                            rules.clock_drift * 100, summary.discarded, blocks.size()));
  }
  std::vector<Seconds> all;
  Seconds length{0};
  Cycles cycles{0};
  for (const SampleBlock& block : blocks) {
    if (block.drifted) {
      continue;
    }
    const std::vector<Seconds> times = times_of(block);
    const Seconds block_length = std::accumulate(times.begin(), times.end(), Seconds{0});
    length += block_length;
    cycles += cycles_of(block_length, block.clock);
    all.insert(all.end(), times.begin(), times.end());
  }
  summary.time = distribution_of(std::move(all));
  summary.clock = {cycles.value / length.value};
  return summary;
}

double relative_spread(const std::vector<Seconds>& values) {
  const TimeDistribution d = distribution_of(values);
  return (d.q3 - d.q1) / d.median;
}

}  // namespace tilecast
