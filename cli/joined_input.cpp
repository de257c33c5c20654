#include "cli/joined_input.h"
#include "cli/say.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "model/base/error.h"
#include "model/base/refuse.h"
#include "model/base/shown_text.h"
#include "model/base/text.h"
#include "model/predict/predict.h"
#include "model/spec/load_gpu.h"
#include "validate/compare/data_split.h"
#include "validate/compare/pick.h"
#include "validate/record/times_of_today.h"
#include "validate/run/status_line.h"

namespace tilecast {
namespace {

constexpr std::size_t kReasonsShown = 5;

void say_unmatched(const JoinedData& data) {
  const std::vector<std::string>& reasons = data.unmatched_reasons;
  for (std::size_t i = 0; i < reasons.size() && i < kReasonsShown; ++i) {
    say("tilecast: no prediction: {}", reasons[i]);
  }
  if (reasons.size() > kReasonsShown) {
    say("tilecast: no prediction for {} more {}", reasons.size() - kReasonsShown,
        reasons.size() - kReasonsShown == 1 ? "row" : "rows");
  }
}

/// Throws ConfigError if a split leaves no row of any file.
void refuse_empty(const std::vector<MeasurementFile>& files, const std::vector<std::string>& paths,
                  const std::string& split, const std::string& part) {
  const auto is_empty = [](const MeasurementFile& file) { return file.rows.empty(); };
  refuse_if(std::ranges::all_of(files, is_empty), "{}: no row of {} belongs to part {}", split,
            join(paths, ", "), part);
}

JoinOptions join_options(const JoinedInputOptions& options) {
  JoinOptions join{.threads = options.threads};
  if (options.method != Method::kAnalytic) {
    join.progress = rows_on_terminal();
  }
  return join;
}

}  // namespace

std::function<void(std::size_t, std::size_t)> rows_on_terminal() {
  if (!StatusLine().on_terminal()) {
    return nullptr;
  }
  return [line = StatusLine()](std::size_t done, std::size_t all) mutable {
    line.show(done < all ? fmt::format("{}/{} rows predicted", done, all) : "");
  };
}

JoinedInputOptions joined_input_options(const Arguments& args) {
  return {.gpu = args.text("--gpu"),
          .data = args.texts("--data"),
          .fixed = args.texts("--fixed"),
          .no_calibration = args.given("--no-calibration"),
          .no_correction = args.given("--no-correction"),
          .split = args.text("--split"),
          .part = args.text("--part"),
          .threads = static_cast<unsigned>(args.number_if_any("--threads").value_or(0))};
}

FilePlan files_of(const JoinedInputOptions& options) {
  FilePlan plan;
  plan.reads("--gpu", files_of_gpu(options.gpu));
  plan.reads("--data", options.data);
  plan.reads("--fixed", options.fixed);
  plan.reads("--split", options.split);
  return plan;
}

JoinedInput load_joined_input(const JoinedInputOptions& options) {
  JoinedInput input{.gpu = load_gpu(options.gpu, !options.no_calibration)};
  input.part = options.part;
  if (options.no_correction) {
    input.gpu.spec.learned = input.gpu.spec.attention_learned = nullptr;
  }
  const GpuSpec& gpu = input.gpu.spec;
  if (const std::string why = why_not_schedulable(gpu); !why.empty()) {
    throw ConfigError(why);
  }
  for (const std::string& path : options.data) {
    input.files.push_back(in_times_of_today(read_measurements(path)));
  }
  std::vector<MeasurementFile> files = input.files;
  if (options.keep) {
    for (MeasurementFile& file : files) {
      std::erase_if(file.rows, [&](const MeasurementRow& row) {
        return !options.keep(row.measurement.point);
      });
    }
  }
  JoinOptions join = join_options(options);
  for (const std::string& path : options.fixed) {
    join.fixed.push_back(in_times_of_today(read_measurements(path)));
  }
  if (!options.split.empty()) {
    const DataSplit split = DataSplit::load({options.split});
    const DataPart part = parse_data_part(options.part);
    if (part != DataPart::kFit) {
      std::vector<MeasurementFile> fit = files;
      keep_part(split, DataPart::kFit, fit);
      input.fixed_config = fixed_config_of(fit, {gpu.name, gpu.product}, join.fixed);
    }
    keep_part(split, part, files);
    refuse_empty(files, options.data, options.split, options.part);
  }
  const Predictor predict = [&](const AnyProblem& problem, const AnyConfig& config, Regime regime,
                                Inputs inputs) {
    return predict_config(gpu, problem, config, regime, inputs, options.method);
  };
  input.data = join_points(files, predict, {gpu.name, gpu.product}, join);
  if (input.data.points == 0) {
    throw ConfigError(
        fmt::format("{}: contains no verified row that the model can predict: of {} {} are "
                    "excluded, {} are cuBLASLt's and {} have no prediction{}",
                    tilecast::join(options.data, ", "), counted(input.data.rows, "row"),
                    input.data.excluded, input.data.cublaslt, input.data.unmatched,
                    input.data.unmatched_reasons.empty()
                        ? ""
                        : ", first reason: " + input.data.unmatched_reasons.front()));
  }
  say_unmatched(input.data);
  return input;
}

Validation judge(const JoinedInput& input, ValidationOptions options) {
  const GpuSpec& gpu = input.gpu.spec;
  options.fixed_config = input.fixed_config;
  if (gpu.architecture == Architecture::kHopper) {
    options.chip = load_chip_counters(config_folder(), "GH100");
  }
  Validation validation = validate(gpu, input.gpu.calibrated, input.data, options);
  if (!input.part.empty()) {
    validation.split = input.part;
  }
  return validation;
}

}  // namespace tilecast
