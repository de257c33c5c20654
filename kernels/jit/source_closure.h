// Collects the embedded sources that one kernel includes.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace tilecast {

/// A source that NVRTC compiles, embedded in the program (cmake/embed_sources.cmake).
struct EmbeddedSource {
  const char* path;  // path as in an include line, e.g. model/gemm/order/raster.h
  const char* text;
};

std::span<const EmbeddedSource> embedded_sources();

/// Returns the path of an `#include "path"` line; empty for any other line.
std::string_view included_path(std::string_view line);

/// Returns the source `path` first, then every file that its `#include "..."` lines reach, each
/// once, in order of appearance. Conditional includes are always followed. Throws an Error that
/// names a missing file and the file that includes it.
std::vector<EmbeddedSource> source_closure(std::string_view path,
                                           std::span<const EmbeddedSource> sources);

}  // namespace tilecast
