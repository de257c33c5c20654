// NVRTC, opened when the first kernel is compiled, so that whatever holds kernels starts without a
// CUDA toolkit.
#pragma once

#include <nvrtc.h>

namespace tilecast {

struct Nvrtc {
  decltype(&nvrtcVersion) version;
  decltype(&nvrtcGetErrorString) error_string;
  decltype(&nvrtcCreateProgram) create_program;
  decltype(&nvrtcDestroyProgram) destroy_program;
  decltype(&nvrtcCompileProgram) compile_program;
  decltype(&nvrtcGetProgramLogSize) log_size;
  decltype(&nvrtcGetProgramLog) log;
  decltype(&nvrtcGetCUBINSize) cubin_size;
  decltype(&nvrtcGetCUBIN) cubin;
};

/// That of this build's CUDA major version: the one that the process has already, else the one that
/// the loader finds, else the build's own. Throws DeviceError where there is none.
const Nvrtc& nvrtc();

}  // namespace tilecast
