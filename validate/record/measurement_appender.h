// Appends rows to a measurement CSV during a run. Each row is written with one write, so that a
// killed run loses at most the current point.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "validate/record/measurement.h"

namespace tilecast {

enum class IfExists {
  kRefuse,  // never overwrite measured data
  kResume,  // append; drops a truncated last line
};

class MeasurementAppender {
 public:
  /// Opens `path`, or creates it with a header of the fixed columns and `counters`, and locks it.
  /// Throws FileError if that fails. Throws ConfigError if the file exists but must not, is
  /// compressed, is not such a CSV, or has another header.
  MeasurementAppender(std::filesystem::path path, std::vector<std::string> counters, IfExists rule);
  ~MeasurementAppender();
  MeasurementAppender(const MeasurementAppender&) = delete;
  MeasurementAppender& operator=(const MeasurementAppender&) = delete;

  /// Throws FileError if the row could not be written; existing rows stay intact.
  void append(Measurement measurement);

  bool has(const Point& point) const { return rows_of(point) > 0; }
  std::size_t rows_of(const Point& point) const;
  std::size_t size() const { return keys_.size(); }  // distinct points in the file
  /// Rows of the file when it was opened.
  const std::vector<Measurement>& resumed() const { return resumed_; }

 private:
  void open(IfExists rule);

  std::filesystem::path path_;
  std::vector<std::string> counters_;
  int descriptor_ = -1;
  std::map<std::string, std::size_t> keys_;  // number of rows per point key
  std::vector<Measurement> resumed_;
};

}  // namespace tilecast
