#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "kernels/micro/cta_stamp.h"
#include "model/base/error.h"
#include "validate/measure/micro/micro_suite.h"

namespace tilecast {
namespace {

constexpr int kRepeats = 9;

/// Stamps of `launches` kernels of `ctas` CTAs each, enqueued as `enqueue` does it.
class StampedLaunches {
 public:
  StampedLaunches(MicroLab& lab, const LaunchShape& shape, std::size_t launches)
      : lab_(lab),
        kernel_(ready(lab, shape)),
        shape_(shape),
        launches_(launches),
        stamps_(launches * shape.ctas * sizeof(CtaStamp)) {}

  void enqueue(u32 spin, u32 dependent) const {
    for (std::size_t i = 0; i < launches_; ++i) {
      CtaStamp* stamps = stamps_.as<CtaStamp>() + i * shape_.ctas;
      void* arguments[] = {&spin, &dependent, &stamps};
      kernel_.launch(shape_, arguments, lab_.stream().get());
    }
  }
  std::vector<CtaStamp> read() const {
    const std::vector<CtaStamp> all =
        copy_to_host(stamps_.as<CtaStamp>(), launches_ * shape_.ctas, lab_.stream().get());
    for (const CtaStamp& stamp : all) {
      if (stamp.valid != 1) {
        throw Error(ExitCode::kWrong, "cta_launch left a stamp unwritten");
      }
    }
    return all;
  }

 private:
  static const LoadedKernel& ready(MicroLab& lab, const LaunchShape& shape) {
    LoadedKernel& kernel = lab.kernel("cta_launch");
    kernel.allow_shared_memory(shape.shared_memory_bytes);
    return kernel;
  }

  MicroLab& lab_;
  const LoadedKernel& kernel_;
  LaunchShape shape_;
  std::size_t launches_;
  DeviceMemory stamps_;
};

TimedSample between(u64 cycles, u64 nanoseconds, u64 amount) {
  return {cycles, nanoseconds, amount, 0, 1};
}

/// SM cycles per nanosecond, from the first to the last CTA of each SM, all SMs together.
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
                            span.last->end_ns - span.first->begin_ns, 1));
  }
  return clock_ghz(spans);
}

/// From one CTA's end to the next one's begin on the same SM: one CTA per SM, ten each in turn.
void refill(MicroLab& lab, i32 threads, i32 shared_bytes, i32 cluster) {
  constexpr u32 kSpin = 20000, kWaves = 10;
  const StampedLaunches launches(lab,
                                 {.ctas = lab.sm_count() / 4 * 4 * kWaves,
                                  .threads = threads,
                                  .shared_memory_bytes = shared_bytes,
                                  .cluster_size = cluster},
                                 1);
  std::vector<TimedSample> gaps;
  for (int i = 0; i < kRepeats; ++i) {
    launches.enqueue(kSpin, 0);
    std::map<u32, std::vector<CtaStamp>> of_sm;
    for (const CtaStamp& stamp : launches.read()) {
      of_sm[stamp.smid].push_back(stamp);
    }
    for (auto& [smid, stamps] : of_sm) {
      std::sort(stamps.begin(), stamps.end(), [](const CtaStamp& x, const CtaStamp& y) {
        return x.begin_cycles < y.begin_cycles;
      });
      for (std::size_t j = 1; j < stamps.size(); ++j) {
        if (stamps[j].begin_cycles > stamps[j - 1].end_cycles) {
          gaps.push_back(between(stamps[j].begin_cycles - stamps[j - 1].end_cycles,
                                 stamps[j].begin_ns - stamps[j - 1].end_ns, 1));
        }
      }
    }
  }
  if (!gaps.empty()) {
    lab.report(latency_point(gaps), "launch", "launch.cta_refill",
               fmt::format("threads={} shared={} cluster={}", threads, shared_bytes, cluster),
               "cta_launch");
  }
}

