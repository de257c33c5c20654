#include "cli/written_gpu.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "model/base/error.h"
#include "model/base/file.h"
#include "model/base/refuse.h"
#include "model/base/shown_text.h"
#include "model/spec/load_gpu.h"

namespace tilecast {
namespace {

constexpr double kTransfersPerCycle =
    2;  // transfers per cycle as the driver counts cycles, for both HBM and GDDR

Architecture architecture_of(const DeviceAttributes& device) {
  if (device.compute_capability == "9.0") {
    return Architecture::kHopper;
  }
  if (device.compute_capability == "10.0") {
    return Architecture::kBlackwell;
  }
  if (device.compute_capability == "12.0") {
    return Architecture::kBlackwellRtx;
  }
  if (device.compute_capability == "8.9") {
    return Architecture::kAda;
  }
  if (device.compute_capability.starts_with("8.")) {
    return Architecture::kAmpere;
  }
  throw ConfigError(
      fmt::format("{} has compute capability {}: a GPU file is based on one of 8.0 to 9.0, 10.0 "
                  "or 12.0",
                  printable(device.product), printable(device.compute_capability)));
}

/// The logarithm of the ratio of the two numbers, without sign.
double apart(double a, double b) { return std::abs(std::log(a / b)); }

std::string yaml_text(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

}  // namespace

DeviceAttributes attributes_from_probe(const ChildResult& probe) {
  const nlohmann::json answer = nlohmann::json::parse(probe.output, nullptr, false);
  refuse_if<DeviceError>(
      !probe.started,
      "cannot write a GPU file: tilecast-gpu, which queries the driver, was not built");
  refuse_if<DeviceError>(
      probe.exit_code != 0 || !answer.is_object(),
      "cannot write a GPU file: the output of tilecast-gpu probe cannot be parsed");
  refuse_if<DeviceError>(!answer.contains("device"), "cannot write a GPU file: {}",
                         answer.value("device_error", "no GPU was found"));
  try {
    const nlohmann::json& device = answer["device"];
    return {.product = device.at("name"),
            .uuid = device.at("uuid"),
            .compute_capability = device.at("compute_capability"),
            .sm_count = device.at("sms"),
            .l2 = {device.at("l2_bytes")},
            .most_sm_clock = {device.at("most_sm_clock_hz")},
            .bandwidth = {kTransfersPerCycle * device.at("most_memory_clock_hz").get<double>() *
                          device.at("memory_bus_bytes").get<double>()},
            .memory = {device.at("memory_bytes")}};
  } catch (const nlohmann::json::exception&) {
    throw DeviceError(
        "cannot write a GPU file: this tilecast-gpu does not report the device's attributes");
  }
}

std::string nearest_gpu(const DeviceAttributes& device,
                        const std::filesystem::path& config_folder) {
  const Architecture architecture = architecture_of(device);
  std::string nearest;
  double least = std::numeric_limits<double>::infinity();
  for (const std::string& name : known_gpus(config_folder)) {
    const GpuSpec gpu = load_gpu(name, false, config_folder).spec;
    if (gpu.architecture != architecture || !gpu.dram) {
      continue;
    }
    const double distance = apart(gpu.sm.count, device.sm_count) +
                            apart(gpu.dram->bandwidth.value, device.bandwidth.value);
    if (distance < least) {
      nearest = name;
      least = distance;
    }
  }
  refuse_if(nearest.empty(), "{}/gpus: contains no {} GPU on which to base the file",
            config_folder.string(), to_text(architecture));
  return nearest;
}

std::string gpu_file_text(const DeviceAttributes& device, const std::string& name,
                          const std::string& based_on) {
  constexpr double kMega = 1e6, kTera = 1e12;
  const auto line = [&](std::string_view key, double value, std::string_view unit,
                        std::string_view source, std::string_view attribute) {
    return fmt::format(
        "  {}: {{value: {:.10g}, unit: \"{}\", source: {}, confidence: high, ref: \"{} of {}\"}}\n",
        key, value, unit, source, attribute, device.uuid);
  };
  return fmt::format(
             "# Made by `tilecast doctor --write-gpu {}.yaml` from the driver's data, which "
             "lacks\n# power limits: add power.sustained_limit if this GPU's differs from {}'s.\n"
             "name: {}\nproduct: {}\nbased_on: {}\n",
             name, based_on, name, yaml_text(device.product), based_on) +
         "\nsm:\n" +
         line("count", device.sm_count, "1", "published", "cudaDevAttrMultiProcessorCount") +
         "\nl2:\n" + line("capacity", device.l2.value, "B", "published", "cudaDevAttrL2CacheSize") +
         "\ndram:\n" +
         line("bandwidth", device.bandwidth.value / kTera, "TB/s", "derived",
              "2 cudaDevAttrMemoryClockRate cudaDevAttrGlobalMemoryBusWidth") +
         line("capacity", device.memory.value, "B", "published", "cudaDeviceProp.totalGlobalMem") +
         "\nclock:\n" +
         line("max", device.most_sm_clock.value / kMega, "MHz", "published",
              "cudaDevAttrClockRate");
}

void write_gpu_file(const DeviceAttributes& device, const std::filesystem::path& path) {
  refuse_if(path.extension() != ".yaml" || path.stem().empty(),
            "--write-gpu {}: expected NAME.yaml", path.string());
  std::error_code ignored;
  refuse_if(std::filesystem::exists(path, ignored), "{} already exists", path.string());
  write_file(path,
             gpu_file_text(device, path.stem().string(), nearest_gpu(device, config_folder())));
  (void)load_gpu(path.string(), true);
}

}  // namespace tilecast
