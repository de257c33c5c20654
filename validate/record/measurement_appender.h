// Adds rows to a measurement CSV one by one while a run goes on. Each row reaches the file whole,
// by one write, so that a killed run loses at most the point in hand.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "validate/record/measurement.h"

namespace tilecast {

enum class IfExists {
  kRefuse,  // measured data is never overwritten
  kResume,  // keep its rows, drop a torn last line, go on behind them
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
  void append(const Measurement& measurement);

  bool has(const Point& point) const;
  std::size_t size() const { return keys_.size(); }  // distinct points in the file

 private:
  void open(IfExists rule);
  void write_whole(const std::string& text);

  std::filesystem::path path_;
  std::vector<std::string> counters_;
  int descriptor_ = -1;
  std::set<std::string> keys_;
};

}  // namespace tilecast
