// How fast is what was picked: measured time of the best configuration over measured time of the
// picked one, among those that were measured for one problem under one regime. 1 is a perfect pick.
// Groups of fewer than two configurations leave nothing to pick and count nowhere.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "validate/compare/join.h"
#include "validate/compare/statistics.h"

namespace tilecast {

/// Smaller is picked first; equal ones by configuration text.
using Preference = std::function<double(const JoinedPoint&)>;

double by_predicted_time(const JoinedPoint& point);
double by_predicted_cycles(const JoinedPoint& point);
double by_closed_form_time(const JoinedPoint& point);

bool can_pick(const JoinedGroup& group);

/// All sides of a GEMM are multiples of 8, so that rows of A, B and C are whole 16 bytes in both
/// layouts; true of other ops.
bool is_aligned(const AnyProblem& problem);

/// The pick is the best measured of the first `count` by preference.
double pick_ratio(const JoinedGroup& group, const Preference& preference, std::size_t count);

/// What picking blindly gives on average: the mean over all configurations of best / own time.
double random_pick_ratio(const JoinedGroup& group);

/// Best / own time of one configuration; nothing where the group does not have it.
std::optional<double> config_ratio(const JoinedGroup& group, const std::string& config);

/// One configuration for everything, chosen with hindsight: the one with the best geometric mean of
/// best / own time. Only those measured in at least nine tenths as many groups as the most
/// widespread one are eligible; groups without it are left out. Equal ones: first by text.
struct FixedTiling {
  std::string config;
  Values ratios;  // one for each group that has it
};

/// An empty text where no configuration is in half of the groups that leave something to pick.
FixedTiling best_fixed_tiling(const std::vector<JoinedGroup>& groups);

/// As best_fixed_tiling chooses on these rows and on those of `fixed` (JoinOptions); empty where it
/// chooses none. Throws as join_points does for a row of another GPU.
std::string fixed_config_of(const std::vector<MeasurementFile>& files,
                            const std::vector<std::string>& gpu_names,
                            const std::vector<MeasurementFile>& fixed);

/// One that was chosen elsewhere, of these groups.
FixedTiling fixed_tiling(const std::vector<JoinedGroup>& groups, const std::string& config);

}  // namespace tilecast
