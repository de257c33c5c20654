// Compiles kernels in a process of its own while the caller goes on: a run with a budget measures
// the first kernels before the last are compiled. It has a low priority, since a host that is late
// leaves gaps in a load, and ends with the object: what it has compiled stays in the cache.
#pragma once

#include <sys/types.h>

#include <functional>

namespace tilecast {

class CompileAside {
 public:
  /// Forks; `compile` runs in the child, whose standard error goes nowhere. What it throws is lost:
  /// a kernel that does not compile gets its row from the process that measures it.
  explicit CompileAside(const std::function<void()>& compile);
  ~CompileAside();
  CompileAside(const CompileAside&) = delete;
  CompileAside& operator=(const CompileAside&) = delete;

 private:
  pid_t child_;
};

}  // namespace tilecast
