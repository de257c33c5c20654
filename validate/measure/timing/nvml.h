// The driver's management library, opened at run time. Without it, only the columns of power,
// temperature and clock events and the driver's full version are missing.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "model/base/integers.h"
#include "model/base/units.h"

namespace tilecast {

class Nvml {
 public:
  /// `pci_bus_id`: in the CUDA runtime's form, 0000:1b:00.0. Does not throw; values that are not
  /// available are std::nullopt.
  explicit Nvml(const std::string& pci_bus_id, const char* library = "libnvidia-ml.so.1");
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  std::optional<std::string> driver_version() const;  // 580.159.04
  /// Energy since the driver was loaded; updated every 20 to 100 ms.
  std::optional<Joules> energy() const;
  std::optional<Celsius> temperature() const;
  /// Current reasons that hold the clock below its maximum, as bits; clock_event_text decodes them.
  std::optional<u64> clock_event_reasons() const;

 private:
  struct Library;
  std::unique_ptr<Library> library_;
  void* device_ = nullptr;
};

/// Returns "sw_power_cap+hw_slowdown", "none", or an empty string if nothing is known. The reason
/// "GPU idle" is omitted, because it only means that the reading fell between two kernels. Bits
/// without a name are in hex.
std::string clock_event_text(std::optional<u64> reasons);

}  // namespace tilecast
