#include <algorithm>

#include "kernels/micro/cta_stamp.h"
#include "model/base/error.h"
#include "validate/measure/micro/micro_suite.h"
#include "validate/measure/timing/replay.h"

namespace tilecast {
namespace {

constexpr int kRepeats = 9;

/// Launches of one kernel whose CTAs are stamped.
class StampedLaunch {
 public:
  StampedLaunch(MicroLab& lab, const LaunchShape& shape)
      : lab_(lab),
        kernel_(lab.kernel("cta_launch")),
        shape_(shape),
        stamps_(shape.ctas * sizeof(CtaStamp)) {
    kernel_.allow_shared_memory(shape.shared_memory_bytes);
  }

  std::vector<CtaStamp> run(u32 spin) const {
    CtaStamp* stamps = stamps_.as<CtaStamp>();
    void* arguments[] = {&spin, &stamps};
    kernel_.launch(shape_, arguments, lab_.stream().get());
    std::vector<CtaStamp> all = copy_to_host(stamps, shape_.ctas, lab_.stream().get());
    if (!std::ranges::all_of(all, [](const CtaStamp& stamp) { return stamp.valid == 1; })) {
      throw Error(ExitCode::kWrong, "the kernel cta_launch did not write a timestamp");
    }
    return all;
  }

