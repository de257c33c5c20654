#include "model/gemm/menu/random_problems.h"

#include <algorithm>
#include <cmath>

#include "model/gemm/menu/legality.h"
#include "model/gemm/problem/group_rows.h"

namespace tilecast {
namespace {

constexpr i64 kMostProducts = 64;  // maximum number of GEMMs or groups

/// Draws a dimension: a third are arbitrary, the others multiples of 8 or 64.
i64 random_side(Random& random, double most, i64 least_step = 1) {
  const i64 length = random.length(most);
  const i64 step = std::max(least_step, random.one_of<i64>({1, 8, 64}));
  return std::max<i64>(1, length / step) * step;
}

/// Draws a shape; N is occasionally a vocabulary size.
GemmShape random_shape(Random& random, const DrawnSizes& sizes, bool fp8) {
  GemmShape shape{random_side(random, sizes.m_and_n), random_side(random, sizes.m_and_n),
                  random_side(random, sizes.k, fp8 ? 16 : 1)};
  if (random.one_in(8)) {
    shape.n = random.one_of<i64>({32000, 50257, 128256, 128257, 151936});
  }
  return shape;
}

std::vector<i64> random_rows(Random& random, const DrawnSizes& sizes) {
  std::vector<i64> rows(static_cast<std::size_t>(random.between(1, kMostProducts)));
  const i64 most = random.between(1, sizes.rows_of_group);
  for (i64& of_group : rows) {
    of_group = random.one_in(5) ? 0 : random.between(0, most);
  }
  return rows;
}

Epilogue random_epilogue(Random& random, Epilogue epilogue, ElementType c) {
  const auto one_of = [&](const std::vector<OutputStep>& steps) {
    const i64 last = static_cast<i64>(steps.size()) - 1;
    return steps[static_cast<std::size_t>(last == 0 ? 0 : random.between(0, last))];
  };
  epilogue.add(random.one_of({OutputStep{}, step<BiasN>(), step<BiasN>(), step<BiasM>()}));
  std::vector<OutputStep> activations = steps_of(OutputKind::kActivate);
  activations.insert(activations.begin(), OutputStep{});
  epilogue.add(one_of(activations));
  if (random.one_in(3)) {
    epilogue.add(one_of(steps_of(OutputKind::kLoad)));
  }
  if (random.one_in(8)) {
    epilogue.add(step<Amax>());
  }
  if (c == ElementType::kE4m3 && random.one_in(2)) {
    epilogue.add(step<ScaleC>());
  }
  return epilogue;
}

GemmProblem any_gemm(Random& random, const DrawnSizes& sizes) {
  GemmProblem p{};
  p.dtype = random.one_of(
      {ElementType::kFp16, ElementType::kBf16, ElementType::kBf16, ElementType::kE4m3});
  if (random.one_in(16)) {
    p.dtype = ElementType::kE5m2;
  }
  const bool fp8 = is_fp8(p.dtype);
  p.layout = fp8 ? Layout::kTn
                 : random.one_of({Layout::kTn, Layout::kTn, Layout::kNn, Layout::kNt, Layout::kTt});
  p.shape = random_shape(random, sizes, fp8);
  p.c = fp8 ? random.one_of({ElementType::kBf16, ElementType::kFp16, ElementType::kE4m3})
            : random.one_of({ElementType::kBf16, ElementType::kBf16, ElementType::kBf16,
                             ElementType::kFp32, ElementType::kE4m3});
  if (fp8) {
    p.epilogue.add(
        random.one_of({OutputStep{}, step<ScaleTensor>(), step<ScaleRow>(), step<ScaleBlock>()}));
    if (random.one_in(4) && !has_block_scales(p.epilogue)) {
      p.accumulate = Accumulate::kExact;
    }
  }
  switch (random.between(0, 7)) {
    case 0:
      p.batch.products = random.between(2, kMostProducts);
      p.batch.one_a = random.one_in(4);
      p.batch.one_b = random.one_in(4);
      break;
    case 1:
      return in_groups(p, random_rows(random, sizes));
    case 2:
      p.layout = fp8 ? p.layout : Layout::kNt;
      return in_groups_of_k(p, random_rows(random, sizes));
    default:
      break;
  }
  if (random.one_in(2)) {
    p.epilogue = random_epilogue(random, p.epilogue, c_type(p));
  }
  return p;
}

}  // namespace

Random::Random(u64 seed, u64 number) {
  std::seed_seq sequence{seed, seed >> 32, number, number >> 32};
  random_.seed(sequence);
}

i64 Random::length(double most) {
  constexpr i64 kRange = 1 << 20;
  const double at = static_cast<double>(between(0, kRange - 1)) / kRange;
  return static_cast<i64>(std::exp2(at * std::log2(most)));
}

GemmProblem random_gemm(const GpuSpec& gpu, Random& random, const DrawnSizes& sizes) {
  GemmProblem problem{};
  do {
    problem = any_gemm(random, sizes);
  } while (gemm_flops(problem) > sizes.flops || !why_not_solvable(gpu, problem).empty());
  return problem;
}

std::vector<GemmProblem> random_problems(const GpuSpec& gpu, u64 seed, std::size_t count) {
  std::vector<GemmProblem> problems;
  for (u64 number = 0; number < count; ++number) {
    Random random(seed, number);
    problems.push_back(random_gemm(gpu, random, kUsualSizes));
  }
  return problems;
}

}  // namespace tilecast
