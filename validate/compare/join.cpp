#include "validate/compare/join.h"

#include <algorithm>
#include <map>
#include <mutex>

#include "model/base/error.h"
#include "model/base/parallel.h"
#include "model/base/refuse.h"
#include "model/base/text.h"
#include "validate/record/point_group.h"
#include "validate/record/verified_rows.h"

namespace tilecast {
namespace {

Prediction predict_row(const Measurement& measured, const Predictor& predict) {
  const Point& point = measured.point;
  const AnyConfig config = parse_config(point.config);
  const std::string canonical = to_text(config);
  refuse_if(canonical != point.config, "config: expected the canonical form '{}'", canonical);
  return predict(point.problem, config, point.regime, point.inputs);
}

/// The prediction for a row, or why there is none.
struct Answer {
  std::optional<Prediction> prediction;
  std::string why_not;
};

bool is_compared(const Measurement& measured) { return !is_baseline(measured.point.config); }

/// Counts rows. `points`: number of points with a verified row.
void count_rows(const std::vector<MeasurementFile>& files, std::size_t points, JoinedData& data) {
  std::vector<std::string> names;
  for (const MeasurementFile& file : files) {
    names.push_back(file.name);
    data.rows += file.rows.size();
    data.excluded += static_cast<std::size_t>(std::ranges::count_if(
        file.rows, [](const MeasurementRow& row) { return !is_verified(row.measurement); }));
  }
  refuse_if(data.rows == 0, "{}: no measured rows", join(names, ", "));
  data.repeated = data.rows - data.excluded - points;
}

/// Returns one prediction per row, in the order of the rows.
std::vector<Answer> predict_rows(const std::vector<VerifiedRow>& rows, const Predictor& predict,
                                 const JoinOptions& options) {
  std::vector<const Measurement*> asked;
  for (const VerifiedRow& row : rows) {
    if (is_compared(row.measurement())) {
      asked.push_back(&row.measurement());
    }
  }
  std::vector<Answer> answers(asked.size());
  std::mutex telling;
  std::size_t done = 0;
  parallel_for(asked.size(), options.threads, [&](std::size_t i) {
    try {
      answers[i].prediction = predict_row(*asked[i], predict);
    } catch (const ConfigError& error) {
      answers[i].why_not = error.what();
    }
    if (options.progress) {
      const std::lock_guard lock(telling);
      options.progress(++done, asked.size());
    }
  });
  return answers;
}

void add_compared(const VerifiedRow& row, const Answer& answer, JoinedGroup& group,
                  JoinedData& data) {
  if (answer.prediction) {
    group.points.push_back({row.measurement(), *answer.prediction});
    ++data.points;
  } else {
    ++data.unmatched;
    data.unmatched_reasons.push_back(row.where() + ": " + answer.why_not);
  }
}

}  // namespace

const Measurement* JoinedGroup::baseline(std::string_view config) const {
  const auto found = baselines.find(config);
  return found == baselines.end() ? nullptr : &found->second;
}

Seconds JoinedGroup::best_measured_time() const {
  TILECAST_ASSERT(!points.empty());
  Seconds best = points.front().measured_time();
  for (const JoinedPoint& point : points) {
    best = std::min(best, point.measured_time());
  }
  return best;
}

JoinedData join_points(const std::vector<MeasurementFile>& files, const Predictor& predict,
                       const std::vector<std::string>& gpu_names, const JoinOptions& options) {
  const std::vector<VerifiedRow> rows = verified_rows(files, gpu_names, OtherGpus::kRefused);
  JoinedData data;
  count_rows(files, rows.size(), data);
  const std::vector<Answer> answers = predict_rows(rows, predict, options);
  auto answer = answers.begin();
  std::map<GroupKey, JoinedGroup> groups;
  for (const VerifiedRow& row : rows) {
    const Point& point = row.measurement().point;
    JoinedGroup& group = groups[group_key(point)];
    group.problem = point.problem;
    group.regime = point.regime;
    group.inputs = point.inputs;
    group.l2_state = point.l2_state;
    if (is_compared(row.measurement())) {
      add_compared(row, *answer++, group, data);
    } else {
      ++data.cublaslt;
      group.baselines.insert_or_assign(point.config, row.measurement());
    }
  }
  for (const VerifiedRow& row : verified_rows(options.fixed)) {
    const auto group = groups.find(group_key(row.measurement().point));
    if (group != groups.end() && is_compared(row.measurement())) {
      group->second.fixed.push_back(row.measurement());
    }
  }
  for (auto& [key, group] : groups) {
    std::ranges::sort(group.points, {}, [](const JoinedPoint& point) -> const std::string& {
      return point.measured.point.config;
    });
    data.groups.push_back(std::move(group));
  }
  return data;
}

}  // namespace tilecast
