#include "validate/plan/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "model/base/error.h"
#include "validate/record/stored_text.h"
#include "validate/record/verified_rows.h"

namespace tilecast {
namespace {

const Measurement& measurement(const std::vector<MeasurementFile>& files, const MergedRow& place) {
  return files[place.file].rows[place.row].measurement;
}

std::string place_of(const std::vector<MeasurementFile>& files, const MergedRow& place) {
  const MeasurementFile& file = files[place.file];
  return fmt::format("{}:{}", file.name, file.rows[place.row].line);
}

/// Returns which of two rows of a point is kept. Ties are broken by the line itself, so the order
/// of files does not matter.
bool stays_before(const Measurement& a, const Measurement& b) {
  const auto rank = [](const Measurement& m) {
    const bool unverified = m.status == Status::kOk && !is_verified(m);
    return std::tuple(-m.revision, m.status, unverified, m.context.date);
  };
  return rank(a) != rank(b) ? rank(a) < rank(b) : measurement_line(a, {}) < measurement_line(b, {});
}

/// Returns why two rows of one point contradict each other; empty if they do not.
std::string why_contradictory(const Measurement& a, const Measurement& b) {
  if (a.revision != b.revision) {
    return "";
  }
  if (a.status == Status::kWrong || b.status == Status::kWrong) {
    return a.status == b.status ? "" : "one result is wrong, one is not";
  }
  if (a.tile_checksum != b.tile_checksum && !a.tile_checksum.empty() && !b.tile_checksum.empty()) {
    return "their kernels processed different tiles";
  }
  if (a.cycles && b.cycles && std::abs(std::log(*a.cycles / *b.cycles)) > std::log1p(kMostApart)) {
    return fmt::format("{:.0f} and {:.0f} cycles", a.cycles->value, b.cycles->value);
  }
  return "";
}

}  // namespace

std::string result_text(const Measurement& m) {
  return m.status == Status::kOk && !is_verified(m) ? "unverified" : std::string(to_text(m.status));
}

Merge merge_rows(const WorkPlan& plan, const std::vector<MeasurementFile>& files) {
  std::map<std::string, std::size_t> place_in_plan;
  for (std::size_t i = 0; i < plan.points.size(); ++i) {
    place_in_plan.emplace(key_of(plan.points[i].point()), i);
  }
  Merge merge;
  std::vector<std::vector<MergedRow>> rows_of(plan.points.size());
  for (std::size_t file = 0; file < files.size(); ++file) {
    for (std::size_t row = 0; row < files[file].rows.size(); ++row) {
      const Measurement& m = measurement(files, {file, row});
      const auto found = place_in_plan.find(key_of(m.point));
      if (found == place_in_plan.end()) {
        merge.contradictions.push_back(place_of(files, {file, row}) + ": not a point of the plan");
      } else if (m.context.gpu != plan.gpu) {
        merge.contradictions.push_back(fmt::format("{}: measured on {}, the plan is for {}",
                                                   place_of(files, {file, row}), m.context.gpu,
                                                   plan.gpu));
      } else {
        rows_of[found->second].push_back({file, row});
      }
    }
  }
  for (std::size_t i = 0; i < plan.points.size(); ++i) {
    std::vector<MergedRow>& rows = rows_of[i];
    if (rows.empty()) {
      merge.missing.push_back(i);
      continue;
    }
    std::ranges::sort(rows, stays_before,
                      [&](const MergedRow& place) { return measurement(files, place); });
    merge.duplicates += rows.size() - 1;
    const Measurement& first = measurement(files, rows.front());
    for (std::size_t other = 1; other < rows.size(); ++other) {
      if (const std::string why = why_contradictory(first, measurement(files, rows[other]));
          !why.empty()) {
        merge.contradictions.push_back(fmt::format("{} and {}: {}", place_of(files, rows.front()),
                                                   place_of(files, rows[other]), why));
      }
    }
    merge.rows.push_back(rows.front());
    ++merge.counts[result_text(first)];
  }
  return merge;
}

MeasurementFile read_shard(const std::filesystem::path& path) {
  const std::string text = read_stored_text(path);
  if (text.find('\n') == std::string::npos) {
    MeasurementFile none;
    none.name = path.string();
    return none;
  }
  return parse_measurements(text, path.string(), TruncatedLine::kDrop);
}

std::string merged_csv(const Merge& merge, const std::vector<MeasurementFile>& files) {
  std::vector<Measurement> rows;
  for (const MergedRow& place : merge.rows) {
    rows.push_back(measurement(files, place));
  }
  return measurement_csv(rows);
}

}  // namespace tilecast
