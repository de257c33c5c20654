#include "model/gemm/sim/limits.h"

#include <algorithm>

#include "model/base/parallel.h"
#include "model/spec/gpu_fields.h"

namespace tilecast {
namespace {

constexpr double kInfinite = 1e30;  // infinite rate

}  // namespace

GpuSpec without(GpuSpec gpu, Limiter part) {
  for (const Field& field : fields_of(gpu)) {
    if (field.is_limited_by(part)) {
      *std::get<double*>(field.target) = is_rate(field.dimension) ? kInfinite : 0;
    }
  }
  return gpu;
}

std::vector<Elimination> eliminate_each(Cycles whole, unsigned threads,
                                        const std::function<Cycles(Limiter)>& cycles_without) {
  // Savings below this are noise from request order.
  constexpr double kNothing = 0.0005;
  std::vector<Elimination> all(std::size(kEveryLimiter));
  parallel_for(all.size(), threads, [&](std::size_t i) {
    all[i] = {kEveryLimiter[i], cycles_without(kEveryLimiter[i])};
  });
  std::erase_if(all, [&](const Elimination& e) { return e.cycles > whole * (1 - kNothing); });
  std::ranges::stable_sort(all, {}, &Elimination::cycles);
  return all;
}

Simulated simulate_without(const GpuSpec& gpu, Limiter part, const GemmProblem& problem,
                           const KernelConfig& config, Residency residency, Hertz sm_clock,
                           Waves waves, const GemmRequests& requests) {
  GemmProblem simulated = problem;
  simulated.shape = requests.shape;
  const GpuSpec fast = without(gpu, part);
  const Rerun again{requests, *fast.reduction};
  // Stores of C to L2 use the same path as partial sums, so that path keeps its cost.
  return simulate_gemm(part == Limiter::kReduction ? gpu : fast, simulated, config, residency,
                       sm_clock, {}, waves, &again);
}

std::vector<Elimination> eliminate(const GpuSpec& gpu, const GemmProblem& problem,
                                   const KernelConfig& config, Residency residency, Hertz sm_clock,
                                   Waves waves, const GemmRequests& requests, unsigned threads) {
  return eliminate_each(requests.cycles, threads, [&](Limiter part) {
    return simulate_without(gpu, part, problem, config, residency, sm_clock, waves, requests)
        .cycles;
  });
}

}  // namespace tilecast
