#include "cli/report_input.h"

#include <set>

#include "model/base/file.h"
#include "model/gemm/config/kernel_config_text.h"
#include "validate/compare/data_split.h"
#include "validate/record/stored_text.h"

namespace tilecast {
namespace {

JudgedRows judged_rows(JoinedInput input) {
  Validation validation = judge(input, {.worst = kWorstInJson});
  return {std::move(input.data), std::move(validation)};
}

}  // namespace

ReportInput load_report_input(const Manifest& manifest, JoinedInputOptions options) {
  std::size_t rows = 0;
  std::set<std::string> cards, drivers, toolkits, dates;
  const auto count = [&](const JoinedInput& joined) {
    for (const MeasurementFile& file : joined.files) {
      rows += file.rows.size();
      for (const MeasurementRow& row : file.rows) {
        const RunContext& context = row.measurement.context;
        cards.insert(context.gpu_uuid);
        drivers.insert(context.driver);
        toolkits.insert(context.toolkit);
        dates.insert(context.date.substr(0, context.date.find('T')));
      }
    }
  };
  options.gpu = manifest.gpu;
  options.data = manifest.data;
  options.fixed = manifest.fixed;
  options.split = manifest.split;
  options.part = manifest.split.empty() ? "" : to_text(DataPart::kJudge);
  JoinedInput judged = load_joined_input(options);
  count(judged);
  ReportInput input{.gpu = judged.gpu.spec,
                    .held_out = !manifest.split.empty(),
                    .judged = judged_rows(std::move(judged))};
  options.fixed = {};
  options.split = options.part = "";
  if (!manifest.whole_space.empty()) {
    options.data = manifest.whole_space;
    JoinedInput whole_space = load_joined_input(options);
    count(whole_space);
    input.whole_space = judged_rows(std::move(whole_space));
  }
  if (manifest.waves) {
    options.data = manifest.waves->data;
    // Also plots the fastest of all kernels.
    options.fixed = manifest.waves->data;
    options.keep = [config = to_text(manifest.waves->config)](const Point& point) {
      return point.config == config || is_baseline(point.config);
    };
    JoinedInput waves = load_joined_input(options);
    count(waves);
    input.waves = WaveInput{manifest.waves->config, std::move(waves.data)};
  }
  for (const TimelineFile& file : manifest.timelines) {
    input.timelines.push_back(
        {file.problem, file.config, parse_tile_timeline(read_stored_text(file.file), file.file)});
  }
  if (!manifest.layers.empty()) {
    input.layers = LayersInput{manifest.layers, read_file(manifest.layers)};
  }
  input.rows = rows;
  input.cards = cards.size();
  input.drivers = std::move(drivers);
  input.toolkits = std::move(toolkits);
  input.dates = std::move(dates);
  return input;
}

}  // namespace tilecast
