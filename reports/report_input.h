// What a report is made from, loaded and joined; nothing of how it looks.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/spec/chip_counters.h"
#include "model/spec/load_gpu.h"
#include "validate/compare/counter_file.h"
#include "validate/compare/join.h"
#include "validate/compare/ladder.h"
#include "validate/compare/published.h"
#include "validate/record/tile_timeline.h"

namespace tilecast {

/// A kernel of which a timeline was recorded.
struct TimelineInput {
  std::string file;
  GemmProblem problem;
  KernelConfig config;
  std::vector<TileRecord> records;
};

struct CounterInput {
  std::string file;
  CounterFile counters;
};

struct Document {
  std::string file, text;
};

/// Predicts on another GPU of configs/gpus. Nothing where that GPU or the configuration is not
/// modelled.
using PredictOn = std::function<std::optional<Prediction>(const std::string& gpu, const AnyProblem&,
                                                          const AnyConfig&, Regime, Inputs)>;

/// Rows of problems that no fit has seen.
struct HeldOut {
  std::string split_file;
  JoinedData data;
  std::string fixed_config;  // the one best on the rows that a fit may see; empty: none
};

struct ReportInput {
  LoadedGpu gpu;
  std::optional<LoadedGpu>
      prior;  // the GPU file without its calibrated overlay, where there is one
  std::vector<MeasurementFile> data;  // the model is judged by these
  std::vector<MeasurementFile> more;  // and these are shown beside them
  JoinedData judged;                  // of data
  std::optional<HeldOut> held_out;    // of these, where the manifest has a split
  JoinedData pool;                    // of data and more
  std::optional<ChipCounters> chip;   // what is computed from counters
  std::vector<CounterInput> counters;
  std::optional<Ladder> ladder;
  std::string ladder_file;
  std::vector<TimelineInput> timelines;
  std::vector<PublishedFigure> published;
  std::string published_file;
  std::optional<Document> deviations, excluded;
  PredictOn predict_on;
  std::string command;       // that writes this report, as one would type it
  std::string gpu_options;   // --gpu of it, and whether a calibration was used
  std::string data_options;  // --data besides

  std::vector<std::string> data_files() const;
  std::vector<std::string> more_files() const;
};

/// What the model is judged by: the rows that no fit has seen, where the manifest has a split.
const JoinedData& judging_rows(const ReportInput& input);
bool is_held_out(const ReportInput& input, const JoinedGroup& group);

/// Counters of the row, and where it has none of a metric, of the counter files.
CounterValues counters_of(const ReportInput& input, const Measurement& measurement);

/// The row of this configuration in the pool: burst or sustained, ordinary inputs and L2 state.
const JoinedPoint* find_point(const ReportInput& input, const AnyProblem& problem,
                              const std::string& config, Regime regime);
const JoinedGroup* find_group(const ReportInput& input, const AnyProblem& problem, Regime regime);

}  // namespace tilecast
