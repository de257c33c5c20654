// Chains of loads, and signals between warps. Each launch gives one sample.
#include "validate/measure/micro/micro_suite.h"

namespace tilecast {
namespace {

constexpr int kRepeats = 15;

/// Reports the latency: launches the kernel repeatedly and takes the first sample of each launch.
template <class... Arguments>
void report(MicroLab& lab, const std::string& name, const LaunchShape& shape,
            const std::string& key, const std::string& variant, Arguments... arguments) {
  LoadedKernel& kernel = lab.kernel(name);
  const auto run = [&] { return lab.run(kernel, shape, shape.ctas, arguments...)[0]; };
  lab.report(latency_point(repeated(kRepeats, run)), key, variant, name);
}

void chain(MicroLab& lab, u64 span, const std::string& key, const std::string& variant) {
  constexpr u32 kLoads = 1000;
  LoadedKernel& kernel = lab.kernel("load_latency");
  const char* memory = lab.memory(std::size_t{8} << 30);
  // In L2, only the second pass over the same addresses counts; beyond L2, each run draws new
  // addresses.
  const bool in_l2 = span <= u64{16} << 20;
  const u32 passes = in_l2 ? 2 : 1;
  u32 seed = 1;
  const auto run = [&] {
    seed += in_l2 ? 0 : 1;
    return lab.run(kernel, one_warp(), passes, memory, span, seed, kLoads, passes)[passes - 1];
  };
  lab.report(latency_point(repeated(kRepeats, run)), key, variant, "load_latency");
}

void turnstile(MicroLab& lab) {
  constexpr std::size_t kFlagBytes = 1024;
  LoadedKernel& kernel = lab.kernel("flag_hop");
  const DeviceMemory flags(kFlagBytes);
  const auto run = [&] {
    TILECAST_CUDA(cudaMemsetAsync(flags.as<void>(), 0, kFlagBytes, lab.stream().get()));
    return lab.run(kernel, {.ctas = 2, .threads = 32, .shared_memory_bytes = kWholeSm}, 2,
                   flags.as<u32>(), 1000u)[0];
  };
  lab.report(latency_point(repeated(kRepeats, run)), "flag.hop", "two SMs", "flag_hop");
}

}  // namespace

void measure_latency(MicroLab& lab) {
  report(lab, "shared_latency", one_warp(), "shared_memory.load_latency", "", 4000u);
  chain(lab, u64{1} << 20, "l2.load_latency", "span=1MiB");
  chain(lab, u64{16} << 20, "l2.load_latency", "span=16MiB");
  chain(lab, u64{512} << 20, "dram.load_latency", "span=512MiB");
  chain(lab, u64{2} << 30, "dram.load_latency", "span=2GiB");
  chain(lab, u64{8} << 30, "dram.load_latency", "span=8GiB");
}

void measure_sync(MicroLab& lab) {
  const auto warps_of_cta = [](i32 warps) {
    return LaunchShape{.ctas = 1, .threads = warps * 32, .shared_memory_bytes = 0};
  };
  for (const i32 warps : {2, 5, 9}) {
    report(lab, "mbarrier_wake", warps_of_cta(warps), "mbarrier.wake",
           fmt::format("waiting_warps={}", warps - 1), 1000u);
  }
  report(lab, "mbarrier_remote",
         {.ctas = 2, .threads = 32, .shared_memory_bytes = kWholeSm, .cluster_size = 2},
         "mbarrier.remote_wake", "cluster=2", 1000u);
  for (const i32 warps : {1, 4, 8, 12, 16, 32}) {
    report(lab, "named_barrier", warps_of_cta(warps), "named_barrier",
           fmt::format("warps={}", warps), 2000u);
  }
  turnstile(lab);
}

}  // namespace tilecast
