// Where the wall time of a run goes, by phase.
#pragma once

#include <chrono>
#include <map>
#include <string>

#include "model/base/units.h"

namespace tilecast {

class PhaseTimes {
 public:
  /// Adds the time from here to its end to a phase.
  class Scope {
   public:
    Scope(PhaseTimes& times, const char* phase) : times_(times), phase_(phase) {}
    ~Scope() {
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin_;
      times_.total_[phase_] += Seconds{took.count()};
    }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    PhaseTimes& times_;
    const char* phase_;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  };

  const std::map<std::string, Seconds>& total() const { return total_; }

 private:
  std::map<std::string, Seconds> total_;
};

}  // namespace tilecast
