// The raw samples of a measurement CSV, in one compressed file next to it: FILE.samples.csv.gz for
// FILE.csv. Every row with samples has its own gzip member, and column samples_at gives the
// member's byte offset, so one row's samples can be read without the others. Decompressed as a
// whole the file is one CSV with a line per block:
//   samples_at,point,block,drifted,sm_clock_mhz,durations_ns
// where durations are the kernel times of the block's launches in order, separated by blanks.
//
// A run writes the samples before their row, so a killed run leaves samples that no row refers to,
// possibly truncated; resuming removes them. Checked by: raw_samples_test.cpp.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "validate/record/measurement.h"

namespace tilecast {

/// Path of the raw samples of `csv`.
std::filesystem::path raw_samples_path(const std::filesystem::path& csv);

class RawSampleFile {
 public:
  /// Opens or creates the file. `last` is the greatest samples_at of any row; everything after that
  /// member is removed, or everything if there is none. Throws FileError, or ConfigError if the
  /// file lacks that member.
  RawSampleFile(std::filesystem::path path, std::optional<i64> last);
  ~RawSampleFile();
  RawSampleFile(const RawSampleFile&) = delete;
  RawSampleFile& operator=(const RawSampleFile&) = delete;

  /// Returns samples_at. Throws FileError; existing members stay intact.
  i64 append(const Point& point, const std::vector<SampleBlock>& blocks);

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
};

/// Reads one row's samples. Throws FileError if the file cannot be read and ConfigError if it does
/// not contain them.
std::vector<SampleBlock> read_raw_samples(const std::filesystem::path& path, i64 samples_at);

/// Parses one row's samples from content that is already in memory.
std::vector<SampleBlock> parse_raw_samples(std::string_view packed, const std::string& name,
                                           i64 samples_at);

/// Returns the gzip member at offset `samples_at` of a file.
std::string raw_samples_member(i64 samples_at, const Point& point,
                               const std::vector<SampleBlock>& blocks);

}  // namespace tilecast
