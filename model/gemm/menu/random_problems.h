// Draws random GEMMs of every supported kind, for tests and `tilecast-gpu compile --random`: types,
// layouts, epilogues, scales, types of C, batches, groups along M and K, and dimensions from 1 up,
// odd and aligned.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <random>
#include <vector>

#include "model/gemm/problem/gemm_problem.h"
#include "model/spec/gpu_spec.h"

namespace tilecast {

/// Random numbers, deterministic across platforms.
class Random {
 public:
  /// Different values of `number` give independent streams.
  Random(u64 seed, u64 number);

  /// Returns true with probability 1 / `n`.
  bool one_in(u64 n) { return next() % n == 0; }
  i64 between(i64 least, i64 most) {
    return least + static_cast<i64>(next() % static_cast<u64>(most - least + 1));
  }
  template <class T>
  T one_of(std::initializer_list<T> values) {
    return std::data(values)[next() % values.size()];
  }
  /// Draws from 1 to `most`, uniformly in the logarithm.
  i64 length(double most);

 private:
  u64 next() { return random_(); }

  std::mt19937_64 random_;
};

/// Maximum sizes.
struct DrawnSizes {
  double m_and_n, k;
  i64 rows_of_group;  // maximum rows of a group, along M or K
  double flops;       // maximum FLOPs on the tensor cores
};
constexpr DrawnSizes kUsualSizes{32768, 32768, 1024, 1e13};

/// Draws a problem that the GPU can solve (why_not_solvable).
GemmProblem random_gemm(const GpuSpec& gpu, Random& random, const DrawnSizes& sizes);

/// Draws `count` problems of typical sizes; each depends only on the seed and its index.
std::vector<GemmProblem> random_problems(const GpuSpec& gpu, u64 seed, std::size_t count);

}  // namespace tilecast
