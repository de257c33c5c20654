// Compiles kernels in a child process while the caller goes on: a run with a budget measures the
// first kernels before the last are compiled. The child has a low priority, since a busy host
// leaves gaps in a load. It ends with the object; what it compiled stays in the cache.
#pragma once

#include <sys/types.h>

#include <functional>

namespace tilecast {

class CompileAside {
 public:
  /// Forks and runs `compile` in the child, without standard error. Its exceptions are ignored: the
  /// measuring process reports kernels that do not compile.
  explicit CompileAside(const std::function<void()>& compile);
  ~CompileAside();
  CompileAside(const CompileAside&) = delete;
  CompileAside& operator=(const CompileAside&) = delete;

 private:
  pid_t child_;
};

}  // namespace tilecast
