// NVRTC, loaded when the first kernel is compiled, so that programs that contain kernels start
// without a CUDA toolkit.
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

/// Returns NVRTC of this build's CUDA major version: the one already in the process, or the one
/// that the loader finds, or the build's. Throws DeviceError if there is none.
const Nvrtc& nvrtc();

}  // namespace tilecast
