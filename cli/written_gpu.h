// Writes a GPU file from the driver's data (`doctor --write-gpu`), based on the known GPU of the
// same architecture that is nearest in SMs and memory bandwidth. The driver reports the SMs, the
// L2, the highest clocks and the width of the memory bus, but neither power limits nor achieved
// bandwidths: both are taken from the other GPU (configs/README.md) until they are measured
// (docs/gpu.md). Checked by: written_gpu_test.cpp, from recorded output of `tilecast-gpu probe`.
#pragma once

#include <filesystem>
#include <string>

#include "model/base/integers.h"
#include "model/base/units.h"
#include "validate/run/child_process.h"

namespace tilecast {

struct DeviceAttributes {
  std::string product, uuid;
  std::string compute_capability;  // "9.0"
  i32 sm_count;
  Bytes l2;
  Hertz most_sm_clock;
  BytesPerSecond bandwidth;  // two transfers of the whole bus in each of the memory's cycles
  Bytes memory;
};

/// Throws DeviceError if the probe found no device, or did not report its attributes.
DeviceAttributes attributes_from_probe(const ChildResult& probe);

/// Name of the GPU in `config_folder` to base the file on. Throws ConfigError if none has the
/// device's architecture.
std::string nearest_gpu(const DeviceAttributes& device, const std::filesystem::path& config_folder);

/// Returns YAML for a file NAME.yaml.
std::string gpu_file_text(const DeviceAttributes& device, const std::string& name,
                          const std::string& based_on);

/// Writes and loads a new file. Throws ConfigError if `path` is not .yaml or exists already.
void write_gpu_file(const DeviceAttributes& device, const std::filesystem::path& path);

}  // namespace tilecast
