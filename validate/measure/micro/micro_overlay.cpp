#include "validate/measure/micro/micro_overlay.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace tilecast {
namespace {

/// The points by key and variant, and the constants derived from them.
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
  /// Returns the point with the largest median among those of `key`.
  const MicroPoint* largest(const std::string& key) const {
    const MicroPoint* best = nullptr;
    for (const MicroPoint& point : points_) {
      if (point.key == key && (best == nullptr || point.value.median > best->value.median)) {
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
  std::vector<MeasuredConstant> constants;

 private:
  std::span<const MicroPoint> points_;
};

/// docs/dev/notebook/constants.md, The machine, describes each.
void copies(Collector& found) {
  const MicroPoint* small = found.find("tma.l2_latency", "bytes=16");
  const MicroPoint* issue = found.find("tma.issue_per_copy", "bytes=16 count=1");
  if (small != nullptr && issue != nullptr) {
    found.add("machine", "l2_latency", "cycle", small,
              scaled(small->value, 1, issue->value.median));
  }
  const MicroPoint* near = found.find("tma.l2_latency", "bytes=16384");
  const MicroPoint* far = found.find("tma.dram_latency", "bytes=16384");
  if (near != nullptr && far != nullptr) {
    found.add("machine", "dram_latency", "ns", far, scaled(far->in_time, 1, near->in_time.median));
  }
}

/// A point's value, times `factor`.
struct Row {
  const char *section, *key, *unit;
  std::string point, variant;
  Quartiles MicroPoint::*quantity = &MicroPoint::value;
  double factor = 1;
};

void rows(Collector& found, u32 sms) {
  constexpr auto kTime = &MicroPoint::in_time;
  constexpr auto kValue = &MicroPoint::value;
  const auto lines = [&](u32 of) {
    return fmt::format("sms={} apart={} bytes=32768", of, sms / of);
  };
  const std::string full_cta = "threads=384 shared=204800", whole = "one CTA per SM";
  const Row all[] = {
      {"machine", "wgmma_least", "cycle", "wgmma.interval", "n=8 a=registers"},
      {"machine", "wgmma_completion", "cycle", "wgmma.completion_latency", "n=64 a=shared"},
      {"machine", "wake", "cycle", "mbarrier.wake", "waiting_warps=4"},
      {"machine", "remote_wake", "cycle", "mbarrier.remote_wake", "cluster=2"},
      {"machine", "barrier", "cycle", "named_barrier", "warps=4"},
      {"machine", "dispatch", "ns", "launch.ns_per_cta", full_cta},
      {"machine", "graph_launch", "ns", "launch.interval", "graph"},
      {"machine", "stream_launch", "ns", "launch.interval", "stream"},
      {"machine", "l2_output", "TB/s", "l2.distinct_lines", lines(sms), kTime, 1e-3},
      {"machine", "intake", "B/cycle", "l2.distinct_lines", lines(1)},
      {"machine", "cta_refill", "cycle", "launch.cta_refill", full_cta + " cluster=1"},
      {"reduction", "hop", "ns", "flag.hop", "two SMs", kTime},
      {"dram", "write_rate", "TB/s", "dram.mix_rate", "reads=0 writes=1 bytes=8192", kTime, 1e-3},
      {"stream", "load_latency", "ns", "dram.load_latency", "span=2GiB", kTime},
      {"stream", "cta_refill", "cycle", "launch.cta_refill", "threads=256 shared=204800 cluster=1"},
      {"stream", "cta_launch", "ns", "launch.ns_per_cta", "threads=256 shared=0"},
      {"clusters", "max_active_of_2", "\"1\"", "clusters.max_active_of_2", whole},
      {"clusters", "max_active_of_4", "\"1\"", "clusters.max_active_of_4", whole},
      {"clusters", "max_active_of_8", "\"1\"", "clusters.max_active_of_8", whole},
      {"clock", "max", "MHz", "clock.trace", "idle ms=5", kValue, 1e3},
      {"clock", "tensor_plateau", "MHz", "clock.trace", "zeros sms=all duty=100 ms=5", kValue, 1e3},
  };
  for (const Row& row : all) {
    if (const MicroPoint* point = found.find(row.point, row.variant)) {
      found.add(row.section, row.key, row.unit, point, scaled(point->*row.quantity, row.factor));
    }
  }
}

/// Rate with which all SMs request one line / rate with a separate line each.
void merge_limit(Collector& found, u32 sms) {
  const MicroPoint* shared = found.find(
      "l2.shared_lines", fmt::format("degree={} neighbours in_step cluster=1 bytes=16384", sms));
  const MicroPoint* own =
      found.find("l2.distinct_lines", fmt::format("sms={} apart=1 bytes=16384", sms));
  if (shared != nullptr && own != nullptr) {
    found.add("machine", "merge_limit", "\"1\"", shared,
              scaled(shared->value, 1 / own->value.median));
  }
}

void read_rate(Collector& found) {
  if (const MicroPoint* read = found.largest("dram.read_rate")) {
    found.add("dram", "read_rate", "TB/s", read, scaled(read->in_time, 1e-3));
  }
}

/// Number of wgmmas that wait for the tensor cores, from a group that is longer than their queue.
void mma_queue(Collector& found) {
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
}

/// A straight line: value = at_zero + slope * x.
struct Line {
  double at_zero, slope;
};

/// Fits a line to the times, or cycles, of the variants "bytes=N" + `more` by least squares.
std::optional<Line> line_over_bytes(const Collector& found, const std::string& key,
                                    std::span<const int> sizes, const std::string& more,
                                    Quartiles MicroPoint::*quantity) {
  double x = 0, y = 0, xx = 0, xy = 0;
  const double n = static_cast<double>(sizes.size());
  for (const int bytes : sizes) {
    const MicroPoint* point = found.find(key, fmt::format("bytes={}{}", bytes, more));
    if (point == nullptr) {
      return std::nullopt;
    }
    const double value = (point->*quantity).median;
    x += bytes / n;
    y += value / n;
    xx += static_cast<double>(bytes) * bytes / n;
    xy += bytes * value / n;
  }
  const double slope = (xy - x * y) / (xx - x * x);
  return Line{y - slope * x, slope};
}

Quartiles exactly(double value) { return {value, value, value}; }

/// Constants of memory-bound kernels that can be measured in isolation. `tilecast calibrate` adds
/// the ticket and the fitted constants.
void stream(Collector& found) {
  constexpr int kLoads[] = {4096, 8192, 16384, 32768};
  if (const auto load =
          line_over_bytes(found, "tma.dram_latency", kLoads, "", &MicroPoint::in_time)) {
    const MicroPoint* any = found.find("tma.dram_latency", "bytes=8192");
    found.add("stream", "bulk_latency", "ns", any, exactly(load->at_zero));
    found.add("stream", "bulk_rate", "GB/s", any, exactly(1 / load->slope));
  }
  constexpr int kStores[] = {128, 2048, 8192, 16384, 32768};
  const std::string store = " store";
  if (const auto read_out =
          line_over_bytes(found, "tma.store_source_free", kStores, store, &MicroPoint::value)) {
    const MicroPoint* any = found.find("tma.store_source_free", "bytes=8192" + store);
    found.add("stream", "bulk_store", "ns", any, exactly(read_out->at_zero * 1e3 / any->clock_mhz));
    found.add("stream", "bulk_read_out", "B/cycle", any, exactly(1 / read_out->slope));
  }
}

/// Partial sums of 128 KiB moved by one SM or by every SM.
void reduction(Collector& found, u32 sms) {
  constexpr double kBytes = 128 * 1024;
  const auto rate = [&](const char* key, const std::string& variant, bool chip) {
    const MicroPoint* point = found.find("partial_sums.done", variant);
    if (point == nullptr) {
      return;
    }
    const Quartiles& q = chip ? point->in_time : point->value;
    const double bytes = chip ? kBytes * sms * 1e-3 : kBytes;  // B/ns converted to TB/s
    found.add("reduction", key, chip ? "TB/s" : "B/cycle", point,
              {bytes / q.median, bytes / q.q3, bytes / q.q1});
  };
  rate("sm_store", "store kib=128 sms=1", false);
  rate("sm_add", "add kib=128 sms=1", false);
  rate("sm_load", "load at_once=8 kib=128 sms=1", false);
  rate("chip_store", fmt::format("store kib=128 sms={}", sms), true);
  rate("chip_add", fmt::format("add kib=128 sms={}", sms), true);
}

/// Static power and energies at the reference clock (model/clock/energy.h). Separates mixed loads:
/// a bulk copy from L2 also fills shared memory, one from DRAM also passes L2, and a wgmma also
/// reads its operands from shared memory.
class Energies {
 public:
  Energies(Collector& found, const EnergyScale& scale) : found_(found), scale_(scale) {}

  void add() {
    const MicroPoint* awake = found_.find("power.static_power", "SMs awake");
    if (awake == nullptr) {
      return;
    }
    found_.add("power", "static_power", "W", awake, awake->value);
    const MicroPoint* shared = found_.find("power.per_shared_memory_byte", "shared-memory reads");
    if (shared == nullptr) {
      return;
    }
    const double of_shared = shared->value.median * at_reference(shared->clock_mhz);
    add_scaled("per_shared_memory_byte", "pJ/B", shared, 0);
    const MicroPoint* l2 = found_.find("power.per_l2_byte", "L2 reads");
    if (l2 != nullptr) {
      add_scaled("per_l2_byte", "pJ/B", l2, of_shared);
      if (const MicroPoint* dram = found_.find("power.per_dram_byte", "DRAM reads")) {
        found_.add("power", "per_dram_byte", "pJ/B", dram,
                   // Both were measured at the same clock, the highest.
                   scaled(dram->value, 1, l2->value.median));
      }
    }
    // Bytes and FLOPs of an instruction with n = 256.
    constexpr double kOperands = (64 + 256) * 16 * 2, kFlops = 2.0 * 64 * 256 * 16;
    for (const char* data : {"normal", "uniform", "ternary", "zeros"}) {
      const std::string key = std::string("per_flop_") + data;
      add_scaled(key.c_str(), "pJ/FLOP",
                 found_.find("power." + key, std::string("tensor n=256 ") + data),
                 of_shared * kOperands / kFlops);
    }
  }

 private:
  double at_reference(double mhz) const {
    return std::pow(scale_.reference.value * 1e-6 / mhz, scale_.exponent);
  }
  void add_scaled(const char* key, const char* unit, const MicroPoint* from, double less) {
    if (from != nullptr) {
      found_.add("power", key, unit, from,
                 scaled(from->value, at_reference(from->clock_mhz), less));
    }
  }

  Collector& found_;
  const EnergyScale& scale_;
};

}  // namespace

std::vector<MeasuredConstant> measured_constants(std::span<const MicroPoint> points,
                                                 const CardFacts& card) {
  Collector found(points);
  rows(found, card.sms);
  copies(found);
  mma_queue(found);
  merge_limit(found, card.sms);
  reduction(found, card.sms);
  if (card.energy) {
    Energies(found, *card.energy).add();
  }
  read_rate(found);
  stream(found);
  return found.constants;
}

std::string overlay_text(const std::string& gpu, std::span<const MeasuredConstant> constants) {
  // Interquartile range of a normal distribution, in standard deviations.
  constexpr double kQuartilesPerDeviation = 1.349;
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
