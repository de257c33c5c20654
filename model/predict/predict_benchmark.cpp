// Measures the time of each part of predict for several kinds of shapes, on one thread and on two:
// candidates, the ten fastest by the analytic model, all by the analytic model, and the ten fastest
// with simulation. Prints the median of several runs in milliseconds. Exit code 1 if the last part
// exceeds its limit. Run by hand; CONTRIBUTING.md says when.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <vector>

#include <fmt/format.h>

#include "model/gemm/config/kernel_config_text.h"
#include "model/gemm/menu/candidates.h"
#include "model/predict/predict.h"
#include "model/spec/load_gpu.h"

namespace tilecast {
namespace {

constexpr int kRuns = 5;
constexpr std::size_t kShown = 10;  // the default of `tilecast predict`

template <class Work>
double milliseconds(Work work) {
  std::vector<double> times;
  for (int run = 0; run < kRuns; ++run) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double, std::milli> elapsed =
        std::chrono::steady_clock::now() - start;
    times.push_back(elapsed.count());
  }
  std::nth_element(times.begin(), times.begin() + kRuns / 2, times.end());
  return times[kRuns / 2];
}

/// Limit for the ranking with simulation on two processors, including candidates.
double bar_of(const GemmShape& shape) {
  constexpr i64 kLargestOfTheFirst = 8192;
  return std::max({shape.m, shape.n, shape.k}) <= kLargestOfTheFirst ? 150 : 300;
}

bool run() {
  const GpuSpec gpu = load_gpu("h200_sxm", true).spec;
  fmt::print("{:<18}{:>10}{:>12}{:>10}{:>10}{:>12}{:>12}{:>8}\n", "shape", "legal", "candidates",
             "fastest", "all", "simulated", "2 threads", "bar");
  bool met = true;
  for (const GemmShape& shape :
       {GemmShape{8192, 8192, 8192}, GemmShape{4096, 4096, 4096}, GemmShape{16384, 16384, 4096},
        GemmShape{16384, 16384, 16384}, GemmShape{8192, 8192, 1024}, GemmShape{1024, 1024, 1024},
        GemmShape{16, 4096, 14336}, GemmShape{128, 28672, 8192}, GemmShape{4100, 4100, 4104}}) {
    const GemmProblem problem{shape, ElementType::kFp16, Layout::kTn};
    std::size_t legal = 0;
    const double enumerate =
        milliseconds([&] { legal = enumerate_candidates(gpu, problem, {}).legal.size(); });
    const auto rank = [&](std::size_t keep, Effort effort) {
      return milliseconds([&] {
        rank_candidates(gpu, problem, {}, Regime::kBurst, Inputs::kNormal, keep, effort);
      });
    };
    const double simulated = rank(kShown, {.method = Method::kSimulated, .threads = 2});
    met = met && simulated <= bar_of(shape);
    fmt::print("{:<18}{:>10}{:>12.1f}{:>10.1f}{:>10.1f}{:>12.1f}{:>12.1f}{:>8.0f}\n",
               to_text(shape), legal, enumerate, rank(kShown, {.method = Method::kAnalytic}),
               rank(kEveryCandidate, {.method = Method::kAnalytic}),
               rank(kShown, {.method = Method::kSimulated, .threads = 1}), simulated,
               bar_of(shape));
  }
  return met;
}

}  // namespace
}  // namespace tilecast

int main() {
  try {
    return tilecast::run() ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "predict_benchmark: %s\n", error.what());
    return 1;
  }
}
