#include "model/predict/random_problems.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <iterator>
#include <random>

#include "model/predict/legality.h"
#include "model/tile/group_rows.h"

namespace tilecast {
namespace {

constexpr double kMostSide = 32768, kMostFlops = 1e13;
constexpr i64 kMostProducts = 64;

class Draw {
 public:
  explicit Draw(unsigned seed) : random_(seed) {}

  /// One in `n`.
  bool one_in(u64 n) { return random_() % n == 0; }
  i64 between(i64 least, i64 most) {
    return least + static_cast<i64>(random_() % static_cast<u64>(most - least + 1));
  }
  template <class T>
  T one_of(std::initializer_list<T> values) {
    return std::data(values)[random_() % values.size()];
  }

  /// Uniform in the logarithm. A third has any length, the others are multiples of 8 or 64.
  i64 side(i64 least_step) {
    constexpr double kRange = 1 << 20;
    const double at = static_cast<double>(random_() % (1 << 20)) / kRange;
    const i64 length = static_cast<i64>(std::exp2(at * std::log2(kMostSide)));
    const i64 step = std::max(least_step, one_of<i64>({1, 8, 64}));
    return std::max<i64>(1, length / step) * step;
  }

  GemmProblem problem() {
    GemmProblem p{};
    p.dtype =
        one_of({ElementType::kFp16, ElementType::kBf16, ElementType::kBf16, ElementType::kE4m3});
    if (one_in(16)) {
      p.dtype = ElementType::kE5m2;
    }
    const bool fp8 = is_fp8(p.dtype);
    p.layout = fp8 ? Layout::kTn
                   : one_of({Layout::kTn, Layout::kTn, Layout::kNn, Layout::kNt, Layout::kTt});
    p.shape = {side(1), side(1), side(fp8 ? 16 : 1)};
    p.c = fp8 ? one_of({ElementType::kBf16, ElementType::kFp16, ElementType::kE4m3})
              : one_of({ElementType::kBf16, ElementType::kBf16, ElementType::kBf16,
                        ElementType::kFp32, ElementType::kE4m3});
    if (fp8) {
      p.epilogue.scales = one_of({Scales::kNone, Scales::kTensor, Scales::kRow, Scales::kBlock});
      if (one_in(4) && !has_block_scales(p.epilogue)) {
        p.accumulate = Accumulate::kExact;
      }
    }
    switch (between(0, 7)) {
      case 0:
        p.batch.products = between(2, kMostProducts);
        p.batch.one_a = one_in(4);
        p.batch.one_b = one_in(4);
        break;
      case 1:
        return in_groups(p, rows_of_groups());
      case 2:
        p.layout = fp8 ? p.layout : Layout::kNt;
        return in_groups_of_k(p, rows_of_groups());
      default:
        break;
    }
    if (one_in(2)) {
      p.epilogue.bias = one_of({Bias::kNone, Bias::kPerColumn, Bias::kPerColumn, Bias::kPerRow});
      p.epilogue.activation =
          one_of({Activation::kNone, Activation::kRelu, Activation::kGelu, Activation::kGeluTanh,
                  Activation::kSilu, Activation::kSwiglu, Activation::kGeglu});
      p.epilogue.residual = one_in(3);
      p.epilogue.amax = one_in(8);
      p.epilogue.scale_c = c_type(p) == ElementType::kE4m3 && one_in(2);
    }
    return p;
  }

 private:
  std::vector<i64> rows_of_groups() {
    std::vector<i64> rows(static_cast<std::size_t>(between(1, kMostProducts)));
    const i64 most = between(1, 1024);
    for (i64& of_group : rows) {
      of_group = between(0, most);
    }
    return rows;
  }

  std::mt19937_64 random_;
};

}  // namespace

std::vector<GemmProblem> random_problems(const GpuSpec& gpu, unsigned seed, std::size_t count) {
  std::vector<GemmProblem> problems;
  Draw draw(seed);
  while (problems.size() < count) {
    const GemmProblem problem = draw.problem();
    if (tensor_flops(problem) <= kMostFlops && why_not_solvable(gpu, problem).empty()) {
      problems.push_back(problem);
    }
  }
  return problems;
}

}  // namespace tilecast
