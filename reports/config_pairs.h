// Pairs of measured kernels that differ in one choice and nothing else, on one problem under one
// regime: what that choice does.
#pragma once

#include <functional>
#include <vector>

#include "reports/report_input.h"

namespace tilecast {

struct ConfigPair {
  const JoinedGroup* group;
  const JoinedPoint *from, *to;

  /// Time of `from` over time of `to`: above 1 the change makes it faster.
  double gain() const { return from->measured_time() / to->measured_time(); }
};

/// The configurations that `config` is to be compared with; none where it is not asked about.
using Changes = std::function<std::vector<AnyConfig>(const AnyConfig& config)>;

/// Over the pool, ordinary inputs and L2 not flushed, in its order.
std::vector<ConfigPair> config_pairs(const ReportInput& input, const Changes& changes);

/// "1.094 in the median of 13 pairs (0.993 to 1.091)"; wants at least one.
std::string gain_text(const std::vector<ConfigPair>& pairs);

double median_gain(const std::vector<ConfigPair>& pairs);
/// The pair with the greatest gain.
const ConfigPair& most_gain(const std::vector<ConfigPair>& pairs);

}  // namespace tilecast
