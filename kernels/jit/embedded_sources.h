// The kernel sources compiled by NVRTC, embedded in the program (cmake/embed_sources.cmake).
#pragma once

#include <span>

namespace tilecast {

struct EmbeddedSource {
  const char* path;  // path as in an include line, e.g. model/gemm/order/raster.h
  const char* text;
};

std::span<const EmbeddedSource> embedded_sources();

}  // namespace tilecast
