// Runs micro-benchmarks on the current GPU and collects their results.
#pragma once

#include <fmt/format.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/jit/cubin_cache.h"
#include "kernels/jit/device.h"
#include "kernels/jit/loaded_kernel.h"
#include "kernels/micro/timed_sample.h"
#include "validate/measure/device_facts.h"
#include "validate/measure/device_memory.h"
#include "validate/measure/micro/micro_point.h"
#include "validate/measure/timing/nvml.h"

namespace tilecast {

/// Compile-time parameters of kernels/micro/wgmma_loop.cuh, the wgmma loop that several kernels
/// time.
struct WgmmaLoop {
  i32 n;
  bool registers;
  i32 group, pending;

  std::string constants() const {
    return fmt::format(
        "constexpr int kWgmmaN = {}, kGroup = {}, kPending = {}; "
        "constexpr bool kAInRegisters = {};",
        n, group, pending, registers);
  }
  /// Shared memory of both operands for a K block of 64, in whole kilobytes.
  i32 shared_bytes() const { return 64 * 128 + (n * 128 + 1023) / 1024 * 1024; }
  std::string variant() const {
    return fmt::format("n={} a={}", n, registers ? "registers" : "shared");
  }
};

class MicroLab {
 public:
  /// Throws DeviceError if there is no Hopper GPU.
  MicroLab();

  /// Starts a pass of `group`: later reports belong to it. memory() returns different addresses for
  /// each pass, because partitions of L2, channels and TLBs depend on the address, and a constant's
  /// spread must include that.
  void begin_pass(std::string_view group, int number);

  /// Returns kernels/micro/NAME.cu after the constants that it needs, compiled and loaded once.
  /// Throws Error if the compiler rejects it.
  LoadedKernel& kernel(const std::string& name, const std::string& constants = "");

  /// Launches, waits, and returns the `count` samples that the kernel wrote to its last parameter.
  /// Throws Error with kernel, constants and sample if one was not written.
  template <class... Arguments>
  std::vector<TimedSample> run(LoadedKernel& kernel, const LaunchShape& shape, std::size_t count,
                               const Arguments&... arguments) {
    TimedSample* samples = clear_samples(count);
    void* pointers[] = {const_cast<void*>(static_cast<const void*>(&arguments))..., &samples};
    kernel.allow_shared_memory(shape.shared_memory_bytes);
    kernel.launch(shape, pointers, stream_.get());
    return read_samples(kernel, count);
  }

  /// Returns `bytes` of zeroed device memory; may reuse or free memory returned by an earlier call.
  char* memory(std::size_t bytes);
  /// A 32-bit counter in device memory, zeroed before the next launch.
  u32* counter();

  /// Reports `point`, completed with its origin.
  void report(MicroPoint point, const std::string& key, const std::string& variant,
              const std::string& kernel);
  /// Reports a number without a second unit.
  void report_number(const std::string& key, const std::string& variant, const std::string& kernel,
                     const std::string& unit, std::vector<double> values);

  const std::vector<MicroPoint>& points() const { return points_; }
  /// Returns the point found last; throws Error if there is none.
  const MicroPoint& point(const std::string& key, const std::string& variant) const;

  u32 sm_count() const { return static_cast<u32>(device_.sm_count); }
  const Stream& stream() const { return stream_; }
  const Nvml& nvml() const { return nvml_; }

 private:
  TimedSample* clear_samples(std::size_t count);
  std::vector<TimedSample> read_samples(const LoadedKernel& kernel, std::size_t count);

  Device device_;
  Stream stream_;
  Nvml nvml_;
  CubinCache cache_;
  std::map<std::string, LoadedKernel> kernels_;
  DeviceMemory samples_, memory_, counter_;
  std::string group_;
  std::size_t apart_ = 0;  // offset in bytes of the memory that memory() returns
  std::vector<MicroPoint> points_;
};

/// Shared memory of a CTA that leaves no room for a second CTA on its SM.
constexpr i32 kWholeSm = 200 * 1024;

constexpr LaunchShape one_warp(i32 shared_memory_bytes = 0) {
  return {.ctas = 1, .threads = 32, .shared_memory_bytes = shared_memory_bytes};
}

/// Runs `measure`, which returns one sample per position, once to warm up and then `times` times.
/// Returns the samples of each position.
template <class Measure>
std::vector<std::vector<TimedSample>> by_place(int times, const Measure& measure) {
  std::vector<std::vector<TimedSample>> places(measure().size());
  for (int i = 0; i < times; ++i) {
    const std::vector<TimedSample> samples = measure();
    for (std::size_t place = 0; place < places.size(); ++place) {
      places[place].push_back(samples[place]);
    }
  }
  return places;
}

/// Runs `measure`, which returns a single sample, once to warm up and then `times` times.
template <class Measure>
std::vector<TimedSample> repeated(int times, const Measure& measure) {
  return by_place(times, [&] { return std::vector<TimedSample>{measure()}; }).front();
}

}  // namespace tilecast
