// The rungs of kernels/gemm/README.md: one configuration each, the rung that it is compared with,
// and the counters that show what it does. Read from kernels/gemm/ladder.yaml.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "model/spec/strict_map.h"
#include "model/tile/kernel_config.h"

namespace tilecast {

/// How a hardware counter is shown.
struct LadderCounter {
  std::string name, unit;
  double per_unit = 1;  // counts that make one unit
  std::string metric;   // its column in the counter file
};

struct Rung {
  std::string name;
  KernelConfig config{};
  std::optional<std::size_t> against;  // place in Ladder::rungs
  std::vector<LadderCounter> shown_by;
};

struct Ladder {
  std::vector<Rung> rungs;
};

/// Throws FileError, or ConfigError `file:line: key: what was expected`.
Ladder load_ladder(const std::filesystem::path& path);
Ladder parse_ladder(const StrictValue& root);

}  // namespace tilecast
