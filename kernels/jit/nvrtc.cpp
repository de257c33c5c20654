#include "kernels/jit/nvrtc.h"

#include <cuda.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>
#include <string>

#include "model/base/error.h"
#include "model/base/refuse.h"

namespace tilecast {
namespace {

template <class Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  refuse_if<DeviceError>(function == nullptr, "this version of NVRTC lacks the function {}", name);
}

/// NVRTC opens its builtins library by bare name, which succeeds if the library is already open.
void open_builtins(const Nvrtc& nvrtc) {
  Dl_info info{};
  int major = 0, minor = 0;
  if (dladdr(reinterpret_cast<const void*>(nvrtc.version), &info) != 0 &&
      info.dli_fname != nullptr && nvrtc.version(&major, &minor) == NVRTC_SUCCESS) {
    const std::string name = fmt::format("libnvrtc-builtins.so.{}.{}", major, minor);
    (void)dlopen((std::filesystem::path(info.dli_fname).parent_path() / name).c_str(), RTLD_NOW);
  }
}

Nvrtc open_nvrtc() {
  const std::string name = fmt::format("libnvrtc.so.{}", CUDA_VERSION / 1000);
  void* library = dlopen(name.c_str(), RTLD_NOW);
  if (library == nullptr) {
    library = dlopen((TILECAST_CUDA_LIBRARY_DIR "/" + name).c_str(), RTLD_NOW);
  }
  refuse_if<DeviceError>(library == nullptr,
                         "{} of the CUDA toolkit, needed to compile kernels, was not found", name);
  Nvrtc nvrtc{};
  find(library, "nvrtcVersion", nvrtc.version);
  find(library, "nvrtcGetErrorString", nvrtc.error_string);
  find(library, "nvrtcCreateProgram", nvrtc.create_program);
  find(library, "nvrtcDestroyProgram", nvrtc.destroy_program);
  find(library, "nvrtcCompileProgram", nvrtc.compile_program);
  find(library, "nvrtcGetProgramLogSize", nvrtc.log_size);
  find(library, "nvrtcGetProgramLog", nvrtc.log);
  find(library, "nvrtcGetCUBINSize", nvrtc.cubin_size);
  find(library, "nvrtcGetCUBIN", nvrtc.cubin);
  open_builtins(nvrtc);
  return nvrtc;
}

}  // namespace

const Nvrtc& nvrtc() {
  static const Nvrtc kNvrtc = open_nvrtc();
  return kNvrtc;
}

}  // namespace tilecast
