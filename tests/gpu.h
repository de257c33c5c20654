// Helpers for tests tagged [gpu]: they run as a separate CTest entry, which is skipped without a
// suitable GPU.
#pragma once

#include <cstdio>
#include <cstdlib>

#include "kernels/jit/device.h"
#include "model/base/error.h"

namespace tilecast {

constexpr int kCtestSkip = 77;

/// Ends the program with CTest's skip code and a message if there is no Hopper GPU.
inline Device gpu_or_skip() {
  try {
    return require_hopper();
  } catch (const DeviceError& error) {
    std::printf("skipped: %s\n", error.what());
    std::fflush(stdout);
    std::_Exit(kCtestSkip);
  }
}

}  // namespace tilecast
