#include "validate/compare/byte_error.h"

#include <cmath>

namespace tilecast {
namespace {

void add_error(Values& errors, const std::optional<Bytes>& counted, Bytes predicted) {
  if (counted && counted->value > 0) {
    errors.push_back(predicted / *counted - 1);
  }
}

}  // namespace

ByteFigures byte_figures(const ChipCounters& chip, const JoinedData& data) {
  Values l2_to_sm, dram_read, hit, hit_sizes;
  for (const JoinedGroup& group : data.groups) {
    for (const auto& [measured, predicted] : group.points) {
      const std::optional<Bytes> delivered = chip.l2_to_sm_bytes(measured.counters);
      add_error(l2_to_sm, delivered, predicted.l2_to_sm);
      add_error(dram_read, chip.dram_read_bytes(measured.counters), predicted.dram_read);
      const std::optional<double> counted_hit = chip.l2_hit_rate(measured.counters);
      if (counted_hit && delivered->value > 0) {
        hit.push_back(predicted.l2_hit_rate - *counted_hit);
        hit_sizes.push_back(std::abs(hit.back()));
      }
    }
  }
  ByteFigures figures{error_figures(l2_to_sm), error_figures(dram_read), {}};
  if (!hit.empty()) {
    figures.l2_hit = HitRateFigures{hit.size(), mean(hit_sizes), mean(hit)};
  }
  return figures;
}

}  // namespace tilecast
