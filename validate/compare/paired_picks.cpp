#include "validate/compare/paired_picks.h"

#include <cmath>
#include <functional>

#include "validate/compare/pick.h"

namespace tilecast {
namespace {

/// Returns the speed of the other method's pick in a group relative to the best; std::nullopt if it
/// has no pick.
using Other = std::function<std::optional<double>(const JoinedGroup&)>;

Other by_preference(double (*preference)(const JoinedPoint&)) {
  return [preference](const JoinedGroup& group) { return pick_ratio(group, preference, 1); };
}

std::optional<double> cublaslt_ratio(const JoinedGroup& group) {
  if (!group.baseline(kCublasltTop1) || !group.baseline(kCublasltBest)) {
    return std::nullopt;
  }
  return group.baseline(kCublasltBest)->time->median / group.baseline(kCublasltTop1)->time->median;
}

std::optional<PairedFigures> paired(const std::vector<JoinedGroup>& groups,
                                    const std::string& against, const Other& other) {
  Values logs;
  PairedFigures figures{
      .against = against, .groups = 0, .ratio = 1, .better = 0, .worse = 0, .p = 1};
  for (const JoinedGroup& group : groups) {
    const std::optional<double> theirs = can_pick(group) ? other(group) : std::nullopt;
    if (theirs) {
      logs.push_back(std::log(pick_ratio(group, by_predicted_time, 1) / *theirs));
      figures.better += logs.back() > 0 ? 1 : 0;
      figures.worse += logs.back() < 0 ? 1 : 0;
    }
  }
  if (logs.empty()) {
    return std::nullopt;
  }
  figures.groups = logs.size();
  figures.ratio = std::exp(mean(logs));
  figures.p = signed_rank_p(logs);
  return figures;
}

}  // namespace

std::vector<PairedFigures> paired_picks(const std::vector<JoinedGroup>& groups,
                                        const std::string& fixed_config) {
  std::vector<PairedFigures> all;
  const auto add = [&](const std::string& against, const Other& other) {
    if (std::optional<PairedFigures> figures = paired(groups, against, other)) {
      all.push_back(std::move(*figures));
    }
  };
  add("pick_by_cycles", by_preference(by_predicted_cycles));
  add("closed_form", by_preference(by_closed_form_time));
  add("fixed_tiling", [&](const JoinedGroup& group) { return config_ratio(group, fixed_config); });
  add("cublaslt_top1", cublaslt_ratio);
  return all;
}

}  // namespace tilecast
