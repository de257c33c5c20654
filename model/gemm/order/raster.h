// Defines tile orders; tile_scheduler.h implements them.
#pragma once

#include "model/base/host_device.h"
#include "model/base/integers.h"

namespace tilecast {

enum class RasterKind : i32 {
  kGroupedM,  // swizzle groups of `group` tile rows, each walked column by column
  kGroupedN,  // swizzle groups of `group` tile columns, each walked row by row
  kHilbert,   // generalized Hilbert curve: consecutive tiles are neighbours in C
};

/// How persistent workers divide the order among themselves.
enum class Walk : i32 {
  kStrided,  // worker w takes tiles w, w + W, w + 2W, ...
  kChunked,  // each worker takes one contiguous run
};

struct Raster {
  RasterKind kind;
  i32 group;  // width of a swizzle group in tiles; 1 for kHilbert
  Walk walk;

  constexpr bool operator==(const Raster&) const = default;
};

}  // namespace tilecast
