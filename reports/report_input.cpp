#include "reports/report_input.h"

#include <algorithm>

namespace tilecast {
namespace {

std::vector<std::string> names_of(const std::vector<MeasurementFile>& files) {
  std::vector<std::string> names;
  for (const MeasurementFile& file : files) {
    names.push_back(file.name);
  }
  return names;
}

void add_missing(CounterValues& values, const CounterSum& sum, const CounterFile& file,
                 const GemmProblem& problem, const std::string& config) {
  for (const CounterSum::Term& term : sum.terms) {
    if (const std::optional<double> value = file.value(problem, config, term.metric);
        value && !values.contains(term.metric)) {
      values[term.metric] = *value;
    }
  }
}

}  // namespace

std::vector<std::string> ReportInput::data_files() const { return names_of(data); }
std::vector<std::string> ReportInput::more_files() const { return names_of(more); }

const JoinedData& judging_rows(const ReportInput& input) {
  return input.held_out ? input.held_out->data : input.judged;
}

bool is_held_out(const ReportInput& input, const JoinedGroup& group) {
  return input.held_out &&
         std::ranges::any_of(input.held_out->data.groups, [&](const JoinedGroup& own) {
           return own.problem == group.problem && own.regime == group.regime;
         });
}

CounterValues counters_of(const ReportInput& input, const Measurement& measurement) {
  CounterValues values = measurement.counters;
  if (!input.chip || measurement.point.op != Op::kGemm) {
    return values;
  }
  for (const CounterInput& file : input.counters) {
    for (const CounterSum* sum :
         {&input.chip->l2_to_sm_sum, &input.chip->dram_read_sum, &input.chip->dram_write_sum}) {
      add_missing(values, *sum, file.counters, measurement.point.problem, measurement.point.config);
    }
  }
  return values;
}

const JoinedGroup* find_group(const ReportInput& input, const AnyProblem& problem, Regime regime) {
  const std::string wanted = to_text(problem);
  for (const JoinedGroup& group : input.pool.groups) {
    if (group.regime == regime && group.inputs == Inputs::kNormal &&
        group.l2_state == L2State::kRotating && to_text(group.problem) == wanted) {
      return &group;
    }
  }
  return nullptr;
}

const JoinedPoint* find_point(const ReportInput& input, const AnyProblem& problem,
                              const std::string& config, Regime regime) {
  const JoinedGroup* group = find_group(input, problem, regime);
  if (group == nullptr) {
    return nullptr;
  }
  const auto found =
      std::find_if(group->points.begin(), group->points.end(),
                   [&](const JoinedPoint& point) { return point.measured.point.config == config; });
  return found == group->points.end() ? nullptr : &*found;
}

}  // namespace tilecast
