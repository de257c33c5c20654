// Quality of a pick: measured time of the best configuration / that of the picked one, among the
// configurations measured for one problem under one regime. 1 is a perfect pick. Groups with fewer
// than two configurations are skipped.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "validate/compare/join.h"
#include "validate/compare/statistics.h"

namespace tilecast {

/// Smaller values are picked first; ties are broken by configuration string.
using Preference = std::function<double(const JoinedPoint&)>;

double by_predicted_time(const JoinedPoint& point);
double by_predicted_cycles(const JoinedPoint& point);
double by_closed_form_time(const JoinedPoint& point);

bool can_pick(const JoinedGroup& group);

/// Whether all dimensions of a GEMM are multiples of 8, so that rows of A, B and C are 16-byte
/// aligned in all layouts; true for other ops.
bool is_aligned(const AnyProblem& problem);

/// Returns the group's points in the order in which they are picked.
std::vector<const JoinedPoint*> picked(const JoinedGroup& group, const Preference& preference);

/// Returns the quality of a pick: the fastest of the first `count` configurations by preference.
double pick_ratio(const JoinedGroup& group, const Preference& preference, std::size_t count);

/// Expected quality of a random pick: the mean over all configurations of best time / time.
double random_pick_ratio(const JoinedGroup& group);

/// Returns best time / time of one configuration; std::nullopt if the group lacks it.
std::optional<double> config_ratio(const JoinedGroup& group, const std::string& config);

/// The best single configuration for all problems, chosen in hindsight: it has the best geometric
/// mean of best time / time. Only configurations that were measured in at least 90 % as many groups
/// as the most widespread one can be chosen; groups without it are skipped. Ties go to the first by
/// string.
struct FixedTiling {
  std::string config;
  Values ratios;  // one ratio per group that has the configuration
};

/// Returns an empty configuration if none is in half of the groups that offer a choice.
FixedTiling best_fixed_tiling(const std::vector<JoinedGroup>& groups);

/// Returns the configuration that best_fixed_tiling chooses on these rows and on `fixed`
/// (JoinOptions); empty if there is none. Throws like join_points for a row of another GPU.
std::string fixed_config_of(const std::vector<MeasurementFile>& files,
                            const std::vector<std::string>& gpu_names,
                            const std::vector<MeasurementFile>& fixed);

/// Quality on these groups of a configuration that was chosen elsewhere.
FixedTiling fixed_tiling(const std::vector<JoinedGroup>& groups, const std::string& config);

}  // namespace tilecast
