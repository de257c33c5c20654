#include "validate/measure/micro/micro_ring.h"
#include "validate/measure/micro/micro_suite.h"

namespace tilecast {
namespace {

/// Copies of `bytes`, with about 128 KiB in flight and 8 MiB in total, from a separate region per
/// group: 17 MB for the SMs of an H200.
RingRun ring_of(u32 groups, u32 bytes, TaskOfSm task) {
  return {.region = 128 * 1024,
          .groups = groups,
          .bytes = bytes,
          .slots = (128u << 10) / bytes,
          .loads = (8u << 20) / bytes,
          .task = std::move(task)};
}

void report(MicroLab& lab, const RingRun& ring, const std::string& key,
            const std::string& variant) {
  constexpr int kRepeats = 9;
  lab.report(rate_point(run_ring(lab, ring, kRepeats), "B"), key, variant, "tma_ring");
}

/// `active` SMs with a separate region each, whose SM numbers are `apart` apart.
RingRun distinct_lines(u32 active, u32 apart, u32 bytes) {
  return ring_of(active, bytes, [=](u32 smid) -> SmTask {
    const bool works = is_one_of(smid, active, apart);
    return {works ? 1u : 0u, works ? smid / apart : 0, 0, 1};
  });
}

/// All SMs; each `degree` neighbours read one region in step.
RingRun shared_lines(u32 sms, u32 degree, u32 bytes) {
  const u32 groups = sms / degree;
  return ring_of(groups, bytes, [=](u32 smid) -> SmTask {
    const bool works = smid < groups * degree;
    return {works ? 1u : 0u, works ? smid / degree : 0, 0, 1};
  });
}

/// Reports each SM's share of L2's output relative to the mean, if all SMs request as much as they
/// can.
void shares_of_sms(MicroLab& lab) {
  std::map<u32, double> rates;
  double mean = 0;
  for (const TimedSample& sm : run_ring_by_sm(lab, distinct_lines(lab.sm_count(), 1, 32768))) {
    rates[sm.smid] = static_cast<double>(sm.amount) / static_cast<double>(sm.cycles);
    mean += rates[sm.smid] / lab.sm_count();
  }
  for (const auto& [smid, rate] : rates) {
    lab.report_number("l2.share_of_sm", fmt::format("sm={}", smid), "tma_ring", "1", {rate / mean});
  }
}

}  // namespace

void measure_l2_sharing(MicroLab& lab) {
  const u32 sms = lab.sm_count();
  for (const u32 bytes : {16384u, 32768u}) {
    for (const u32 active : {1u, 2u, 4u, 16u, 33u, 66u, sms}) {
      report(lab, distinct_lines(active, sms / active, bytes), "l2.distinct_lines",
             fmt::format("sms={} apart={} bytes={}", active, sms / active, bytes));
    }
    for (const u32 degree : {2u, 4u, 32u, sms}) {
      report(lab, shared_lines(sms, degree, bytes), "l2.shared_lines",
             fmt::format("degree={} neighbours in_step cluster=1 bytes={}", degree, bytes));
    }
  }
  shares_of_sms(lab);
}

}  // namespace tilecast
