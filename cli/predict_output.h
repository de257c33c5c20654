// A ranking as a table, JSON or CSV. The fields of the JSON are fixed; fields may be added.
#pragma once

#include <map>
#include <string>

#include "model/predict/prediction.h"
#include "model/spec/load_gpu.h"
#include "validate/record/measurement.h"

namespace tilecast {

/// What was measured of a configuration, by its canonical text.
using MeasuredByConfig = std::map<std::string, Measurement>;

struct RankingReport {
  const LoadedGpu& gpu;
  const Ranking& ranking;
  std::size_t top;  // rows shown
  Seconds elapsed;  // spent predicting
  const MeasuredByConfig& measured;
};

std::string ranking_table(const RankingReport& report);
std::string ranking_json(const RankingReport& report);
std::string ranking_csv(const RankingReport& report);

}  // namespace tilecast
