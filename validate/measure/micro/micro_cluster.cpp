#include <fmt/format.h>

#include "validate/measure/micro/micro_suite.h"

namespace tilecast {
namespace {

constexpr int kRepeats = 7;

LaunchShape shape_of(i32 cluster, i32 threads) {
  return {.ctas = static_cast<u32>(cluster),
          .threads = threads,
          .shared_memory_bytes = kWholeSm,
          .cluster_size = cluster};
}

/// One cluster alone, or all that are resident at once.
std::vector<LaunchShape> alone_and_all(LoadedKernel& kernel, LaunchShape shape) {
  kernel.allow_shared_memory(shape.shared_memory_bytes);
  LaunchShape all = shape;
  all.ctas *= static_cast<u32>(kernel.resident_clusters(shape));
  return {shape, all};
}

void copies(MicroLab& lab, i32 cluster) {
  constexpr u32 kTurns = 400;
  LoadedKernel& kernel = lab.kernel("dsmem_copy", {fmt::format("TILECAST_CLUSTER={}", cluster)});
  const auto report = [&](const LaunchShape& shape, u32 bytes, u32 slots, bool all_peers) {
    std::vector<TimedSample> samples;
    for (int i = 0; i < kRepeats; ++i) {
      const std::vector<TimedSample> of_ctas = lab.run(kernel, shape, shape.ctas, bytes, slots,
                                                       kTurns, all_peers ? 1u : 0u, lab.counter());
      samples.insert(samples.end(), of_ctas.begin(), of_ctas.end());
    }
    const std::string variant = fmt::format("bytes={} cluster={} to={} ctas={}", bytes, cluster,
                                            all_peers ? "all_others" : "the_next", shape.ctas);
    if (slots == 1) {
      lab.report(latency_point(samples), "cluster", "cluster.copy_latency", variant, "dsmem_copy");
    } else {
      lab.report(rate_point(samples, "B"), "cluster", "cluster.copy_rate",
                 fmt::format("{} slots={}", variant, slots), "dsmem_copy");
    }
  };
  for (const LaunchShape& shape : alone_and_all(kernel, shape_of(cluster, 32))) {
    for (const u32 bytes : {128u, 2048u, 16384u}) {
      report(shape, bytes, 1, false);
    }
    for (const u32 bytes : {2048u, 8192u, 16384u}) {
      report(shape, bytes, 8, false);
      if (cluster > 2) {
        report(shape, bytes, 8, true);
      }
    }
  }
}

void stores(MicroLab& lab, i32 cluster) {
  constexpr u32 kTurns = 50;
  for (const i32 fours : {2, 8, 32}) {
    LoadedKernel& kernel = lab.kernel("dsmem_store", {fmt::format("TILECAST_CLUSTER={}", cluster),
                                                      fmt::format("TILECAST_FOURS={}", fours)});
    for (const i32 warpgroups : {1, 2}) {
      for (const LaunchShape& shape : alone_and_all(kernel, shape_of(cluster, warpgroups * 128))) {
        for (const bool all_peers : {false, true}) {
          if (all_peers && cluster == 2) {
            continue;
          }
          std::vector<TimedSample> samples;
          for (int i = 0; i < kRepeats; ++i) {
            const std::vector<TimedSample> of_ctas =
                lab.run(kernel, shape, shape.ctas, kTurns, all_peers ? 1u : 0u, lab.counter());
            samples.insert(samples.end(), of_ctas.begin(), of_ctas.end());
          }
          lab.report(
              latency_point(samples), "cluster", "cluster.store_turn",
              fmt::format("kib={} warpgroups={} cluster={} to={} ctas={}", warpgroups * fours * 2,
                          warpgroups, cluster, all_peers ? "all_others" : "the_next", shape.ctas),
              "dsmem_store");
        }
      }
    }
  }
}

}  // namespace

void measure_clusters(MicroLab& lab) {
  for (const i32 cluster : {2, 4, 8}) {
    copies(lab, cluster);
    stores(lab, cluster);
  }
}

}  // namespace tilecast