 private:
  MicroLab& lab_;
  LoadedKernel& kernel_;
  LaunchShape shape_;
  DeviceMemory stamps_;
};

TimedSample between(u64 cycles, u64 nanoseconds) { return {cycles, nanoseconds, 1, 0, 1}; }

/// SM cycles per nanosecond, from the first to the last CTA of each SM, over all SMs.
double clock_ghz(const std::vector<CtaStamp>& stamps) {
  struct Span {
    const CtaStamp *first, *last;
  };
  std::map<u32, Span> of_sm;
  for (const CtaStamp& stamp : stamps) {
    Span& span = of_sm.try_emplace(stamp.smid, Span{&stamp, &stamp}).first->second;
    if (stamp.begin_cycles < span.first->begin_cycles) {
      span.first = &stamp;
    }
    if (stamp.end_cycles > span.last->end_cycles) {
      span.last = &stamp;
    }
  }
  std::vector<TimedSample> spans;
  for (const auto& [smid, span] : of_sm) {
    spans.push_back(between(span.last->end_cycles - span.first->begin_cycles,
                            span.last->end_ns - span.first->begin_ns));
  }
  return clock_ghz(spans);
}

/// Measures the time from the end of one CTA to the start of the next one on the same SM, with one
/// resident CTA and ten per SM one after the other.
void refill(MicroLab& lab, i32 threads, i32 shared_bytes, i32 cluster) {
  constexpr u32 kSpin = 20000, kWaves = 10;
  const StampedLaunch launch(lab, {.ctas = lab.sm_count() / 4 * 4 * kWaves,
                                   .threads = threads,
                                   .shared_memory_bytes = shared_bytes,
                                   .cluster_size = cluster});
  std::vector<TimedSample> gaps;
  for (int i = 0; i < kRepeats; ++i) {
    std::map<u32, std::vector<CtaStamp>> of_sm;
    for (const CtaStamp& stamp : launch.run(kSpin)) {
      of_sm[stamp.smid].push_back(stamp);
    }
    for (auto& [smid, stamps] : of_sm) {
      std::ranges::sort(stamps, {}, &CtaStamp::begin_cycles);
      for (std::size_t j = 1; j < stamps.size(); ++j) {
        if (stamps[j].begin_cycles > stamps[j - 1].end_cycles) {
          gaps.push_back(between(stamps[j].begin_cycles - stamps[j - 1].end_cycles,
                                 stamps[j].begin_ns - stamps[j - 1].end_ns));
        }
      }
    }
  }
  if (!gaps.empty()) {
    lab.report(latency_point(gaps), "launch.cta_refill",
               fmt::format("threads={} shared={} cluster={}", threads, shared_bytes, cluster),
               "cta_launch");
  }
}

/// Launches thousands of empty CTAs: CTAs per nanosecond of the chip in steady state.
void launch_rate(MicroLab& lab, i32 threads, i32 shared_bytes) {
  constexpr u32 kFew = 20000, kMany = 200000;
  double clock = 0;
  const auto length = [&](u32 ctas) {
    const StampedLaunch launch(
        lab, {.ctas = ctas, .threads = threads, .shared_memory_bytes = shared_bytes});
    std::vector<double> lengths;
    for (int i = 0; i < kRepeats; ++i) {
      const std::vector<CtaStamp> stamps = launch.run(0);
      const auto [first, last] = std::ranges::minmax_element(stamps, {}, &CtaStamp::begin_ns);
      lengths.push_back(static_cast<double>(last->begin_ns - first->begin_ns));
      clock = clock_ghz(stamps);
    }
    return lengths;
  };
  const std::vector<double> few = length(kFew), many = length(kMany);
  std::vector<double> per_cta;
  for (std::size_t i = 0; i < few.size(); ++i) {
    per_cta.push_back((many[i] - few[i]) / (kMany - kFew));
  }
  lab.report(nanoseconds_point(std::move(per_cta), clock), "launch.ns_per_cta",
             fmt::format("threads={} shared={}", threads, shared_bytes), "cta_launch");
}

/// Launches empty kernels of one CTA one after another, and measures the interval between starts.
void launch_interval(MicroLab& lab, bool as_graph) {
  // kHostRunsAhead: cycles of the first kernel, during which the host enqueues the others.
  constexpr u32 kLaunches = 500, kHostRunsAhead = 5'000'000;
  LoadedKernel& kernel = lab.kernel("cta_launch");
  const DeviceMemory memory(kLaunches * sizeof(CtaStamp));
  CtaStamp* const stamps = memory.as<CtaStamp>();
  const Replay launches(lab.stream().get(), as_graph, [&] {
    for (u32 i = 0; i < kLaunches; ++i) {
      u32 spin = i == 0 ? kHostRunsAhead : 0;
      CtaStamp* stamp = stamps + i;
      void* arguments[] = {&spin, &stamp};
      kernel.launch({.ctas = 1, .threads = 32}, arguments, lab.stream().get());
    }
  });
  double clock = 0;
  std::vector<double> intervals;
  for (int i = 0; i < kRepeats; ++i) {
    launches.launch();
    const std::vector<CtaStamp> all = copy_to_host(stamps, kLaunches, lab.stream().get());
    intervals.push_back(static_cast<double>(all.back().begin_ns - all[1].begin_ns) /
                        (kLaunches - 2));
    clock = clock_ghz(std::vector<CtaStamp>{all.front()});
  }
  lab.report(nanoseconds_point(std::move(intervals), clock), "launch.interval",
             as_graph ? "graph" : "stream", "cta_launch");
}

/// Reports the SM of each CTA of a grid with one CTA per SM.
void sms_of_ctas(MicroLab& lab) {
  const StampedLaunch launch(
      lab, {.ctas = lab.sm_count(), .threads = 384, .shared_memory_bytes = kWholeSm});
  u32 cta = 0;
  for (const CtaStamp& stamp : launch.run(20000)) {
    lab.report_number("launch.sm_of_cta", fmt::format("cta={}", cta++), "cta_launch", "1",
                      {static_cast<double>(stamp.smid)});
  }
}

void cluster_placement(MicroLab& lab) {
  LoadedKernel& kernel = lab.kernel("cta_launch");
  kernel.allow_shared_memory(kWholeSm);
  for (const i32 cluster : {2, 4, 8}) {
    const LaunchShape shape{.ctas = static_cast<u32>(cluster),
                            .threads = 384,
                            .shared_memory_bytes = kWholeSm,
                            .cluster_size = cluster};
    lab.report_number(fmt::format("clusters.max_active_of_{}", cluster), "one CTA per SM",
                      "cta_launch", "1", {static_cast<double>(kernel.resident_clusters(shape))});
  }
}

}  // namespace

void measure_launch(MicroLab& lab) {
  cluster_placement(lab);
  sms_of_ctas(lab);
  launch_interval(lab, true);
  launch_interval(lab, false);
  for (const i32 threads : {128, 256, 384}) {
    refill(lab, threads, kWholeSm, 1);
  }
  refill(lab, 384, 120 * 1024, 1);
  refill(lab, 384, kWholeSm, 2);
  launch_rate(lab, 32, 0);
  launch_rate(lab, 128, 0);
  launch_rate(lab, 256, 0);
  launch_rate(lab, 256, 32 * 1024);
  launch_rate(lab, 1024, 0);
  launch_rate(lab, 384, kWholeSm);
}

}  // namespace tilecast
