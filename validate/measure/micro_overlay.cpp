#include "validate/measure/micro_overlay.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace tilecast {
namespace {

/// The points by key and variant, and constants made of them.
class Collector {
 public:
  Collector(std::span<const MicroPoint> points) : points_(points) {}

  const MicroPoint* find(const std::string& key, const std::string& variant) const {
    for (const MicroPoint& point : points_) {
      if (point.key == key && point.variant == variant) {
        return &point;
      }
    }
    return nullptr;
  }
  /// The point with the largest median among those of `key` that `accept` takes.
  template <class Accept>
  const MicroPoint* largest(const std::string& key, const Accept& accept) const {
    const MicroPoint* best = nullptr;
    for (const MicroPoint& point : points_) {
      if (point.key == key && accept(point) &&
          (best == nullptr || point.value.median > best->value.median)) {
        best = &point;
      }
    }
    return best;
  }

  void add(const char* section, const char* key, const char* unit, const MicroPoint* from,
           const Quartiles& value) {
    if (from != nullptr) {
      constants.push_back({section, key, unit, value, from->samples, from->kernel});
    }
  }
  void add_cycles(const char* section, const char* key, const MicroPoint* from) {
    add(section, key, "cycle", from, from != nullptr ? from->value : Quartiles{});
  }
  void add_time(const char* section, const char* key, const MicroPoint* from) {
    add(section, key, "ns", from, from != nullptr ? from->in_time : Quartiles{});
  }

  std::vector<MeasuredConstant> constants;

 private:
  std::span<const MicroPoint> points_;
};

Quartiles scaled(const Quartiles& q, double factor, double less = 0) {
  return {q.median * factor - less, q.q1 * factor - less, q.q3 * factor - less};
}

void tensor(Collector& found) {
  // At n = 128 the tensor pipe takes 64 cycles, operands 48.
  if (const MicroPoint* point = found.find("wgmma.interval", "n=128 a=shared")) {
    found.add("wgmma", "issue_overhead", "cycle", point, scaled(point->value, 1, 64));
  }
  found.add_cycles("wgmma", "completion_latency",
                   found.find("wgmma.completion_latency", "n=128 a=shared"));
}

void copies(Collector& found) {
  found.add_time("tma", "l2_latency", found.find("tma.l2_latency", "bytes=8192"));
  found.add_time("tma", "dram_latency", found.find("tma.dram_latency", "bytes=8192"));
  const std::string common = " slots=1 bytes=16384 clusters=1";
  const MicroPoint* multicast = found.find("multicast.latency", "cluster=2 multicast" + common);
  const MicroPoint* own = found.find("multicast.latency", "cluster=2 each_its_own" + common);
  if (multicast != nullptr && own != nullptr) {
    found.add("tma", "multicast_latency", "cycle", multicast,
              scaled(multicast->value, 1, own->value.median));
  }
}

void caches(Collector& found, u32 sms) {
  const MicroPoint* distinct = found.find("l2.distinct_lines", fmt::format("sms={} apart=1", sms));
  const MicroPoint* shared =
      found.largest("l2.shared_lines", [](const MicroPoint&) { return true; });
  if (distinct != nullptr) {
    found.add("l2", "output", "TB/s", distinct, scaled(distinct->in_time, 1e-3));
  }
  if (shared != nullptr) {
    found.add("sm", "intake", "B/cycle", shared, scaled(shared->value, 1.0 / sms));
  }
}

void memory(Collector& found, BytesPerSecond bandwidth) {
  const double per_ns = 1e9 / bandwidth.value;
  if (const MicroPoint* read =
          found.largest("dram.read_rate", [](const MicroPoint&) { return true; })) {
    found.add("dram", "read_efficiency", "\"1\"", read, scaled(read->in_time, per_ns));
  }
  if (const MicroPoint* write = found.find("dram.mix_rate", "reads=0 writes=1 bytes=8192")) {
    found.add("dram", "write_efficiency", "\"1\"", write, scaled(write->in_time, per_ns));
  }
}

void chip(Collector& found) {
  found.add_cycles("launch", "cta_refill",
                   found.find("launch.cta_refill", "threads=384 shared=204800 cluster=1"));
  for (const char* key : {"max_active_of_2", "max_active_of_4", "max_active_of_8"}) {
    if (const MicroPoint* point = found.find(std::string("clusters.") + key, "one CTA per SM")) {
      found.add("clusters", key, "\"1\"", point, point->value);
    }
  }
  if (const MicroPoint* idle = found.find("clock.trace", "idle ms=5")) {
    found.add("clock", "max", "MHz", idle, scaled(idle->value, 1e3));
  }
  if (const MicroPoint* zeros = found.find("clock.trace", "zeros sms=all duty=100 ms=5")) {
    found.add("clock", "tensor_plateau", "MHz", zeros, scaled(zeros->value, 1e3));
  }
}

/// What the simulator takes as it is.
void machine(Collector& found) {
  found.add_cycles("machine", "wgmma_least", found.find("wgmma.interval", "n=8 a=registers"));
  found.add_cycles("machine", "wgmma_completion",
                   found.find("wgmma.completion_latency", "n=64 a=shared"));
  const std::string group = "n=256 a=shared instructions=32";
  const MicroPoint* issue = found.find("wgmma.issue", group);
  const MicroPoint* done = found.find("wgmma.issue_to_done", group);
  const MicroPoint* interval = found.find("wgmma.interval", "n=256 a=shared");
  const MicroPoint* completion = found.find("wgmma.completion_latency", "n=256 a=shared");
  if (issue != nullptr && done != nullptr && interval != nullptr && completion != nullptr) {
    const double each = 1 / interval->value.median;
    found.add("machine", "mma_queue", "\"1\"", done,
              scaled(done->value, each, (issue->value.median + completion->value.median) * each));
  }
  found.add_cycles("machine", "wake", found.find("mbarrier.wake", "waiting_warps=4"));
  found.add_cycles("machine", "remote_wake", found.find("mbarrier.remote_wake", "cluster=2"));
  found.add_cycles("machine", "barrier", found.find("named_barrier", "warps=4"));
  if (const MicroPoint* each = found.find("launch.ns_per_cta", "threads=384 shared=204800")) {
    found.add("machine", "dispatch", "ns", each, each->value);
  }
  if (const MicroPoint* read =
          found.largest("dram.read_rate", [](const MicroPoint&) { return true; })) {
    found.add("machine", "dram_read", "TB/s", read, scaled(read->in_time, 1e-3));
  }
}

/// SMs of the GPU, as the points with distinct lines say.
u32 sm_count(std::span<const MicroPoint> points) {
  for (const MicroPoint& point : points) {
    if (point.key == "launch.sms_used") {
      return static_cast<u32>(std::lround(point.value.median));
    }
  }
  return 0;
}

}  // namespace

