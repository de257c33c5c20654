// A plan: a numbered list of points to measure, each with its expected time. It is one text file
// that many processes read; a shard's points follow from the file and I/N alone, so processes need
// no coordination.
//
//   # tilecast plan 1, gpu h200_sxm, counters none, content 0123456789abcdef
//   number,expected_us,op,m,n,k,dtype,layout,config,regime,inputs,l2_state,drawn
//   1,155000,gemm,4096,...
//
// `content` is a hash of everything else: a plan that was edited or truncated is rejected, because
// its shards would not match those already measured.
//
// Shards are contiguous, because the points of a problem share its preparation. They have equal
// expected time: a point belongs to the shard that contains the midpoint of its time. Shards of 2N
// halve those of N, so a shard can be subdivided. Checked by: work_plan_test.cpp.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/integers.h"
#include "model/base/units.h"
#include "validate/record/point_list.h"

namespace tilecast {

/// One of several parts of a plan with equal expected times.
struct Shard {
  i64 index = 1, count = 1;  // 1 <= index <= count

  bool operator==(const Shard&) const = default;
};

constexpr i64 kMostShards = 100'000;

/// Parses "3/16"; the index starts at 1. Throws ConfigError.
Shard parse_shard(std::string_view text);
std::string to_text(const Shard& shard);

struct PlannedPoint {
  ListedPoint listed;
  i64 expected_us;  // duration, at least 1

  const Point& point() const { return listed.point; }
};

struct WorkPlan {
  std::string gpu;       // name in configs/gpus
  std::string counters;  // none, core or full
  std::vector<PlannedPoint> points;
};

/// Equal plans give equal results.
std::string plan_text(const WorkPlan& plan);

/// Hash as 16 hexadecimal digits.
std::string content_hash(const WorkPlan& plan);

/// Throws FileError, or ConfigError `file:line: expectation`.
WorkPlan read_plan(const std::filesystem::path& path);
WorkPlan parse_plan(std::string_view text, std::string_view name);

/// A range of the list: points[first] to points[end - 1].
struct PlanRange {
  std::size_t first, end;

  std::size_t size() const { return end - first; }
};

PlanRange range_of(const WorkPlan& plan, const Shard& shard);

Seconds expected_time(const WorkPlan& plan, const PlanRange& range);

/// Default file of a shard's rows: PLAN.3-of-16.csv next to PLAN.csv.
std::filesystem::path shard_file(const std::filesystem::path& plan, const Shard& shard);

/// Returns the shard of the plan whose default file has this name.
std::optional<Shard> shard_named(const std::filesystem::path& plan,
                                 const std::filesystem::path& file);

struct ShardFile {
  Shard shard;
  std::filesystem::path path;
};

/// Returns the existing shard files, by count and index. Throws ConfigError for a file that is not
/// regular, or that belongs to neither this user, root nor the plan's owner.
std::vector<ShardFile> shard_files_of(const std::filesystem::path& plan);

}  // namespace tilecast
