#include "kernels/jit/compile_ahead.h"

#include <time.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>
#include <thread>

#include "model/base/error.h"

namespace tilecast {
namespace {

/// Formats path and source in one line, with which the kernel can be compiled separately.
std::string described(const KernelSource& source) {
  std::string text = source.path + (source.text.empty() ? "" : " ") + source.text;
  std::ranges::replace(text, '\n', ' ');
  return text;
}

Seconds cpu_time_of_thread() {
  constexpr double kPerNano = 1e-9;
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return {static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * kPerNano};
}

}  // namespace

void compile_each(const std::vector<KernelSource>& sources, CubinCache& cache,
                  const std::function<void(const CompileOutcome&)>& report) {
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  const auto work = [&] {
    for (std::size_t i; (i = next++) < sources.size();) {
      CompileOutcome outcome{
          .index = i, .rejection = "", .error = "", .registers = 0, .cpu_time = {}};
      const Seconds begin = cpu_time_of_thread();
      try {
        const CompiledKernel kernel = cache.get(sources[i]);
        outcome.rejection = kernel.rejection;
        outcome.registers = kernel.report.registers;
      } catch (const Error& error) {
        outcome.error = error.what();
      }
      outcome.cpu_time = cpu_time_of_thread() - begin;
      const std::lock_guard lock(mutex);
      report(outcome);
    }
  };
  const std::size_t threads =
      std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, sources.size() + 1);
  std::vector<std::jthread> workers;
  for (std::size_t i = 0; i < threads; ++i) {
    workers.emplace_back(work);
  }
}

std::vector<KernelSource> different_sources(const std::vector<KernelSource>& sources) {
  std::vector<KernelSource> different;
  std::set<std::string> seen;
  for (const KernelSource& source : sources) {
    if (seen.insert(source.architecture + " " + described(source)).second) {
      different.push_back(source);
    }
  }
  return different;
}

CompileCounts compile_ahead(
    const std::vector<KernelSource>& sources, CubinCache& cache,
    const std::function<void(std::size_t done, std::size_t all)>& progress) {
  const std::vector<KernelSource> different = different_sources(sources);
  CompileCounts counts{.kernels = different.size(), .rejected = 0, .failed = 0, .faults = {}};
  std::set<std::string> faults;
  std::size_t done = 0;
  compile_each(different, cache, [&](const CompileOutcome& outcome) {
    counts.rejected += outcome.rejection.empty() ? 0 : 1;
    counts.failed += outcome.error.empty() ? 0 : 1;
    if (const std::string why = outcome.rejection + outcome.error; !why.empty()) {
      faults.insert(described(different[outcome.index]) + ": " + why);
    }
    ++done;
    if (progress) {
      progress(done, different.size());
    }
  });
  counts.faults.assign(faults.begin(), faults.end());
  return counts;
}

}  // namespace tilecast
