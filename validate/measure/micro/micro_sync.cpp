#include <fmt/format.h>

#include "validate/measure/micro/micro_suite.h"

namespace tilecast {
namespace {

constexpr int kRepeats = 15;

/// One CTA or cluster, its first sample, again and again.
template <class... Arguments>
void report(MicroLab& lab, const std::string& name, const LaunchShape& shape,
            const std::string& key, const std::string& variant, Arguments... arguments) {
  LoadedKernel& kernel = lab.kernel(name);
  const auto run = [&] { return lab.run(kernel, shape, shape.ctas, arguments...)[0]; };
  run();
  lab.report(latency_point(repeated(kRepeats, run)), "sync", key, variant, name);
}

void barrier_operations(MicroLab& lab) {
  constexpr std::size_t kOperations = 4;
  const char* const names[kOperations] = {"arrive", "try_wait", "arrive_and_wait",
                                          "arrive_expect_tx"};
  LoadedKernel& kernel = lab.kernel("mbarrier_cost");
  std::vector<TimedSample> samples[kOperations];
  for (int i = 0; i < kRepeats; ++i) {
    const std::vector<TimedSample> all =
        lab.run(kernel, {.ctas = 1, .threads = 32, .shared_memory_bytes = 0}, kOperations, 1024u);
    for (std::size_t j = 0; j < kOperations; ++j) {
      samples[j].push_back(all[j]);
    }
  }
  for (std::size_t j = 0; j < kOperations; ++j) {
    lab.report(latency_point(samples[j]), "sync", fmt::format("mbarrier.{}", names[j]), "",
               "mbarrier_cost");
  }
}

void turnstile(MicroLab& lab) {
  LoadedKernel& kernel = lab.kernel("flag_hop");
  constexpr std::size_t kFlagBytes = 1024;
  const DeviceMemory flags(kFlagBytes);
  const auto run = [&] {
    TILECAST_CUDA(cudaMemsetAsync(flags.as<void>(), 0, kFlagBytes, lab.stream().get()));
    return lab.run(kernel, {.ctas = 2, .threads = 32, .shared_memory_bytes = kWholeSm}, 2,
                   flags.as<u32>(), 1000u)[0];
  };
  run();
  lab.report(latency_point(repeated(kRepeats, run)), "sync", "flag.hop", "two SMs", "flag_hop");
}

/// Staging accumulators of `warps` warps in shared memory.
void matrix_stores(MicroLab& lab, i32 warps, bool swizzled) {
  constexpr i32 kWarpBytes = 4096;
  constexpr std::size_t kParts = 3;
  const char* const keys[kParts] = {"stmatrix", "stmatrix.with_packing", "stmatrix.chunk"};
  LoadedKernel& kernel = lab.kernel("stmatrix");
  std::vector<TimedSample> samples[kParts];
  for (int i = 0; i < kRepeats; ++i) {
    const std::vector<TimedSample> all = lab.run(
        kernel, {.ctas = 1, .threads = warps * 32, .shared_memory_bytes = warps * kWarpBytes},
        kParts, 500u, swizzled ? 1u : 0u);
    for (std::size_t part = 0; part < kParts; ++part) {
      samples[part].push_back(all[part]);
    }
  }
  for (std::size_t part = 0; part < kParts; ++part) {
    lab.report(latency_point(samples[part]), "sync", keys[part],
               fmt::format("warps={} {}", warps, swizzled ? "swizzled" : "unswizzled"), "stmatrix");
  }
}

}  // namespace

void measure_sync(MicroLab& lab) {
  barrier_operations(lab);
  for (const i32 warps : {2, 5, 9}) {
    report(lab, "mbarrier_wake", {.ctas = 1, .threads = warps * 32, .shared_memory_bytes = 0},
           "mbarrier.wake", fmt::format("waiting_warps={}", warps - 1), 1000u);
  }
  report(lab, "mbarrier_remote",
         {.ctas = 2, .threads = 32, .shared_memory_bytes = kWholeSm, .cluster_size = 2},
         "mbarrier.remote_wake", "cluster=2", 1000u);
  for (const i32 warps : {1, 4, 8, 12, 16, 32}) {
    report(lab, "named_barrier", {.ctas = 1, .threads = warps * 32, .shared_memory_bytes = 0},
           "named_barrier", fmt::format("warps={}", warps), 2000u);
  }
  for (const i32 cluster : {1, 2, 4}) {
    report(lab, "cluster_barrier",
           {.ctas = static_cast<u32>(cluster),
            .threads = 128,
            .shared_memory_bytes = kWholeSm,
            .cluster_size = cluster},
           "cluster_barrier", fmt::format("ctas={}", cluster), 1000u);
  }
  turnstile(lab);
  for (const i32 warps : {4, 8, 12}) {
    matrix_stores(lab, warps, true);
  }
  matrix_stores(lab, 4, false);
}

}  // namespace tilecast
