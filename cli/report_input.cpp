#include "cli/report_input.h"

#include <fmt/format.h>

#include <map>
#include <memory>

#include "cli/joined_input.h"
#include "model/base/error.h"
#include "model/base/file.h"
#include "model/base/shown_text.h"
#include "model/base/text.h"
#include "model/predict/predict.h"
#include "validate/compare/data_split.h"
#include "validate/compare/pick.h"
#include "validate/record/stored_text.h"

namespace tilecast {
namespace {

std::vector<MeasurementFile> read_listed(const std::vector<std::string>& paths) {
  std::vector<MeasurementFile> files;
  for (const std::string& path : paths) {
    files.push_back(read_measurements(path));
  }
  return files;
}

/// GPUs of configs/gpus, each loaded once. One that does not run the schedule predicts nothing; one
/// whose file is broken, or not there, is an error.
PredictOn predict_on_any(PredictionCache& cache) {
  const auto gpus = std::make_shared<std::map<std::string, LoadedGpu>>();
  return [gpus, &cache](const std::string& name, const AnyProblem& problem, const AnyConfig& config,
                        Regime regime, Inputs inputs) -> std::optional<Prediction> {
    auto found = gpus->find(name);
    if (found == gpus->end()) {
      found = gpus->emplace(name, load_gpu(name, true)).first;
    }
    const LoadedGpu& gpu = found->second;
    try {
      return cache.get(base_of(gpu, model_fingerprint()), problem, config, regime, inputs,
                       [&](const AnyProblem& p, const AnyConfig& c, Regime r, Inputs i) {
                         return predict_config(gpu.spec, p, c, r, i);
                       });
    } catch (const ConfigError&) {
      return std::nullopt;
    }
  };
}

void check_predictable(const ReportInput& input, const Manifest& manifest) {
  if (input.judged.points == 0) {
    throw ConfigError(fmt::format(
        "{}: expected a verified row that the model can predict; {}, {} excluded, {} of "
        "baselines, {} without a prediction{}",
        tilecast::join(manifest.data, ", "), counted(input.judged.rows, "row"),
        input.judged.excluded, input.judged.cublaslt, input.judged.unmatched,
        input.judged.unmatched_reasons.empty()
            ? ""
            : ", the first of them " + input.judged.unmatched_reasons.front()));
  }
}

void read_extras(ReportInput& input, const Manifest& manifest) {
  for (const std::string& path : manifest.counters) {
    input.counters.push_back({path, CounterFile::read(path)});
  }
  if (!manifest.ladder.empty()) {
    input.ladder = load_ladder(manifest.ladder);
    input.ladder_file = manifest.ladder;
  }
  if (!manifest.published.empty()) {
    input.published = parse_published(read_text(manifest.published), manifest.published);
    input.published_file = manifest.published;
  }
  for (const TimelineFile& file : manifest.timelines) {
    input.timelines.push_back({file.file, file.problem, file.config,
                               parse_tile_timeline(read_stored_text(file.file), file.file)});
  }
  if (!manifest.deviations.empty()) {
    input.deviations = Document{manifest.deviations, read_text(manifest.deviations)};
  }
  if (!manifest.excluded.empty()) {
    input.excluded = Document{manifest.excluded, read_text(manifest.excluded)};
  }
}

}  // namespace

ReportInput load_report_input(const Manifest& manifest, bool use_calibration,
                              PredictionCache& cache) {
  ReportInput input{.gpu = load_gpu(manifest.gpu, use_calibration)};
  if (const std::string why = why_not_schedulable(input.gpu.spec); !why.empty()) {
    throw ConfigError(why);
  }
  if (input.gpu.calibrated) {
    input.prior = load_gpu(manifest.gpu, false);
  }
  input.data = read_listed(manifest.data);
  input.more = read_listed(manifest.more);
  read_extras(input, manifest);
  const std::optional<DataSplit> split =
      manifest.split.empty() ? std::nullopt : std::optional(DataSplit::load({manifest.split}));
  const GpuSpec& gpu = input.gpu.spec;
  const u64 base = base_of(input.gpu, model_fingerprint());
  const Predictor model = [&](const AnyProblem& problem, const AnyConfig& config, Regime regime,
                              Inputs inputs) {
    return predict_config(gpu, problem, config, regime, inputs);
  };
  const Predictor predict = [&](const AnyProblem& problem, const AnyConfig& config, Regime regime,
                                Inputs inputs) {
    return cache.get(base, problem, config, regime, inputs, model);
  };
  const std::vector<std::string> names{gpu.name, gpu.product};
  const JoinOptions join{.fixed = read_listed(manifest.fixed), .progress = rows_on_terminal()};
  // Whatever can be wrong with a file has been found by now: predicting takes long.
  input.judged = join_points(input.data, predict, names, join);
  check_predictable(input, manifest);
  if (split) {
    std::vector<MeasurementFile> judge = input.data, fit = input.data;
    keep_part(*split, DataPart::kJudge, judge);
    keep_part(*split, DataPart::kFit, fit);
    input.held_out = HeldOut{manifest.split, join_points(judge, predict, names, join),
                             fixed_config_of(fit, names, join.fixed)};
  }
  std::vector<MeasurementFile> all = input.data;
  all.insert(all.end(), input.more.begin(), input.more.end());
  input.pool = join_points(all, predict, names, {.progress = join.progress});
  if (gpu.architecture == Architecture::kHopper) {
    input.chip = load_chip_counters(config_folder(), "GH100");
  }
  input.predict_on = predict_on_any(cache);
  return input;
}

}  // namespace tilecast