std::vector<MeasuredConstant> measured_constants(std::span<const MicroPoint> points,
                                                 BytesPerSecond dram_bandwidth) {
  Collector found(points);
  tensor(found);
  copies(found);
  machine(found);
  if (const u32 sms = sm_count(points); sms > 0) {
    caches(found, sms);
  }
  memory(found, dram_bandwidth);
  chip(found);
  return found.constants;
}

std::string overlay_text(const std::string& gpu, std::span<const MeasuredConstant> constants) {
  constexpr double kQuartilesPerDeviation = 1.349;  // of a normal distribution
  std::string text = fmt::format("# Written by `tilecast-gpu micro`.\nname: {}\n", gpu);
  std::vector<std::string> sections;
  for (const MeasuredConstant& constant : constants) {
    if (std::find(sections.begin(), sections.end(), constant.section) == sections.end()) {
      sections.push_back(constant.section);
    }
  }
  for (const std::string& section : sections) {
    text += section + ":\n";
    for (const MeasuredConstant& c : constants) {
      if (c.section != section) {
        continue;
      }
      const double error = std::abs(c.value.q3 - c.value.q1) / kQuartilesPerDeviation /
                           std::sqrt(static_cast<double>(c.samples));
      text += fmt::format(
          "  {}: {{value: {:.4g}, unit: {}, standard_error: {:.3g}, source: measured, confidence: "
          "medium, ref: \"kernels/micro/{}.cu\"}}\n",
          c.key, c.value.median, c.unit, error, c.kernel);
    }
  }
  return text;
}

}  // namespace tilecast
