// Keeps the few fastest of many kernels.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "model/base/units.h"

namespace tilecast {

/// The `keep` fastest kernels; ties go to the lower index.
template <class Kernel>
class Fastest {
 public:
  explicit Fastest(std::size_t keep) : keep_(keep) {}

  /// Whether a kernel that takes at least `bound` can no longer be among the fastest.
  bool none_after(Seconds bound) const {
    return kept_.size() == keep_ && kept_.front().time < bound;
  }

  /// Lowest time added so far.
  Seconds least() const { return least_; }

  void add(Seconds time, std::size_t index, const Kernel& kernel) {
    least_ = std::min(least_, time);
    kept_.push_back({time, index, kernel});
    std::ranges::push_heap(kept_, before);
    if (kept_.size() > keep_) {
      std::ranges::pop_heap(kept_, before);
      kept_.pop_back();
    }
  }

  std::vector<Kernel> take() {
    std::ranges::sort_heap(kept_, before);
    std::vector<Kernel> kernels;
    kernels.reserve(kept_.size());
    for (const Entry& entry : kept_) {
      kernels.push_back(entry.kernel);
    }
    return kernels;
  }

 private:
  struct Entry {
    Seconds time;
    std::size_t index;
    Kernel kernel;
  };

  static bool before(const Entry& a, const Entry& b) {
    return std::pair(a.time, a.index) < std::pair(b.time, b.index);
  }

  std::size_t keep_;
  Seconds least_{std::numeric_limits<double>::infinity()};
  std::vector<Entry> kept_;  // heap, slowest in front
};

constexpr double kWithin1Percent = 1.01;

/// `times` must not be empty.
inline int count_within_1_percent(const std::vector<Seconds>& times) {
  const Seconds near = *std::ranges::min_element(times) * kWithin1Percent;
  return static_cast<int>(
      std::ranges::count_if(times, [near](Seconds time) { return time <= near; }));
}

}  // namespace tilecast
