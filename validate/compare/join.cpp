#include "validate/compare/join.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <set>
#include <tuple>

#include "model/base/error.h"
#include "model/base/parallel.h"
#include "model/base/text.h"
#include "model/tile/group_text.h"
#include "validate/record/verified_rows.h"

namespace tilecast {
namespace {

using GroupKey = std::tuple<Op, i64, i64, i64, i64, bool, bool, std::string, ElementType,
                            ElementType, Layout, Bias, Activation, Regime, Inputs, L2State>;

GroupKey group_key(const Point& point) {
  const GemmProblem& problem = point.problem;
  return {point.op,
          problem.shape.m,
          problem.shape.n,
          problem.shape.k,
          problem.batch.products,
          problem.batch.one_a,
          problem.batch.one_b,
          problem.groups == nullptr ? "" : to_text(*problem.groups),
          problem.dtype,
          c_type(problem),
          problem.layout,
          problem.epilogue.bias,
          problem.epilogue.activation,
          point.regime,
          point.inputs,
          point.l2_state};
}

struct Row {
  std::string where;  // file:line
  const Measurement* measurement;
};

/// The last row of each point, in the order of their keys.
std::map<std::string, Row> last_rows(const std::vector<MeasurementFile>& files,
                                     const std::vector<std::string>& gpu_names, JoinedData& data) {
  std::map<std::string, Row> last;
  for (const MeasurementFile& file : files) {
    for (const MeasurementRow& row : file.rows) {
      const std::string where = fmt::format("{}:{}", file.name, row.line);
      const std::string& gpu = row.measurement.context.gpu;
      if (std::find(gpu_names.begin(), gpu_names.end(), gpu) == gpu_names.end()) {
        throw ConfigError(fmt::format("{}: gpu: expected a row measured on {}, got '{}'", where,
                                      join(gpu_names, " or "), gpu));
      }
      ++data.rows;
      const auto [at, is_new] =
          last.insert_or_assign(key_of(row.measurement.point), Row{where, &row.measurement});
      data.repeated += is_new ? 0 : 1;
    }
  }
  return last;
}

Prediction predict_row(const Measurement& measured, const Predictor& predict) {
  const Point& point = measured.point;
  const AnyConfig config = parse_config(point.config);
  if (to_text(config) != point.config) {
    throw ConfigError(fmt::format("config: expected the canonical text '{}'", to_text(config)));
  }
  return predict(problem_of(point), config, point.regime, point.inputs);
}

/// What the model says of a row, or why it says nothing.
struct Answer {
  std::optional<Prediction> prediction;
  std::string why_not;
};

bool is_compared(const Measurement& measured) {
  return is_verified(measured) && !is_baseline(measured.point.config);
}

/// Of the rows that are compared, in their order.
std::vector<Answer> predict_rows(const std::map<std::string, Row>& rows, const Predictor& predict,
                                 const JoinOptions& options) {
  std::vector<const Measurement*> asked;
  for (const auto& [key, row] : rows) {
    if (is_compared(*row.measurement)) {
      asked.push_back(row.measurement);
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

void add_compared(const Row& row, const Answer& answer, JoinedGroup& group, JoinedData& data) {
  if (answer.prediction) {
    group.points.push_back({*row.measurement, *answer.prediction});
    ++data.points;
  } else {
    ++data.unmatched;
    data.unmatched_reasons.push_back(row.where + ": " + answer.why_not);
  }
}

void add_baseline(const Measurement& measured, JoinedGroup& group, JoinedData& data) {
  ++data.cublaslt;
  (measured.point.config == kRuntimeCopy    ? group.runtime_copy
   : measured.point.config == kCublasltTop1 ? group.cublaslt_top1
                                            : group.cublaslt_best) = measured;
}

}  // namespace

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
  JoinedData data;
  std::map<GroupKey, JoinedGroup> groups;
  const std::map<std::string, Row> rows = last_rows(files, gpu_names, data);
  const std::vector<Answer> answers = predict_rows(rows, predict, options);
  auto answer = answers.begin();
  for (const auto& [key, row] : rows) {
    const Point& point = row.measurement->point;
    JoinedGroup& group = groups[group_key(point)];
    group.problem = problem_of(point);
    group.regime = point.regime;
    group.inputs = point.inputs;
    group.l2_state = point.l2_state;
    if (is_compared(*row.measurement)) {
      add_compared(row, *answer++, group, data);
    } else if (is_verified(*row.measurement)) {
      add_baseline(*row.measurement, group, data);
    } else {
      ++data.excluded;
    }
  }
  if (data.rows == 0) {
    std::vector<std::string> names;
    for (const MeasurementFile& file : files) {
      names.push_back(file.name);
    }
    throw ConfigError(join(names, ", ") + ": expected measured rows, found none");
  }
  for (const VerifiedRow& row : verified_rows(options.fixed)) {
    const auto group = groups.find(group_key(row.measurement().point));
    if (group != groups.end() && !is_baseline(row.measurement().point.config)) {
      group->second.fixed.push_back(row.measurement());
    }
  }
  for (auto& [key, group] : groups) {
    data.groups.push_back(std::move(group));
  }
  return data;
}

}  // namespace tilecast
