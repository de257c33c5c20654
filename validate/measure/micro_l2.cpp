#include <fmt/format.h>

#include "model/base/math.h"
#include "validate/measure/micro_ring.h"
#include "validate/measure/micro_suite.h"

namespace tilecast {
namespace {

constexpr int kRepeats = 9;
constexpr u32 kBytes = 8192;                 // of one copy
constexpr u32 kSlots = 16;                   // 128 KiB in flight per SM
constexpr u32 kLoads = 1024;                 // 8 MiB per SM
constexpr std::size_t kRegion = 128 * 1024;  // of a group: 17 MB for every SM of an H200 alone

void report(MicroLab& lab, const RingRun& ring, const std::string& key,
            const std::string& variant) {
  lab.report(rate_point(run_ring(lab, ring, kRepeats), "B"), "l2", key, variant, "tma_ring");
}

/// `active` SMs with a region each, `apart` SM numbers from one to the next.
void distinct_lines(MicroLab& lab, u32 active, u32 apart) {
  report(lab,
         {.region = kRegion,
          .groups = active,
          .bytes = kBytes,
          .slots = kSlots,
          .loads = kLoads,
          .task = [=](u32 smid) -> SmTask {
            const bool works = smid % apart == 0 && smid / apart < active;
            return {works ? 1u : 0u, works ? smid / apart : 0, 0, 1};
          }},
         "l2.distinct_lines", fmt::format("sms={} apart={}", active, apart));
}

enum class Who { kNeighbours, kDistant };

/// All SMs, `degree` of them to a region; in step with each other, or each elsewhere in it.
void shared_lines(MicroLab& lab, u32 degree, Who who, bool in_step, i32 cluster) {
  const u32 sms = lab.sm_count();
  const u32 groups = sms / degree;
  const u32 loads_of_region = static_cast<u32>(kRegion) / kBytes;
  report(lab,
         {.region = kRegion,
          .groups = groups,
          .bytes = kBytes,
          .slots = kSlots,
          .loads = kLoads,
          .cluster_size = cluster,
          .task = [=](u32 smid) -> SmTask {
            if (smid >= groups * degree) {
              return {0, 0, 0, 1};
            }
            const bool near = who == Who::kNeighbours;
            const u32 group = near ? smid / degree : smid % groups;
            const u32 place = near ? smid % degree : smid / groups;
            // Apart by at least a load; a region of sixteen loads has room for sixteen places.
            return {1, group, in_step ? 0 : place * max_of(1u, loads_of_region / degree), 1};
          }},
         "l2.shared_lines",
         fmt::format("degree={} {} {} cluster={}", degree,
                     who == Who::kNeighbours ? "neighbours" : "distant",
                     in_step ? "in_step" : "apart", cluster));
}

/// One copy's size against the chip's rate, lines distinct.
void by_copy_size(MicroLab& lab, u32 bytes) {
  report(lab,
         {.region = kRegion,
          .groups = lab.sm_count(),
          .bytes = bytes,
          .slots = min_of(64u, kSlots * kBytes / bytes),
          .loads = kLoads * kBytes / bytes,
          .task = [sms = lab.sm_count()](u32 smid) -> SmTask {
            return {smid < sms ? 1u : 0u, smid < sms ? smid : 0, 0, 1};
          }},
         "l2.by_copy_size", fmt::format("bytes={}", bytes));
}

void multicast(MicroLab& lab, i32 cluster, bool explicitly, u32 slots, u32 bytes, bool every_sm) {
  LoadedKernel& kernel = lab.kernel("tma_multicast", {fmt::format("TILECAST_CLUSTER={}", cluster)});
  const LaunchShape whole{.ctas = static_cast<u32>(cluster),
                          .threads = 32,
                          .shared_memory_bytes = kWholeSm,
                          .cluster_size = cluster};
  kernel.allow_shared_memory(kWholeSm);
  const u32 clusters = every_sm ? static_cast<u32>(kernel.resident_clusters(whole)) : 1;
  LaunchShape shape = whole;
  shape.ctas *= clusters;
  const char* memory = lab.memory(kRegion * clusters);
  const u32 loads = slots == 1 ? 256u : kLoads;
  std::vector<TimedSample> ctas;
  const auto run = [&] {
    ctas = lab.run(kernel, shape, shape.ctas, memory, static_cast<u64>(kRegion), bytes, slots,
                   loads, explicitly ? 1u : 0u, lab.counter());
    return joined(ctas);
  };
  run();
  const std::vector<TimedSample> runs = repeated(kRepeats, run);
  const std::string variant =
      fmt::format("cluster={} {} slots={} bytes={} clusters={}", cluster,
                  explicitly ? "multicast" : "each_its_own", slots, bytes, clusters);
  if (slots == 1) {
    std::vector<TimedSample> each = runs;
    for (TimedSample& sample : each) {
      sample.amount = loads;
    }
    lab.report(latency_point(each), "l2", "multicast.latency", variant, "tma_multicast");
  } else {
    lab.report(rate_point(runs, "B"), "l2", "multicast.rate", variant, "tma_multicast");
  }
}

}  // namespace

void measure_l2_sharing(MicroLab& lab) {
  for (const u32 active : {1u, 2u, 4u, 8u, 16u, 33u, 66u}) {
    distinct_lines(lab, active, lab.sm_count() / active);
  }
  distinct_lines(lab, lab.sm_count(), 1);
  distinct_lines(lab, 2, 1);  // neighbours, which may share a way into the network
  distinct_lines(lab, 16, 1);
  for (const bool in_step : {true, false}) {
    for (const Who who : {Who::kNeighbours, Who::kDistant}) {
      for (const u32 degree : {2u, 3u, 4u, 6u, 8u, 11u, 16u, 33u, 66u, 132u}) {
        if (degree <= lab.sm_count()) {
          shared_lines(lab, degree, who, in_step, 1);
        }
      }
    }
  }
  for (const i32 cluster : {2, 4}) {
    shared_lines(lab, static_cast<u32>(cluster), Who::kNeighbours, true, 2);
  }
  for (const u32 bytes : {1024u, 2048u, 4096u, 16384u, 32768u}) {
    by_copy_size(lab, bytes);
  }
  for (const i32 cluster : {2, 4}) {
    for (const bool explicitly : {true, false}) {
      for (const u32 bytes : {8192u, 16384u}) {
        multicast(lab, cluster, explicitly, 1, bytes, false);
      }
      multicast(lab, cluster, explicitly, 12, 16384, true);
    }
  }
}

}  // namespace tilecast
