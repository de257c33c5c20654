// The raw samples of a measurement CSV, in one compressed file beside it: FILE.samples.csv.gz for
// FILE.csv. Every row with samples has a gzip member of its own, and the row's column samples_at
// says at which byte it starts, so one row's samples are read without the rest. As a whole the file
// is one CSV for gzip, a line for each block:
//   samples_at,point,block,drifted,sm_clock_mhz,durations_ns
// where durations are the kernel times of the block's launches in order, with blanks between.
//
// A run writes the samples first and their row after, so a killed run leaves samples that no row
// names, or half of them; resuming cuts those off. Checked by: raw_samples_test.cpp.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "validate/record/measurement.h"

namespace tilecast {

/// Where the raw samples of `csv` lie.
std::filesystem::path raw_samples_path(const std::filesystem::path& csv);

class RawSampleFile {
 public:
  /// Opens the file or creates it. `last` is the greatest samples_at of any row; what lies behind
  /// that member is cut off, or everything without one. Throws FileError, and ConfigError where the
  /// file does not hold that member.
  RawSampleFile(std::filesystem::path path, std::optional<i64> last);
  ~RawSampleFile();
  RawSampleFile(const RawSampleFile&) = delete;
  RawSampleFile& operator=(const RawSampleFile&) = delete;

  /// Returns samples_at. Throws FileError; what was there before stays whole.
  i64 append(const Point& point, const std::vector<SampleBlock>& blocks);

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
};

/// One row's samples. Throws FileError where the file cannot be read and ConfigError where it does
/// not hold them.
std::vector<SampleBlock> read_raw_samples(const std::filesystem::path& path, i64 samples_at);

/// The same from the file's content already read.
std::vector<SampleBlock> parse_raw_samples(std::string_view packed, const std::string& name,
                                           i64 samples_at);

/// The gzip member that stands at byte `samples_at` of a file.
std::string raw_samples_member(i64 samples_at, const Point& point,
                               const std::vector<SampleBlock>& blocks);

}  // namespace tilecast
