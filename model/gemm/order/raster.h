// The order of output tiles, as a choice; tile_scheduler.h walks it.
#pragma once

#include "model/base/host_device.h"
#include "model/base/integers.h"

namespace tilecast {

enum class RasterKind : i32 {
  kGroupedM,  // bands of `group` tile-rows, each walked column by column
  kGroupedN,  // bands of `group` tile-columns, each walked row by row
  kHilbert,   // a generalised Hilbert curve: neighbours in order are neighbours in C
};

/// How the workers of a persistent grid share the order out.
enum class Walk : i32 {
  kStrided,  // worker w takes tiles w, w + W, w + 2W, ...
  kChunked,  // each worker takes one contiguous run
};

struct Raster {
  RasterKind kind;
  i32 group;  // tiles; 1 for kHilbert
  Walk walk;

  constexpr bool operator==(const Raster&) const = default;
};

}  // namespace tilecast
