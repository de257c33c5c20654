// Prototypes from the public documentation, "NVIDIA Management Library (NVML) Reference Manual",
// https://docs.nvidia.com/deploy/nvml-api/ : the header is not part of every toolkit.
#include "validate/measure/nvml.h"

#include <dlfcn.h>

namespace tilecast {
namespace {

constexpr int kSuccess = 0;
constexpr double kJoulesPerMillijoule = 1e-3;

template <class Function>
Function symbol(void* library, const char* name) {
  return library == nullptr ? nullptr : reinterpret_cast<Function>(dlsym(library, name));
}

}  // namespace

struct Nvml::Library {
  void* handle = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  int (*init)() = symbol<int (*)()>(handle, "nvmlInit_v2");
  int (*shutdown)() = symbol<int (*)()>(handle, "nvmlShutdown");
  int (*driver_version)(char*,
                        unsigned) = symbol<int (*)(char*, unsigned)>(handle,
                                                                     "nvmlSystemGetDriverVersion");
  int (*device_by_bus)(const char*, void**) =
      symbol<int (*)(const char*, void**)>(handle, "nvmlDeviceGetHandleByPciBusId_v2");
  int (*total_energy)(void*, unsigned long long*) =
      symbol<int (*)(void*, unsigned long long*)>(handle, "nvmlDeviceGetTotalEnergyConsumption");
  bool started = init != nullptr && shutdown != nullptr && init() == kSuccess;

  Library() = default;
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
};

Nvml::Nvml(const std::string& pci_bus_id) : library_(std::make_unique<Library>()) {
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
  unsigned long long millijoules = 0;
  if (device_ == nullptr || library_->total_energy == nullptr ||
      library_->total_energy(device_, &millijoules) != kSuccess) {
    return std::nullopt;
  }
  return Joules{static_cast<double>(millijoules) * kJoulesPerMillijoule};
}

}  // namespace tilecast
