// The few fastest of many predictions.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "model/predict/prediction.h"

namespace tilecast {

/// The `keep` fastest predictions; of equally fast ones those with the lowest index.
class Fastest {
 public:
  explicit Fastest(std::size_t keep) : keep_(keep) {}

  /// Whether nothing that takes at least `bound` can still belong to them.
  bool none_after(Seconds bound) const {
    return kept_.size() == keep_ && kept_.front().first.time < bound;
  }

  void add(const Prediction& prediction, std::size_t index) {
    kept_.emplace_back(prediction, index);
    std::push_heap(kept_.begin(), kept_.end(), before);
    if (kept_.size() > keep_) {
      std::pop_heap(kept_.begin(), kept_.end(), before);
      kept_.pop_back();
    }
  }

  std::vector<Prediction> take() {
    std::sort_heap(kept_.begin(), kept_.end(), before);
    std::vector<Prediction> predictions;
    predictions.reserve(kept_.size());
    for (const Entry& entry : kept_) {
      predictions.push_back(entry.first);
    }
    return predictions;
  }

 private:
  using Entry = std::pair<Prediction, std::size_t>;

  static bool before(const Entry& a, const Entry& b) {
    return std::pair(a.first.time, a.second) < std::pair(b.first.time, b.second);
  }

  std::size_t keep_;
  std::vector<Entry> kept_;  // a heap, the slowest in front
};

}  // namespace tilecast
