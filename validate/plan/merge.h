// The rows of a plan's shards as one table: in the plan's order, each point once.
//
// Of a point that was measured more than once, as by a shard that ran twice, the row that stays is
// that of the newest revision of the kernel, then the best by status (ok, unverified, wrong,
// failed, skipped), then the earliest, so that the answer depends on the rows alone and not on the
// order of the files, and merging again changes nothing. A torn last line, as a killed run leaves
// it, is left out. Checked by: merge_test.cpp, tests/scripts/fleet.sh.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "validate/plan/work_plan.h"
#include "validate/record/measurement_csv.h"

namespace tilecast {

/// Rows of one point that are further apart in cycles contradict each other: several times what
/// repeats and cards differ by.
constexpr double kMostApart = 0.1;

struct MergedRow {
  std::size_t file, row;  // in what was given
};

struct Merge {
  std::vector<MergedRow> rows;                // in the plan's order
  std::size_t duplicates = 0;                 // rows of a point that has another one
  std::vector<std::size_t> missing;           // places in the plan, from 0
  std::vector<std::string> contradictions;    // one line each
  std::map<std::string, std::size_t> counts;  // of the rows that stay, by status
};

/// The row's status; "unverified" where that is ok and the result was not found right.
std::string result_text(const Measurement& m);

/// Rows that are not of the plan, or not of its GPU, contradict it and do not stay.
Merge merge_rows(const WorkPlan& plan, const std::vector<MeasurementFile>& files);

/// A shard's file, whatever moment its run was killed at: a file that ends before its header does
/// has no rows. Throws as read_measurements does.
MeasurementFile read_shard(const std::filesystem::path& path);

struct MergedFiles {
  std::string csv, raw_samples;     // content of the table and of the file of raw samples
  std::size_t without_samples = 0;  // rows whose file of raw samples is not there
};

/// Throws as read_raw_samples does.
MergedFiles merged_files(const Merge& merge, const std::vector<MeasurementFile>& files);

}  // namespace tilecast
