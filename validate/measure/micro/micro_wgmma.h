// The wgmma loop that several micro-benchmarks time, as the host sees it.
#pragma once

#include <fmt/format.h>

#include "kernels/micro/operand_data.h"
#include "validate/measure/micro/micro_lab.h"

namespace tilecast {

constexpr i32 kWarpgroup = 128;  // threads

/// What kernels/micro/wgmma_loop.cuh is compiled with.
struct WgmmaLoop {
  i32 n;
  bool registers;
  i32 group, pending, warpgroups, accumulators = 1;

  Defines defines() const {
    return {fmt::format("TILECAST_N={}", n),
            fmt::format("TILECAST_A_IN_REGISTERS={}", registers ? 1 : 0),
            fmt::format("TILECAST_GROUP={}", group),
            fmt::format("TILECAST_PENDING={}", pending),
            fmt::format("TILECAST_WARPGROUPS={}", warpgroups),
            fmt::format("TILECAST_ACCUMULATORS={}", accumulators)};
  }
  /// Both operands, of a K block of 64, in whole kilobytes.
  i32 shared_bytes() const { return 64 * 128 + (n * 128 + 1023) / 1024 * 1024; }
  std::string variant() const {
    return fmt::format("n={} a={}", n, registers ? "registers" : "shared");
  }
};

}  // namespace tilecast
