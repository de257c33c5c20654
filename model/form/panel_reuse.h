// Estimates the DRAM reads of one operand from the reuse of its panels in L2 by waves of tiles. A
// panel last used less than the usable L2 capacity ago hits, one used twice that ago misses, with
// linear interpolation in between. Checked by: panel_reuse_test.cpp, traffic_test.cpp.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "model/base/integers.h"
#include "model/base/units.h"

namespace tilecast {

/// Fraction of a panel still in L2 after `distance` bytes of other data.
inline double kept_in_l2(Bytes distance, Bytes usable) {
  return std::clamp(2 - distance / usable, 0.0, 1.0);
}

/// Reuse distance of each panel of an operand: distinct bytes requested since its last use.
class PanelReuse {
 public:
  explicit PanelReuse(std::vector<Bytes> panels)
      : last_wave_(panels.size(), -1), last_used_(panels.size()), panels_(std::move(panels)) {}

  /// Records that a tile of a wave uses the panel; only the first use in a wave requests its bytes.
  /// Returns the bytes read from DRAM, because L2 no longer holds them. `so_far`: distinct bytes
  /// before the wave; `all`: bytes of all operands.
  Bytes use(u32 panel, i64 wave, Bytes so_far, Bytes all, Bytes usable) {
    if (last_wave_[panel] == wave) {
      return {};
    }
    double kept = 0;
    if (last_wave_[panel] >= 0) {
      const Bytes distance = std::min(so_far - last_used_[panel], all);
      kept = kept_in_l2(distance, usable);
    }
    read_ += (1 - kept) * panels_[panel];
    wanted_ += panels_[panel];
    last_wave_[panel] = wave;
    last_used_[panel] = so_far;
    ++fetches_;
    return panels_[panel];
  }

  Bytes read() const { return read_; }
  /// Mean number of tiles that share one fetch of a panel, if `requests` tiles asked for panels.
  double sharers(double requests) const { return requests / fetches_; }
  /// Fraction of the requested bytes that came from DRAM.
  double missing() const { return wanted_.value > 0 ? read_ / wanted_ : 0; }

 private:
  std::vector<i64> last_wave_;
  std::vector<Bytes> last_used_, panels_;
  Bytes read_, wanted_;
  double fetches_ = 0;  // fetches of a panel by a wave
};

}  // namespace tilecast
