// Adds rows to a measurement CSV one by one while a run goes on. Each row reaches the file whole,
// by one write, so that a killed run loses at most the point in hand. Raw samples go to a file
// beside it (raw_samples.h), before their row.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "validate/record/measurement.h"
#include "validate/record/raw_samples.h"

namespace tilecast {

enum class IfExists {
  kRefuse,  // measured data is never overwritten
  kResume,  // keep its rows, drop a truncated last line and samples without a row, go on behind
            // them
};

class MeasurementAppender {
 public:
  /// Opens `path` or creates it with a header of the fixed columns and `counters`, and holds a lock
  /// on it. Throws FileError where that cannot be done and ConfigError where the file exists and
  /// must not, is compressed, is not such a CSV or has another header.
  MeasurementAppender(std::filesystem::path path, std::vector<std::string> counters, IfExists rule);
  ~MeasurementAppender();
  MeasurementAppender(const MeasurementAppender&) = delete;
  MeasurementAppender& operator=(const MeasurementAppender&) = delete;

  /// Throws FileError where the row could not be written; what was there before stays whole.
  void append(Measurement measurement);

  bool has(const Point& point) const { return rows_of(point) > 0; }
  std::size_t rows_of(const Point& point) const;
  std::size_t size() const { return keys_.size(); }  // distinct points in the file
  /// What the file held when it was opened.
  const std::vector<Measurement>& resumed() const { return resumed_; }

 private:
  void open(IfExists rule);
  void refuse_stray_samples() const;

  std::filesystem::path path_;
  std::vector<std::string> counters_;
  int descriptor_ = -1;
  std::map<std::string, std::size_t> keys_;  // rows of each point
  std::vector<Measurement> resumed_;
  std::optional<i64> last_samples_;
  std::optional<RawSampleFile> samples_;
};

}  // namespace tilecast
