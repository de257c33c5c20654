// Energy per operation: power by NVML's energy counter over a second of one load, by the rate of
// that load. A difference of two loads that differ in one thing gives that thing's energy; the fit
// of that is the calibration's, here each load is reported as it is.
#include <fmt/format.h>

#include <chrono>
#include <functional>
#include <thread>

#include "model/base/error.h"
#include "validate/measure/micro_suite.h"

namespace tilecast {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kSettle = std::chrono::milliseconds(300);
constexpr auto kMeasure = std::chrono::milliseconds(1000);
constexpr std::size_t kMostSmIds = 1024;

/// What one load did while its power was read.
struct LoadResult {
  double watts, amount_per_second, clock_ghz;
};

/// `run` is one launch of some milliseconds that returns what it did.
LoadResult hold(MicroLab& lab, const std::function<TimedSample()>& run) {
  const auto settled = Clock::now() + kSettle;
  while (Clock::now() < settled) {
    run();
  }
  const std::optional<Joules> before = lab.nvml().energy();
  const auto begin = Clock::now();
  double amount = 0;
  std::vector<TimedSample> samples;
  while (Clock::now() - begin < kMeasure) {
    samples.push_back(run());
    amount += static_cast<double>(samples.back().amount);
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  const std::optional<Joules> after = lab.nvml().energy();
  if (!before || !after) {
    throw Error(ExitCode::kNoPermission, "the energy counter cannot be read");
  }
  return {(after->value - before->value) / seconds, amount / seconds, clock_ghz(samples)};
}

void report(MicroLab& lab, const std::string& variant, const std::string& kernel,
            const std::string& unit, const std::function<TimedSample()>& run) {
  const LoadResult result = hold(lab, run);
  lab.report_number("energy", "power.load_watts", variant, kernel, "W", {result.watts});
  lab.report_number("energy", "power.load_rate", variant, kernel, unit + "/s",
                    {result.amount_per_second});
  lab.report_number("energy", "power.load_clock", variant, kernel, "GHz", {result.clock_ghz});
}

void tensor(MicroLab& lab, i32 n, bool random) {
  LoadedKernel& kernel =
      lab.kernel("wgmma_rate",
                 {fmt::format("TILECAST_N={}", n), "TILECAST_A_IN_REGISTERS=0", "TILECAST_GROUP=4",
                  "TILECAST_PENDING=1", "TILECAST_WARPGROUPS=1", "TILECAST_ACCUMULATORS=1"});
  const u32 sms = lab.sm_count();
  const LaunchShape shape{.ctas = sms, .threads = 128, .shared_memory_bytes = kWholeSm};
  const u64 flops = 2 * 64 * 16 * static_cast<u64>(n);
  const u32 groups = 20000u * 256u / static_cast<u32>(n);
  report(lab, fmt::format("tensor n={} {}", n, random ? "random" : "zeros"), "wgmma_rate", "FLOP",
         [&] {
           TimedSample all = joined(lab.run(kernel, shape, sms, groups, random ? 1u : 0u));
           all.amount *= flops;
           return all;
         });
}

void shared_memory(MicroLab& lab) {
  constexpr i32 kThreads = 1024;
  LoadedKernel& kernel = lab.kernel("shared_read");
  const u32 sms = lab.sm_count();
  const LaunchShape shape{
      .ctas = sms, .threads = kThreads, .shared_memory_bytes = kThreads * 16 * 8};
  report(lab, "shared-memory reads", "shared_read", "B",
         [&] { return joined(lab.run(kernel, shape, sms, 10000u)); });
}

/// Bulk copies from L2 or through all of memory, a ring on every SM.
void copies(MicroLab& lab, bool from_dram) {
  constexpr u32 kBytes = 8192, kSlots = 16;
  const u32 sms = lab.sm_count();
  std::vector<SmTask> tasks(kMostSmIds);
  for (u32 smid = 0; smid < kMostSmIds; ++smid) {
    const u32 sm = smid < sms ? smid : 0;
    tasks[smid] = from_dram ? SmTask{smid < sms ? 1u : 0u, 0, sm, sms}
                            : SmTask{smid < sms ? 1u : 0u, sm, 0, 1};
  }
  const DeviceMemory device_tasks(kMostSmIds * sizeof(SmTask));
  TILECAST_CUDA(cudaMemcpy(device_tasks.as<void>(), tasks.data(), kMostSmIds * sizeof(SmTask),
                           cudaMemcpyHostToDevice));
  const u64 region = from_dram ? u64{6} << 30 : u64{128} << 10;
  const char* memory = lab.memory(from_dram ? region : region * sms);
  LoadedKernel& kernel = lab.kernel("tma_ring");
  const LaunchShape shape{.ctas = sms, .threads = 32, .shared_memory_bytes = kWholeSm};
  report(lab, from_dram ? "DRAM reads" : "L2 reads", "tma_ring", "B", [&] {
    return joined(lab.run(kernel, shape, sms, memory, region, kBytes, kSlots, 20000u,
                          static_cast<const SmTask*>(device_tasks.as<SmTask>()), lab.counter()));
  });
}

void idle(MicroLab& lab) {
  const std::optional<Joules> before = lab.nvml().energy();
  const auto begin = Clock::now();
  std::this_thread::sleep_for(kMeasure);
  const std::optional<Joules> after = lab.nvml().energy();
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  if (before && after) {
    lab.report_number("energy", "power.load_watts", "idle", "none", "W",
                      {(after->value - before->value) / seconds});
  }
}

/// All SMs awake in a loop of shared-memory loads by one thread each.
void awake(MicroLab& lab) {
  LoadedKernel& kernel = lab.kernel("shared_latency");
  const u32 sms = lab.sm_count();
  const LaunchShape shape{.ctas = sms, .threads = 32, .shared_memory_bytes = kWholeSm};
  report(lab, "SMs awake", "shared_latency", "op",
         [&] { return joined(lab.run(kernel, shape, sms, 200000u)); });
}

}  // namespace

void measure_energy(MicroLab& lab) {
  idle(lab);
  awake(lab);
  for (const i32 n : {64, 256}) {
    tensor(lab, n, false);
    tensor(lab, n, true);
  }
  shared_memory(lab);
  copies(lab, false);
  copies(lab, true);
}

}  // namespace tilecast
