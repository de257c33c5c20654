#include "validate/measure/micro/micro_lab.h"

#include <algorithm>

#include "model/base/error.h"

namespace tilecast {

MicroLab::MicroLab()
    : device_(require_hopper()), nvml_(device_facts(device_).pci_bus_id), counter_(sizeof(u32)) {}

void MicroLab::begin_pass(std::string_view group, int number) {
  group_ = group;
  // Neither a multiple of a 2 MiB page nor aligned to a line.
  constexpr std::size_t kApart = (std::size_t{37} << 20) + 53 * 4096;
  apart_ = kApart * static_cast<std::size_t>(number);
}

LoadedKernel& MicroLab::kernel(const std::string& name, const std::string& constants) {
  const std::string id = name + " " + constants;
  const auto found = kernels_.find(id);
  if (found != kernels_.end()) {
    return found->second;
  }
  const CompiledKernel compiled =
      cache_.get(with_constants("kernels/micro/" + name + ".cu", constants));
  if (!compiled.usable()) {
    throw Error(ExitCode::kWrong, fmt::format("{}: {}", id, compiled.rejection));
  }
  return kernels_.emplace(id, LoadedKernel(compiled.cubin, ("tilecast_" + name).c_str()))
      .first->second;
}

TimedSample* MicroLab::clear_samples(std::size_t count) {
  const std::size_t bytes = count * sizeof(TimedSample);
  samples_.reserve(bytes);
  TILECAST_CUDA(cudaMemsetAsync(samples_.as<void>(), 0, bytes, stream_.get()));
  return samples_.as<TimedSample>();
}

std::vector<TimedSample> MicroLab::read_samples(const LoadedKernel& kernel, std::size_t count) {
  std::vector<TimedSample> samples = copy_to_host(samples_.as<TimedSample>(), count, stream_.get());
  for (std::size_t i = 0; i < count; ++i) {
    if (samples[i].valid != 1) {
      const auto found = std::find_if(kernels_.begin(), kernels_.end(),
                                      [&](const auto& entry) { return &entry.second == &kernel; });
      throw Error(ExitCode::kWrong,
                  fmt::format("{} did not write sample {} of {}",
                              found == kernels_.end() ? "a kernel" : found->first, i, count));
    }
  }
  return samples;
}

char* MicroLab::memory(std::size_t bytes) {
  stream_.synchronize();
  memory_.reserve(apart_ + bytes);
  TILECAST_CUDA(cudaMemsetAsync(memory_.as<void>(apart_), 0, bytes, stream_.get()));
  stream_.synchronize();
  return memory_.as<char>(apart_);
}

u32* MicroLab::counter() {
  TILECAST_CUDA(cudaMemsetAsync(counter_.as<void>(), 0, sizeof(u32), stream_.get()));
  return counter_.as<u32>();
}

void MicroLab::report(MicroPoint point, const std::string& key, const std::string& variant,
                      const std::string& kernel) {
  point.group = group_;
  point.key = key;
  point.variant = variant;
  point.kernel = kernel;
  points_.push_back(point);
}

void MicroLab::report_number(const std::string& key, const std::string& variant,
                             const std::string& kernel, const std::string& unit,
                             std::vector<double> values) {
  MicroPoint point;
  point.samples = static_cast<int>(values.size());
  point.value = quartiles_of(std::move(values));
  point.unit = unit;
  report(point, key, variant, kernel);
}

const MicroPoint& MicroLab::point(const std::string& key, const std::string& variant) const {
  const auto found = std::find_if(points_.rbegin(), points_.rend(), [&](const MicroPoint& point) {
    return point.key == key && point.variant == variant;
  });
  if (found != points_.rend()) {
    return *found;
  }
  throw Error(ExitCode::kWrong, fmt::format("{} ({}) was not measured", key, variant));
}

}  // namespace tilecast
