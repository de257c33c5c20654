#include "validate/plan/progress.h"

#include <fmt/format.h>

#include <ctime>

#include "validate/record/verified_rows.h"
#include "validate/record/writer_lock.h"

namespace tilecast {
namespace {

constexpr std::size_t kShownReason = 100;

std::optional<double> seconds_of(const std::string& date) {
  std::tm time{};
  if (::strptime(date.c_str(), "%Y-%m-%dT%H:%M:%SZ", &time) == nullptr) {
    return std::nullopt;
  }
  return static_cast<double>(::timegm(&time));
}

/// Actual time per row, from dates, relative to the plan's estimate. A long gap between two rows
/// means that the shard was not running.
struct Pace {
  double took = 0, expected = 0;

  void add(const MeasurementFile& file, const std::map<std::string, double>& expected_of) {
    constexpr double kBreak = 60, kSlowest = 20;
    std::optional<double> before;
    for (const MeasurementRow& row : file.rows) {
      const std::optional<double> now = seconds_of(row.measurement.context.date);
      const auto found = expected_of.find(key_of(row.measurement.point));
      if (now && before && found != expected_of.end() &&
          *now - *before < kBreak + kSlowest * found->second) {
        took += *now - *before;
        expected += found->second;
      }
      before = now;
    }
  }
};

}  // namespace

PlanProgress progress_of(const WorkPlan& plan, const std::vector<ShardFile>& shards) {
  PlanProgress progress;
  std::map<std::string, double> expected_of;
  for (std::size_t i = 0; i < plan.points.size(); ++i) {
    expected_of.emplace(key_of(plan.points[i].point()), expected_time(plan, {i, i + 1}).value);
  }
  Pace pace;
  std::vector<MeasurementFile> files;
  for (const ShardFile& file : shards) {
    files.push_back(read_shard(file.path));
    ShardProgress shard{.shard = file.shard,
                        .points = range_of(plan, file.shard).size(),
                        .running = is_locked_for_writing(file.path)};
    const Merge own = merge_rows(plan, {files.back()});  // counts each point once
    shard.done = own.rows.size();
    shard.counts = own.counts;
    for (const MergedRow& place : own.rows) {
      const Measurement& m = files.back().rows[place.row].measurement;
      if (!is_verified(m)) {
        ++progress.reasons[fmt::format("{}: {}", result_text(m), m.reason.substr(0, kShownReason))];
      }
    }
    for (const MeasurementRow& row : files.back().rows) {
      shard.last = row.measurement.context.date;
    }
    pace.add(files.back(), expected_of);
    progress.running += shard.running ? 1 : 0;
    progress.shards.push_back(std::move(shard));
  }
  const Merge merge = merge_rows(plan, files);
  progress.points = plan.points.size();
  progress.done = merge.rows.size();
  progress.counts = merge.counts;
  for (const std::size_t place : merge.missing) {
    progress.expected_left += expected_time(plan, {place, place + 1});
  }
  if (pace.took > 0 && pace.expected > 0) {
    progress.pace = pace.took / pace.expected;
  }
  return progress;
}

}  // namespace tilecast
