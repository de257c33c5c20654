// Progress on standard error (a rewritten line on a terminal, otherwise plain lines), and the
// description of a measured point.
#pragma once

#include <optional>
#include <string>

#include "model/base/units.h"
#include "validate/record/measurement.h"
#include "validate/run/status_line.h"

namespace tilecast {

class MeasureProgress {
 public:
  explicit MeasureProgress(std::string what, bool quiet = false);

  /// On a terminal every call is shown; otherwise only calls with a text and every hundredth call.
  void show(std::size_t done, std::size_t all, const std::string& text,
            std::optional<Seconds> left = std::nullopt);
  /// Ends the rewritten line.
  void finish() { line_.keep(); }

 private:
  std::string what_;
  bool quiet_;
  StatusLine line_;
};

/// "0:05", "12:30" or "2:03:20"; 0:00 for negative times.
std::string clock_text(Seconds time);

/// "4096x4096x4096 fp16 tn burst normal warp_specialized:..."
std::string describe(const Point& point);

/// "ok 184.21 us 1549 MHz 746.1 TFLOPS", or "wrong: reason".
std::string describe_result(const Measurement& row);

}  // namespace tilecast
