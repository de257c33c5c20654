#include "cli/report_input.h"

#include <set>

#include "model/gemm/config/kernel_config_text.h"
#include "validate/compare/data_split.h"
#include "validate/record/stored_text.h"

namespace tilecast {
namespace {

JudgedRows judged_rows(JoinedInput input) {
  Validation validation = judge(input, {.worst = kWorstInJson});
  return {std::move(input.data), std::move(validation)};
}

class RowCount {
 public:
  void add(const std::vector<MeasurementFile>& files) {
    for (const MeasurementFile& file : files) {
      rows_ += file.rows.size();
      for (const MeasurementRow& row : file.rows) {
        cards_.insert(row.measurement.context.gpu_uuid);
      }
    }
  }
  std::size_t rows() const { return rows_; }
  std::size_t cards() const { return cards_.size(); }

 private:
  std::size_t rows_ = 0;
  std::set<std::string> cards_;
};

}  // namespace

ReportInput load_report_input(const Manifest& manifest, JoinedInputOptions options) {
  RowCount count;
  options.gpu = manifest.gpu;
  options.data = manifest.data;
  options.fixed = manifest.fixed;
  options.split = manifest.split;
  options.part = manifest.split.empty() ? "" : to_text(DataPart::kJudge);
  JoinedInput judged = load_joined_input(options);
  count.add(judged.files);
  ReportInput input{.gpu = judged.gpu.spec,
                    .held_out = !manifest.split.empty(),
                    .judged = judged_rows(std::move(judged))};
  options.fixed = {};
  options.split = options.part = "";
  if (!manifest.whole_space.empty()) {
    options.data = manifest.whole_space;
    JoinedInput whole_space = load_joined_input(options);
    count.add(whole_space.files);
    input.whole_space = judged_rows(std::move(whole_space));
  }
  if (manifest.waves) {
    options.data = manifest.waves->data;
    options.fixed = manifest.waves->data;  // the fastest of all kernels stands next to this one
    options.keep = [config = to_text(manifest.waves->config)](const Point& point) {
      return point.config == config || is_baseline(point.config);
    };
    JoinedInput waves = load_joined_input(options);
    count.add(waves.files);
    input.waves = WaveInput{manifest.waves->config, std::move(waves.data)};
  }
  for (const TimelineFile& file : manifest.timelines) {
    input.timelines.push_back(
        {file.problem, file.config, parse_tile_timeline(read_stored_text(file.file), file.file)});
  }
  input.rows = count.rows();
  input.cards = count.cards();
  return input;
}

}  // namespace tilecast
