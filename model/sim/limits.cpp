#include "model/sim/limits.h"

#include <algorithm>

#include "model/base/parallel.h"
#include "model/spec/gpu_fields.h"

namespace tilecast {
namespace {

constexpr double kInfinite = 1e30;  // of a rate

template <class Simulate>
std::vector<Elimination> eliminate_each(const GpuSpec& gpu, unsigned threads, Simulate simulate) {
  std::vector<Elimination> all(std::size(kEveryPart));
  parallel_for(all.size(), threads, [&](std::size_t i) {
    all[i] = {kEveryPart[i], simulate(without(gpu, kEveryPart[i])).cycles};
  });
  std::stable_sort(all.begin(), all.end(),
                   [](const Elimination& x, const Elimination& y) { return x.cycles < y.cycles; });
  return all;
}

}  // namespace

GpuSpec without(GpuSpec gpu, Part part) {
  for (const Field& field : fields_of(gpu)) {
    if (field.is_limited_by(part)) {
      *std::get<double*>(field.target) = is_rate(field.dimension) ? kInfinite : 0;
    }
  }
  return gpu;
}

std::vector<Elimination> eliminate(const GpuSpec& gpu, const GemmProblem& problem,
                                   const KernelConfig& config, Residency residency, Hertz sm_clock,
                                   Waves waves, unsigned threads) {
  return eliminate_each(gpu, threads, [&](const GpuSpec& g) {
    return simulate_gemm(g, problem, config, residency, sm_clock, {}, waves);
  });
}

std::vector<Elimination> eliminate(const GpuSpec& gpu, const StreamProblem& problem,
                                   const StreamConfig& config, i32 ctas_per_sm, Hertz sm_clock,
                                   unsigned threads) {
  return eliminate_each(gpu, threads, [&](const GpuSpec& g) {
    return simulate_stream(g, problem, config, ctas_per_sm, sm_clock);
  });
}

}  // namespace tilecast
