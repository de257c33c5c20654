// The driver's management library, opened at run time: its absence is normal and costs only the
// power column and the driver's full version.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "model/base/units.h"

namespace tilecast {

class Nvml {
 public:
  /// `pci_bus_id` as the CUDA runtime writes it, 0000:1b:00.0. Throws nothing: what cannot be had
  /// stays absent.
  explicit Nvml(const std::string& pci_bus_id);
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  std::optional<std::string> driver_version() const;  // 580.159.04
  /// Since the driver was loaded; steps every 20 to 100 ms.
  std::optional<Joules> energy() const;

 private:
  struct Library;
  std::unique_ptr<Library> library_;
  void* device_ = nullptr;
};

}  // namespace tilecast
