#include <fmt/format.h>

#include <map>

#include "model/base/math.h"
#include "validate/measure/micro/micro_load.h"
#include "validate/measure/micro/micro_ring.h"
#include "validate/measure/micro/micro_suite.h"

namespace tilecast {
namespace {

constexpr int kRepeats = 9;
constexpr std::size_t kRegion = 128 * 1024;  // of a group: 17 MB for every SM of an H200 alone

/// Copies of one size, and how many of them an SM asks for.
struct Copies {
  u32 bytes, slots, loads;

  /// About 128 KiB in flight and 8 MiB in all.
  static Copies of(u32 bytes) {
    return {bytes, min_of(64u, (128u << 10) / bytes), (8u << 20) / bytes};
  }
  /// Of a run that follows a load which brought the clock down: short, since the clock comes back.
  Copies shorter() const { return {bytes, slots, loads / 2}; }
};

/// 8 KiB are bound by the turn of the thread that issues them, and keep the shorter name.
std::string size_of(u32 bytes) { return bytes == 8192 ? "" : fmt::format(" bytes={}", bytes); }

/// Where rings are measured: at the clock of an idle chip, or behind a load that brought it down.
struct Conditions {
  LowClock* low = nullptr;

  std::string name() const { return low == nullptr ? "" : " clock=low"; }
  BeforeRun before() const {
    return low == nullptr ? BeforeRun() : BeforeRun([at = low] { at->enqueue(); });
  }
  Copies of(u32 bytes) const {
    return low == nullptr ? Copies::of(bytes) : Copies::of(bytes).shorter();
  }
};

void report(MicroLab& lab, const RingRun& ring, const std::string& key,
            const std::string& variant) {
  lab.report(rate_point(run_ring(lab, ring, kRepeats), "B"), "l2", key, variant, "tma_ring");
}

/// `active` SMs with a region each, `apart` SM numbers from one to the next.
void distinct_lines(MicroLab& lab, u32 active, u32 apart, u32 bytes, const Conditions& conditions) {
  const Copies copies = conditions.of(bytes);
  report(lab,
         {.region = kRegion,
          .groups = active,
          .bytes = bytes,
          .slots = copies.slots,
          .loads = copies.loads,
          .task = [=](u32 smid) -> SmTask {
            const bool works = is_one_of(smid, active, apart);
            return {works ? 1u : 0u, works ? smid / apart : 0, 0, 1};
          },
          .before = conditions.before()},
         "l2.distinct_lines",
         fmt::format("sms={} apart={}", active, apart) + size_of(bytes) + conditions.name());
}

enum class Who { kNeighbours, kDistant };

struct Sharing {
  u32 degree;  // SMs to a region
  Who who;
  bool in_step;  // with each other, or each elsewhere in the region
  i32 cluster = 1;
};

/// All SMs, some to each region.
void shared_lines(MicroLab& lab, const Sharing& sharing, u32 bytes, const Conditions& conditions) {
  const u32 degree = sharing.degree;
  const u32 groups = lab.sm_count() / degree;
  const Copies copies = conditions.of(bytes);
  const u32 loads_of_region = static_cast<u32>(kRegion) / bytes;
  report(
      lab,
      {.region = kRegion,
       .groups = groups,
       .bytes = bytes,
       .slots = copies.slots,
       .loads = copies.loads,
       .cluster_size = sharing.cluster,
       .task = [=](u32 smid) -> SmTask {
         if (smid >= groups * degree) {
           return {0, 0, 0, 1};
         }
         const bool near = sharing.who == Who::kNeighbours;
         const u32 group = near ? smid / degree : smid % groups;
         const u32 place = near ? smid % degree : smid / groups;
         return {1, group, sharing.in_step ? 0 : place * max_of(1u, loads_of_region / degree), 1};
       },
       .before = conditions.before()},
      "l2.shared_lines",
      fmt::format("degree={} {} {} cluster={}", degree,
                  sharing.who == Who::kNeighbours ? "neighbours" : "distant",
                  sharing.in_step ? "in_step" : "apart", sharing.cluster) +
          size_of(bytes) + conditions.name());
}

/// Copies that the turn of one thread does not bound.
void wide_rings(MicroLab& lab, const Conditions& conditions) {
  const u32 sms = lab.sm_count();
  for (const u32 bytes : {16384u, 32768u}) {
    for (const u32 active : {1u, 2u, 4u, 16u, 33u, 66u, sms}) {
      distinct_lines(lab, active, sms / active, bytes, conditions);
    }
    distinct_lines(lab, 2, 1, bytes, conditions);  // of one TPC, which may share a way in
    for (const Who who : {Who::kNeighbours, Who::kDistant}) {
      for (const u32 degree : {2u, 4u, 32u, sms}) {
        for (const bool in_step : {true, false}) {
          shared_lines(lab, {degree, who, in_step}, bytes, conditions);
        }
      }
    }
    for (const i32 cluster : {2, 4}) {
      for (const u32 degree : {1u, static_cast<u32>(cluster), 32u}) {
        shared_lines(lab, {degree, Who::kNeighbours, true, cluster}, bytes, conditions);
      }
    }
  }
}

/// What each SM gets of L2's output while all want more than there is, over what they get in the
/// mean.
void shares_of_sms(MicroLab& lab) {
  constexpr u32 kBytes = 32768;
  const Copies copies = Copies::of(kBytes);
  const RingRun ring{.region = kRegion,
                     .groups = lab.sm_count(),
                     .bytes = kBytes,
                     .slots = copies.slots,
                     .loads = copies.loads,
                     .task = [sms = lab.sm_count()](u32 smid) -> SmTask {
                       return {smid < sms ? 1u : 0u, smid < sms ? smid : 0, 0, 1};
                     }};
  std::map<u32, double> rates;
  double mean = 0;
  for (const TimedSample& sm : run_ring_by_sm(lab, ring)) {
    rates[sm.smid] = static_cast<double>(sm.amount) / static_cast<double>(sm.cycles);
    mean += rates[sm.smid] / lab.sm_count();
  }
  for (const auto& [smid, rate] : rates) {
    lab.report_number("l2", "l2.share_of_sm", fmt::format("sm={}", smid), "tma_ring", "1",
                      {rate / mean});
  }
}

/// All SMs side by side through one region, again and again: what of it stays in L2.
void by_footprint(MicroLab& lab, u32 mebibytes) {
  constexpr u32 kBytes = 16384;
  constexpr u32 kRounds = 4;
  const std::size_t region = std::size_t{mebibytes} << 20;
  const u32 sms = lab.sm_count();
  report(lab,
         {.region = region,
          .groups = 1,
          .bytes = kBytes,
          .slots = Copies::of(kBytes).slots,
          .loads = static_cast<u32>(kRounds * region / kBytes / sms),
          .task = [sms](u32 smid) -> SmTask {
            return {smid < sms ? 1u : 0u, 0, smid, sms};
          }},
         "l2.by_footprint", fmt::format("mib={}", mebibytes));
}

/// One copy's size against the chip's rate, lines distinct.
void by_copy_size(MicroLab& lab, u32 bytes) {
  const Copies copies = Copies::of(bytes);
  report(lab,
         {.region = kRegion,
          .groups = lab.sm_count(),
          .bytes = bytes,
          .slots = copies.slots,
          .loads = copies.loads,
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
  const u32 loads = slots == 1 ? 256u : 512u;
  const u32 lag = slots == 1 ? 0u : 2u;
  std::vector<TimedSample> ctas;
  const auto run = [&] {
    ctas = lab.run(kernel, shape, shape.ctas, memory, static_cast<u64>(kRegion), bytes, slots, lag,
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
  const u32 sms = lab.sm_count();
  constexpr u32 kTurnBound = 8192;
  const Conditions idle;
  for (const u32 active : {1u, 4u, 16u, 66u, sms}) {
    distinct_lines(lab, active, sms / active, kTurnBound, idle);
  }
  wide_rings(lab, idle);
  shares_of_sms(lab);
  for (const u32 bytes : {1024u, 2048u, 4096u, 16384u, 32768u}) {
    by_copy_size(lab, bytes);
  }
  for (const u32 mebibytes : {16u, 24u, 32u, 36u, 40u, 44u, 48u, 56u, 64u, 96u}) {
    by_footprint(lab, mebibytes);
  }
  for (const i32 cluster : {2, 4}) {
    for (const bool explicitly : {true, false}) {
      for (const u32 bytes : {8192u, 16384u}) {
        multicast(lab, cluster, explicitly, 1, bytes, false);
      }
      multicast(lab, cluster, explicitly, 12, 16384, true);
      multicast(lab, cluster, explicitly, 6, 32768, true);
    }
  }
  LowClock low(lab);
  wide_rings(lab, {&low});
}

}  // namespace tilecast
