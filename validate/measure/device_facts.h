// The machine's properties as the driver reports them, for rows and GPU files.
#pragma once

#include <string>

#include "kernels/jit/device.h"
#include "model/base/units.h"

namespace tilecast {

struct DeviceFacts {
  std::string uuid;        // GPU-01234567-89ab-...
  std::string pci_bus_id;  // 0000:1b:00.0
  Bytes l2;
  Hertz most_sm_clock, most_memory_clock;
  Bytes memory_bus;  // width in bytes
  Bytes memory;      // total memory
};

/// Throws DeviceError or CudaError.
DeviceFacts device_facts(const Device& device);

/// Whether this process can still use the GPU after a CUDA error; clears the error.
bool context_is_alive();

/// Returns the version of the loaded kernel module, such as 580.159.04, without a CUDA call; empty
/// if there is none.
std::string kernel_driver_version();

/// Version of the CUDA runtime that this program was built with, such as "13.0".
std::string toolkit_version();

}  // namespace tilecast
