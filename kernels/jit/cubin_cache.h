// Compiled kernels kept on disk between runs.
//
// An entry is named by a hash of everything that decides the cubin: the sources reached by
// includes, the options with architecture and macros, NVRTC's version. It is written beside its
// place and renamed, and it carries the digest of its own content, so a reader sees a whole entry
// or recompiles. Kernels that were rejected are kept too. Nothing is ever evicted.
// Entries are code that will run, so the cache reads only files that belong to this user or root
// and that no other user can write, in a folder of the same kind or a sticky one such as /tmp. A
// folder that the cache creates is accessible to this user only.
// Safe for any number of threads and processes; two that miss at once both compile.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "kernels/jit/compile.h"
#include "kernels/jit/embedded_sources.h"

namespace tilecast {

/// $TILECAST_CACHE_DIR, else $XDG_CACHE_HOME/tilecast, else $HOME/.cache/tilecast; empty if none of
/// these is set.
std::filesystem::path default_cache_folder();

class CubinCache {
 public:
  using Warn = std::function<void(const std::string&)>;

  /// An empty folder means no cache. `warn` gets at most one line, when the folder cannot be
  /// written or is not trusted; the default prints it to standard error.
  explicit CubinCache(std::filesystem::path folder = default_cache_folder(),
                      std::span<const EmbeddedSource> sources = embedded_sources(), Warn warn = {});

  /// From disk, else compiled and stored. Throws what compile_kernel throws, never for the cache.
  CompiledKernel get(const KernelSource& source);

  /// Where the entry of `source` lies, or would lie.
  std::filesystem::path entry_path(const KernelSource& source) const;

  int hits() const { return hits_; }
  int misses() const { return misses_; }

 private:
  std::string key_text(const KernelSource& source) const;
  std::filesystem::path path_of(const std::string& key) const;
  void store(const std::filesystem::path& path, const std::string& entry);
  void warn_not_kept(const std::string& why);

  std::filesystem::path folder_;
  std::span<const EmbeddedSource> sources_;
  Warn warn_;
  std::once_flag warned_;
  std::atomic<int> hits_ = 0, misses_ = 0;
};

}  // namespace tilecast