/// Empty CTAs by the thousand: CTAs per nanosecond of the chip, once it runs.
void launch_rate(MicroLab& lab, i32 threads, i32 shared_bytes) {
  constexpr u32 kFew = 20000, kMany = 200000;
  double clock = 0;
  const auto length = [&](u32 ctas) {
    const StampedLaunches launches(
        lab, {.ctas = ctas, .threads = threads, .shared_memory_bytes = shared_bytes}, 1);
    std::vector<double> lengths;
    for (int i = 0; i < kRepeats; ++i) {
      launches.enqueue(0, 0);
      const std::vector<CtaStamp> stamps = launches.read();
      const auto by_begin = [](const CtaStamp& x, const CtaStamp& y) {
        return x.begin_ns < y.begin_ns;
      };
      const auto [first, last] = std::minmax_element(stamps.begin(), stamps.end(), by_begin);
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
  lab.report(nanoseconds_point(std::move(per_cta), clock), "launch", "launch.ns_per_cta",
             fmt::format("threads={} shared={}", threads, shared_bytes), "cta_launch");
}

/// From the first CTA's begin to the last one's, a CTA on every SM; and whether each has its own.
void grid_ramp(MicroLab& lab) {
  const u32 sms = lab.sm_count();
  const StampedLaunches launches(lab,
                                 {.ctas = sms, .threads = 384, .shared_memory_bytes = kWholeSm}, 1);
  std::vector<double> ramp, distinct;
  std::vector<CtaStamp> stamps;
  for (int i = 0; i < kRepeats; ++i) {
    launches.enqueue(20000, 0);
    stamps = launches.read();
    std::set<u32> used;
    u64 first = stamps[0].begin_ns, last = first;
    for (const CtaStamp& stamp : stamps) {
      used.insert(stamp.smid);
      first = std::min(first, stamp.begin_ns);
      last = std::max(last, stamp.begin_ns);
    }
    ramp.push_back(static_cast<double>(last - first));
    distinct.push_back(static_cast<double>(used.size()));
  }
  lab.report(nanoseconds_point(std::move(ramp), clock_ghz(stamps)), "launch", "launch.grid_ramp",
             "a CTA per SM", "cta_launch");
  lab.report_number("launch", "launch.sms_used", "a CTA per SM", "cta_launch", "1", distinct);
  for (u32 cta = 0; cta < sms; ++cta) {
    lab.report_number("launch", "launch.sm_of_cta", fmt::format("cta={}", cta), "cta_launch", "1",
                      {static_cast<double>(stamps[cta].smid)});
  }
}

enum class Chain { kStream, kGraph, kProgrammatic };

/// From one kernel's end to the next one's begin, on the SM that ran both.
void kernel_gap(MicroLab& lab, Chain chain, u32 ctas, const char* variant) {
  constexpr std::size_t kKernels = 40;
  constexpr u32 kSpin = 10000;  // 5 us, so that the host stays ahead
  const bool programmatic = chain == Chain::kProgrammatic;
  const StampedLaunches launches(lab,
                                 {.ctas = ctas,
                                  .threads = 384,
                                  .shared_memory_bytes = 64 * 1024,
                                  .programmatic = programmatic},
                                 kKernels);
  const auto enqueue = [&] { launches.enqueue(kSpin, programmatic ? 1 : 0); };
  std::optional<Graph> graph;
  if (chain != Chain::kStream) {
    graph.emplace(lab.stream().get(), enqueue);
  }
  std::vector<TimedSample> gaps;  // where one CTA after the other ran on one SM
  std::vector<double> means;      // in ns over one chain: globaltimer's steps are coarse
  double clock = 0;
  for (int i = 0; i < kRepeats; ++i) {
    graph ? graph->launch(lab.stream().get()) : enqueue();
    const std::vector<CtaStamp> stamps = launches.read();
    double sum = 0;
    for (std::size_t kernel = kKernels / 2; kernel < kKernels; ++kernel) {
      u64 end = 0;
      u64 begin = ~u64{0};
      for (u32 cta = 0; cta < ctas; ++cta) {
        end = std::max(end, stamps[(kernel - 1) * ctas + cta].end_ns);
        begin = std::min(begin, stamps[kernel * ctas + cta].begin_ns);
      }
      const u64 gap = begin > end ? begin - end : 0;
      sum += static_cast<double>(gap);
      const CtaStamp& last = stamps[(kernel - 1) * ctas];
      const CtaStamp& next = stamps[kernel * ctas];
      if (ctas == 1 && last.smid == next.smid && next.begin_cycles > last.end_cycles) {
        gaps.push_back(between(next.begin_cycles - last.end_cycles, gap, 1));
      }
    }
    means.push_back(sum / static_cast<double>(kKernels / 2));
    clock = clock_ghz(stamps);
  }
  if (!gaps.empty()) {
    lab.report(latency_point(gaps), "launch", "launch.kernel_gap", variant, "cta_launch");
  }
  lab.report(nanoseconds_point(std::move(means), clock), "launch", "launch.kernel_gap_ns", variant,
             "cta_launch");
}

void cluster_placement(MicroLab& lab) {
  LoadedKernel& kernel = lab.kernel("cta_launch");
  kernel.allow_shared_memory(kWholeSm);
  for (const i32 cluster : {2, 4, 8}) {
    const LaunchShape shape{.ctas = static_cast<u32>(cluster),
                            .threads = 384,
                            .shared_memory_bytes = kWholeSm,
                            .cluster_size = cluster};
    lab.report_number("launch", fmt::format("clusters.max_active_of_{}", cluster), "one CTA per SM",
                      "cta_launch", "1", {static_cast<double>(kernel.resident_clusters(shape))});
  }
}

}  // namespace

void measure_launch(MicroLab& lab) {
  cluster_placement(lab);
  grid_ramp(lab);
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
  kernel_gap(lab, Chain::kStream, 1, "stream, one CTA");
  kernel_gap(lab, Chain::kGraph, 1, "graph, one CTA");
  kernel_gap(lab, Chain::kProgrammatic, 1, "programmatic, one CTA");
  kernel_gap(lab, Chain::kStream, lab.sm_count(), "stream, a CTA per SM");
  kernel_gap(lab, Chain::kGraph, lab.sm_count(), "graph, a CTA per SM");
  kernel_gap(lab, Chain::kProgrammatic, lab.sm_count(), "programmatic, a CTA per SM");
}

}  // namespace tilecast
