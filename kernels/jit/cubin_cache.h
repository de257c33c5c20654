// Cache of compiled kernels on disk.
//
// An entry is named by a hash of everything that determines the cubin: the sources reached by
// includes, the options with architecture and macros, NVRTC's version. An entry is written to a
// temporary file, which is then renamed, and contains a digest of its content, so a reader either
// sees a complete entry or recompiles. Rejected kernels are cached too. Nothing is ever evicted.
// Entries are executable code, so the cache reads only files that belong to this user or root and
// that no other user can write, in a folder with the same property or in a sticky folder such as
// /tmp. A folder created by the cache is accessible to this user only. Safe for any number of
// threads and processes; two that miss at the same time both compile.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <utility>

#include "kernels/jit/compile.h"
#include "kernels/jit/source_closure.h"

namespace tilecast {

/// Returns $TILECAST_CACHE_DIR, or $XDG_CACHE_HOME/tilecast, or $HOME/.cache/tilecast, whichever is
/// set first; empty if none is set.
std::filesystem::path default_cache_folder();

class CubinCache {
 public:
  using Warn = std::function<void(const std::string&)>;

  /// An empty folder disables the cache. `warn` is called at most once, with one line, if the
  /// folder cannot be written or is not trusted; by default the line is printed to standard error.
  explicit CubinCache(std::filesystem::path folder = default_cache_folder(),
                      std::span<const EmbeddedSource> sources = embedded_sources(), Warn warn = {});

  /// Compiles every kernel for `architecture`, instead of the one that its source names; without
  /// effect if it is empty. For GPUs that run kernels with mma.sync alone.
  CubinCache& compile_for(std::string architecture) {
    architecture_ = std::move(architecture);
    return *this;
  }

  /// Reads the kernel from disk, or compiles and stores it. Throws the exceptions of
  /// compile_kernel; failures of the cache itself never throw.
  CompiledKernel get(KernelSource source);

  /// Path of the entry of `source`, even if it does not exist.
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
  std::string architecture_;
  std::once_flag warned_;
  std::atomic<int> hits_ = 0, misses_ = 0;
};

}  // namespace tilecast
