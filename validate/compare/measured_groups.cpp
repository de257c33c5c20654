#include "validate/compare/measured_groups.h"

#include <algorithm>
#include <map>

#include "model/tile/kernel_config_text.h"
#include "validate/record/point_group.h"
#include "validate/record/verified_rows.h"

namespace tilecast {

const MeasuredConfig& MeasuredGroup::fastest() const {
  return *std::min_element(
      configs.begin(), configs.end(),
      [](const MeasuredConfig& a, const MeasuredConfig& b) { return a.time() < b.time(); });
}

const MeasuredConfig& MeasuredGroup::fewest_cycles() const {
  return *std::min_element(configs.begin(), configs.end(),
                           [](const MeasuredConfig& a, const MeasuredConfig& b) {
                             return *a.row.cycles < *b.row.cycles;
                           });
}

std::vector<MeasuredGroup> measured_groups(const std::vector<MeasurementFile>& files) {
  std::vector<MeasuredGroup> groups;
  std::map<GroupKey, std::size_t> places;
  for (const VerifiedRow& row : verified_rows(files)) {
    const Measurement& m = row.measurement();
    if (m.point.op != Op::kGemm) {
      continue;
    }
    const auto [place, is_new] = places.try_emplace(group_key(m.point), groups.size());
    if (is_new) {
      groups.push_back({.problem = m.point.problem,
                        .regime = m.point.regime,
                        .file = row.file->name,
                        .configs = {},
                        .cublaslt_top1 = {},
                        .cublaslt_best = {}});
    }
    MeasuredGroup& group = groups[place->second];
    if (m.point.config == kCublasltTop1) {
      group.cublaslt_top1 = m.time->median;
    } else if (m.point.config == kCublasltBest) {
      group.cublaslt_best = m.time->median;
    } else if (m.cycles && m.sm_clock) {
      group.configs.push_back({parse_kernel_config(m.point.config), m});
    }
  }
  std::erase_if(groups, [](const MeasuredGroup& group) { return group.configs.empty(); });
  return groups;
}

}  // namespace tilecast
