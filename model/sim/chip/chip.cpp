#include "model/sim/chip/chip.h"

#include <algorithm>
#include <numeric>

#include "model/base/math.h"

namespace tilecast {
namespace {

/// Distributes `ctas` CTAs without clusters, one per SM, evenly over the GPCs, as far as each GPC
/// has SMs.
std::vector<i32> ctas_of_gpcs(const std::vector<std::vector<i32>>& sms_of, i32 ctas) {
  const i32 gpcs = static_cast<i32>(sms_of.size());
  std::vector<i32> counts;
  for (i32 g = 0; g < gpcs; ++g) {
    counts.push_back(ctas * (g + 1) / gpcs - ctas * g / gpcs);
  }
  // CTAs that full GPCs cannot take; the next GPC takes them, or finally the first one
  i32 left = 0;
  for (i32 g = 0; g < 2 * gpcs; ++g) {
    i32& count = counts[static_cast<std::size_t>(g % gpcs)];
    const i32 sms = static_cast<i32>(sms_of[static_cast<std::size_t>(g % gpcs)].size());
    const i32 wanted = count + left;
    count = min_of(wanted, sms);
    left = wanted - count;
  }
  return counts;
}

}  // namespace

Chip::Chip(const GpuSpec& gpu, Hertz sm_clock, std::size_t blocks, Activity* watched,
           double left_written)
    : memory(gpu, blocks, sm_clock, watched, left_written),
      sms(static_cast<std::size_t>(gpu.sm.count)),
      activity(watched) {
  const MachineSpec& machine = *gpu.machine;
  for (std::size_t sm = 0; sm < sms.size(); ++sm) {
    sms[sm].place = place_of_pair(static_cast<u32>(sm / 2), static_cast<u32>(machine.gpcs),
                                  static_cast<u32>(machine.gpc_groups));
  }
}

SimTime Chip::tensor_busy() const {
  SimTime busy;
  for (const Sm& sm : sms) {
    busy += sm.tensor.busy();
  }
  return busy;
}

/// SMs come in pairs (TPCs), numbered round-robin over the GPCs. Without clusters the hardware
/// fills a GPC with neighbouring CTAs before it goes on to the next GPC. If there are fewer CTAs
/// than SMs, every GPC gets the same number, on one SM of each pair before the second SM of any
/// pair (the 64 CTAs of ps_512 in validate/data/h200_sxm/timelines run on 60 pairs). Clusters are
/// dealt to the GPCs round-robin.
std::vector<i32> places_of(i32 sms, i32 gpcs, i32 cluster, i32 ctas) {
  std::vector<std::vector<i32>> on(static_cast<std::size_t>(gpcs));
  for (i32 sm = 0; sm < sms; ++sm) {
    on[static_cast<std::size_t>(sm / 2 % gpcs)].push_back(sm);
  }
  std::vector<i32> places;
  const auto take = [&](std::vector<i32>& from, std::size_t at, i32 count) {
    for (i32 i = 0; i < count && at + static_cast<std::size_t>(i) < from.size(); ++i) {
      places.push_back(from[at + static_cast<std::size_t>(i)]);
    }
  };
  if (cluster == 1) {
    for (std::vector<i32>& sms_of : on) {
      if (ctas < sms) {
        std::stable_partition(sms_of.begin(), sms_of.end(), [](i32 sm) { return sm % 2 == 0; });
      }
    }
    const std::vector<i32> counts = ctas_of_gpcs(on, std::min(ctas, sms));
    for (std::size_t g = 0; g < on.size(); ++g) {
      take(on[g], 0, counts[g]);
    }
  } else {
    for (std::size_t at = 0; places.size() < static_cast<std::size_t>(sms);
         at += static_cast<std::size_t>(cluster)) {
      bool any = false;
      for (std::vector<i32>& from : on) {
        if (at + static_cast<std::size_t>(cluster) <= from.size()) {
          take(from, at, cluster);
          any = true;
        }
      }
      if (!any) {
        break;
      }
    }
  }
  if (places.empty()) {  // a cluster larger than a GPC, which occurs only in tests
    places.resize(static_cast<std::size_t>(sms));
    std::iota(places.begin(), places.end(), 0);
  }
  return places;
}

}  // namespace tilecast
