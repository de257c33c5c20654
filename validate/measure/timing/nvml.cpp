// Prototypes from the public documentation, "NVIDIA Management Library (NVML) Reference Manual",
// https://docs.nvidia.com/deploy/nvml-api/ : the header is not part of every toolkit.
#include "validate/measure/timing/nvml.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <utility>

namespace tilecast {
namespace {

constexpr int kSuccess = 0;
constexpr int kGpuSensor = 0;  // NVML_TEMPERATURE_GPU
constexpr double kJoulesPerMillijoule = 1e-3;
constexpr u64 kIdle = 1;

// nvmlClocksEventReason*
constexpr std::pair<u64, const char*> kReasons[] = {
    {0x2, "applications_clocks_setting"},
    {0x4, "sw_power_cap"},
    {0x8, "hw_slowdown"},
    {0x10, "sync_boost"},
    {0x20, "sw_thermal_slowdown"},
    {0x40, "hw_thermal_slowdown"},
    {0x80, "hw_power_brake_slowdown"},
    {0x100, "display_clock_setting"},
};

/// Returns the value that `function` writes through its last argument.
template <class T, class Function, class... Arguments>
std::optional<T> read(Function* function, void* device, Arguments... arguments) {
  T value{};
  const bool known = device != nullptr && function != nullptr &&
                     function(device, arguments..., &value) == kSuccess;
  return known ? std::optional(value) : std::nullopt;
}

}  // namespace

struct Nvml::Library {
  void* handle;
  int (*init)() = find<int()>("nvmlInit_v2");
  int (*shutdown)() = find<int()>("nvmlShutdown");
  int (*driver_version)(char*, unsigned) = find<int(char*, unsigned)>("nvmlSystemGetDriverVersion");
  int (*device_by_bus)(const char*,
                       void**) = find<int(const char*, void**)>("nvmlDeviceGetHandleByPciBusId_v2");
  int (*total_energy)(void*, unsigned long long*) =
      find<int(void*, unsigned long long*)>("nvmlDeviceGetTotalEnergyConsumption");
  int (*temperature)(void*, int,
                     unsigned*) = find<int(void*, int, unsigned*)>("nvmlDeviceGetTemperature");
  int (*event_reasons)(void*, unsigned long long*) = find_event_reasons();
  bool started = init != nullptr && shutdown != nullptr && init() == kSuccess;

  explicit Library(const char* name) : handle(dlopen(name, RTLD_NOW | RTLD_LOCAL)) {}
  ~Library() {
    if (started) {
      shutdown();
    }
    if (handle != nullptr) {
      dlclose(handle);
    }
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

 private:
  template <class Signature>
  Signature* find(const char* symbol) const {
    return handle == nullptr ? nullptr : reinterpret_cast<Signature*>(dlsym(handle, symbol));
  }
  /// Drivers before 535 export this function under its original name.
  int (*find_event_reasons() const)(void*, unsigned long long*) {
    using Signature = int(void*, unsigned long long*);
    Signature* const now = find<Signature>("nvmlDeviceGetCurrentClocksEventReasons");
    return now != nullptr ? now : find<Signature>("nvmlDeviceGetCurrentClocksThrottleReasons");
  }
};

Nvml::Nvml(const std::string& pci_bus_id, const char* library)
    : library_(std::make_unique<Library>(library)) {
  if (library_->started && library_->device_by_bus != nullptr &&
      library_->device_by_bus(pci_bus_id.c_str(), &device_) != kSuccess) {
    device_ = nullptr;
  }
}

Nvml::~Nvml() = default;

std::optional<std::string> Nvml::driver_version() const {
  constexpr unsigned kLongest = 96;
  char text[kLongest] = {};
  if (!library_->started || library_->driver_version == nullptr ||
      library_->driver_version(text, kLongest) != kSuccess) {
    return std::nullopt;
  }
  return std::string(text);
}

std::optional<Joules> Nvml::energy() const {
  const auto millijoules = read<unsigned long long>(library_->total_energy, device_);
  return millijoules
             ? std::optional(Joules{static_cast<double>(*millijoules) * kJoulesPerMillijoule})
             : std::nullopt;
}

std::optional<Celsius> Nvml::temperature() const {
  const auto degrees = read<unsigned>(library_->temperature, device_, kGpuSensor);
  return degrees ? std::optional(Celsius{static_cast<double>(*degrees)}) : std::nullopt;
}

std::optional<u64> Nvml::clock_event_reasons() const {
  return read<unsigned long long>(library_->event_reasons, device_);
}

std::string clock_event_text(std::optional<u64> reasons) {
  if (!reasons) {
    return "";
  }
  u64 left = *reasons & ~kIdle;
  std::string text;
  const auto add = [&](const std::string& word) { text += (text.empty() ? "" : "+") + word; };
  for (const auto& [bit, name] : kReasons) {
    if ((left & bit) != 0) {
      add(name);
      left &= ~bit;
    }
  }
  if (left != 0) {
    add(fmt::format("{:#x}", left));
  }
  return text.empty() ? "none" : text;
}

}  // namespace tilecast
