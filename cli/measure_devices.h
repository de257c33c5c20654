// measure --devices: one measuring process on each of several GPUs of this machine. Each has an
// equal part of the points (validate/plan/work_plan.h), a separate file, and a separate report of
// power and clock; the rows are merged into --out. The parent makes no CUDA call. Checked by:
// tests/scripts/fleet.sh.
#pragma once

#include <string>
#include <vector>

#include "cli/measure_options.h"

namespace tilecast {

/// Parses "0-3", "0,2" or "all" of `visible` GPUs, in ascending order. Throws ConfigError.
std::vector<int> parse_devices(const std::string& text, int visible);

/// `gpus` are the UUIDs that --devices counts from 0. With --plan, the part that --shard selects
/// is divided among them; otherwise this writes a plan, OUT.plan.csv, next to --out. Throws
/// ConfigError for contradictory options, and the exceptions of report_merge.
void measure_on_devices(const MeasureOptions& options, const std::vector<SuitePoint>& points,
                        const GpuSpec& gpu, CounterChoice counters,
                        const std::vector<std::string>& gpus);

}  // namespace tilecast
