#include "validate/measure/timing/buffer_sets.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/base/error.h"
#include "model/base/refuse.h"

namespace tilecast {
namespace {

constexpr double kTimesL2 = 3;
constexpr std::size_t kLeastSets = 2;
constexpr std::size_t kMostSets = 2000;  // launches of one graph

}  // namespace

BufferSets buffer_sets(std::size_t set_bytes, Bytes l2) {
  const double needed = kTimesL2 * l2.value / static_cast<double>(set_bytes);
  const std::size_t sets = std::max(kLeastSets, static_cast<std::size_t>(needed) + 1);
  return {.count = sets <= kMostSets ? sets : kLeastSets, .to_rotate = sets};
}

void require_sets(const BufferSets& sets, L2State state) {
  refuse_if(state == L2State::kRotating && !sets.rotate(),
            "operands too small for --l2 rotating: exceeding L2 would take {} buffer sets; "
            "use --l2 warm or flushed",
            sets.to_rotate);
}

}  // namespace tilecast
