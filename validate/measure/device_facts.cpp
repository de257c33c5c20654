#include "validate/measure/device_facts.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "kernels/jit/cuda_error.h"

namespace tilecast {
namespace {

std::string uuid_text(const cudaUUID_t& uuid) {
  std::string text = "GPU";
  for (int i = 0; i < 16; ++i) {
    const bool starts_group = i == 0 || i == 4 || i == 6 || i == 8 || i == 10;
    text += fmt::format("{}{:02x}", starts_group ? "-" : "",
                        static_cast<unsigned>(static_cast<unsigned char>(uuid.bytes[i])));
  }
  return text;
}

}  // namespace

DeviceFacts device_facts(const Device& device) {
  cudaDeviceProp properties{};
  TILECAST_CUDA(cudaGetDeviceProperties(&properties, device.ordinal));
  char bus[32] = {};
  TILECAST_CUDA(cudaDeviceGetPCIBusId(bus, sizeof bus, device.ordinal));
  const auto attribute = [&](cudaDeviceAttr which) {
    int value = 0;
    TILECAST_CUDA(cudaDeviceGetAttribute(&value, which, device.ordinal));
    return static_cast<double>(value);
  };
  constexpr double kKilo = 1e3, kBits = 8;
  return {.uuid = uuid_text(properties.uuid),
          .pci_bus_id = bus,
          .l2 = {static_cast<double>(properties.l2CacheSize)},
          .most_sm_clock = {attribute(cudaDevAttrClockRate) * kKilo},
          .most_memory_clock = {attribute(cudaDevAttrMemoryClockRate) * kKilo},
          .memory_bus = {attribute(cudaDevAttrGlobalMemoryBusWidth) / kBits},
          .memory = {static_cast<double>(properties.totalGlobalMem)}};
}

bool context_is_alive() {
  (void)cudaGetLastError();
  return cudaDeviceSynchronize() == cudaSuccess;
}

std::string toolkit_version() {
  return fmt::format("{}.{}", CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
}

std::string kernel_driver_version() {
  // The line reads "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.04  Tue ..."; takes the
  // first word of digits and dots.
  std::ifstream file("/proc/driver/nvidia/version");
  std::string line;
  std::getline(file, line);
  std::istringstream words(line);
  for (std::string word; words >> word;) {
    if (word.find('.') != std::string::npos &&
        word.find_first_not_of("0123456789.") == std::string::npos) {
      return word;
    }
  }
  return "";
}

}  // namespace tilecast
