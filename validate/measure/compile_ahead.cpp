#include "validate/measure/compile_ahead.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>
#include <thread>

#include "model/base/error.h"

namespace tilecast {

CompileCounts compile_ahead(
    const std::vector<KernelSource>& sources, CubinCache& cache,
    const std::function<void(std::size_t done, std::size_t all)>& progress) {
  std::vector<KernelSource> different;
  std::set<std::string> seen;
  for (const KernelSource& source : sources) {
    std::string key = source.path + "\n" + source.architecture;
    for (const std::string& define : source.defines) {
      key += "\n" + define;
    }
    if (seen.insert(key).second) {
      different.push_back(source);
    }
  }

  CompileCounts counts{.kernels = different.size(), .rejected = 0, .failed = 0, .faults = {}};
  std::set<std::string> faults;
  std::atomic<std::size_t> next = 0;
  std::size_t done = 0;
  std::mutex mutex;
  const auto work = [&] {
    for (std::size_t i; (i = next++) < different.size();) {
      std::string rejected, failed;
      try {
        rejected = cache.get(different[i]).rejection;
      } catch (const Error& error) {
        failed = error.what();
      }
      const std::lock_guard lock(mutex);
      counts.rejected += rejected.empty() ? 0 : 1;
      counts.failed += failed.empty() ? 0 : 1;
      faults.insert(rejected + failed);
      progress(++done, different.size());
    }
  };
  {
    const std::size_t threads =
        std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, different.size() + 1);
    std::vector<std::jthread> workers;
    for (std::size_t i = 0; i < threads; ++i) {
      workers.emplace_back(work);
    }
  }
  faults.erase("");
  counts.faults.assign(faults.begin(), faults.end());
  return counts;
}

}  // namespace tilecast
