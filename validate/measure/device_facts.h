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
  Bytes memory_bus;  // wide
  Bytes memory;      // all of it
};

/// Throws DeviceError or CudaError.
DeviceFacts device_facts(const Device& device);

/// Whether this process can still use the GPU after a CUDA error, which it clears.
bool context_is_alive();

/// 580.159.04 from the loaded kernel module, without a CUDA call; empty if there is none.
std::string kernel_driver_version();

/// "13.0": the CUDA runtime this program was built with.
std::string toolkit_version();

}  // namespace tilecast
