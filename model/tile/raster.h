// The order of output tiles, as a choice; tile_scheduler.h walks it.
#pragma once

#include "model/base/host_device.h"
#include "model/base/integers.h"

namespace tilecast {

enum class RasterKind : i32 {
  kGroupedM,  // bands of `group` tile-rows, each walked column by column; workers stride
  kGroupedN,  // bands of `group` tile-columns, each walked row by row; workers stride
  kChunked,   // column by column, cut into one contiguous chunk per worker (persistent only)
};

struct Raster {
  RasterKind kind;
  i32 group;  // tiles; 1 for kChunked

  constexpr bool operator==(const Raster&) const = default;
};

}  // namespace tilecast
