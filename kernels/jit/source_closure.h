// Which of the embedded sources one kernel is made of.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "kernels/jit/embedded_sources.h"

namespace tilecast {

/// The path of an `#include "path"` line; empty for any other line.
std::string_view included_path(std::string_view line);

/// The source `path` first, then every file that its `#include "..."` lines reach, each once, in
/// the order met. Conditional includes count as taken. Throws Error that names a missing file and
/// who includes it.
std::vector<EmbeddedSource> source_closure(std::string_view path,
                                           std::span<const EmbeddedSource> sources);

}  // namespace tilecast
