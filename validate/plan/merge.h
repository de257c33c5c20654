// Merges the rows of a plan's shards into one table, in the plan's order, with each point once.
//
// If a point was measured repeatedly, for instance because a shard ran twice, the row with the
// newest kernel revision is kept; among equal ones that with the best status (ok, unverified,
// wrong, failed, skipped), then that with the earliest date. The result does not depend on the
// order of files, and merging is idempotent. A truncated last line, left by a killed run, is
// dropped. Checked by: merge_test.cpp, tests/scripts/fleet.sh.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "validate/plan/work_plan.h"
#include "validate/record/measurement_csv.h"

namespace tilecast {

/// Relative difference in cycles above which two rows of a point contradict each other: several
/// times the repeatability and the spread between GPUs.
constexpr double kMostApart = 0.1;

struct MergedRow {
  std::size_t file, row;  // indices in the input
};

struct Merge {
  std::vector<MergedRow> rows;                // rows in the plan's order
  std::size_t duplicates = 0;                 // number of rows whose point has another row
  std::vector<std::size_t> missing;           // indices in the plan, from 0
  std::vector<std::string> contradictions;    // one line each
  std::map<std::string, std::size_t> counts;  // number of kept rows, by status
};

/// Returns the row's status; "unverified" if it is ok but the result was not verified.
std::string result_text(const Measurement& m);

/// Drops rows that are not in the plan or that were measured on another GPU, and reports them as
/// contradictions.
Merge merge_rows(const WorkPlan& plan, const std::vector<MeasurementFile>& files);

/// Reads a shard's file, whose run may have been killed at any time: a file that ends inside its
/// header has no rows. Throws like read_measurements.
MeasurementFile read_shard(const std::filesystem::path& path);

/// Returns the table of the merged rows.
std::string merged_csv(const Merge& merge, const std::vector<MeasurementFile>& files);

}  // namespace tilecast
