#include "validate/calibrate/design_points.h"

#include <algorithm>
#include <random>
#include <utility>

#include "model/base/error.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/gemm/menu/candidates.h"
#include "model/predict/predict.h"

namespace tilecast {
namespace {

constexpr int kProblems = 64;
constexpr std::size_t kBest = 4, kKernels = 13;
constexpr int kSustained = 12;       // reciprocal share of points under continuous load
constexpr double kSlowest = 3;       // relative to a problem's fastest kernel
constexpr Seconds kLongest{1.5e-3};  // of a problem's fastest kernel
constexpr i64 kFewest = 8, kMost = 4096, kShortK = 384, kLongK = 20'000, kFewRows = 400;

class Draw {
 public:
  explicit Draw(const GpuSpec& gpu) : gpu_(gpu) {}

  i64 eights(i64 least, i64 most) { return 8 * number(least / 8, most / 8); }
  i64 number(i64 least, i64 most) {
    return least + static_cast<i64>(random_() % static_cast<u64>(most - least + 1));
  }
  template <class T, std::size_t kCount>
  T one_of(const T (&values)[kCount]) {
    return values[random_() % kCount];
  }

  GemmProblem problem(int index) {
    constexpr std::pair<i64, i64> kLayers[] = {{4096, 4096}, {6144, 4096}, {4096, 14336},
                                               {5120, 5120}, {3072, 768},  {768, 3072},
                                               {1536, 8960}, {7168, 2048}, {1280, 5120}};
    constexpr i64 kRows[] = {128, 256, 384, 512, 1024, 1536, 2048, 4096};
    constexpr Layout kLayouts[] = {Layout::kTn, Layout::kTn, Layout::kTn,
                                   Layout::kNn, Layout::kNt, Layout::kTt};
    constexpr ElementType kTypes[] = {ElementType::kFp16, ElementType::kBf16, ElementType::kE4m3};
    GemmProblem problem{{}, kTypes[random_() % 8 == 0 ? 2 : index % 2], Layout::kTn};
    auto& [m, n, k] = problem.shape;
    std::tie(n, k) = one_of(kLayers);
    switch (index % 5) {
      case 0:
      case 1:
        m = one_of(kRows);
        break;
      case 2:
        m = number(1, kFewRows);
        break;
      case 3:
        problem.shape = {eights(kFewest, kMost), eights(kFewest, kMost), eights(kFewest, kMost)};
        break;
      default:
        problem.shape =
            index % 2 == 0
                ? GemmShape{eights(512, 2 * kMost), eights(64, kMost), eights(16, kShortK)}
                : GemmShape{eights(64, 512), eights(64, 512), eights(kMost, kLongK)};
    }
    if (!is_fp8(problem.dtype) && index % 5 != 2) {
      problem.layout = one_of(kLayouts);
    }
    return problem;
  }

  /// Adds the points of one problem; none if no kernel of the GPU solves it, or all take too long.
  void add_points(const GemmProblem& problem, std::vector<ListedPoint>& points) {
    std::vector<std::pair<Seconds, KernelConfig>> kernels;
    for (const KernelConfig& config : enumerate_candidates(gpu_, problem, {}, false, 1).legal) {
      kernels.emplace_back(
          predict_config(gpu_, problem, config, Regime::kBurst, Inputs::kNormal, Method::kAnalytic)
              .time,
          config);
    }
    std::ranges::stable_sort(kernels, {}, [](const auto& kernel) { return kernel.first; });
    if (kernels.empty() || kernels.front().first > kLongest) {
      return;
    }
    const auto slow = std::ranges::find_if(kernels, [&](const auto& kernel) {
      return kernel.first > kernels.front().first * kSlowest;
    });
    kernels.erase(slow, kernels.end());
    std::vector<KernelConfig> chosen;
    const auto choose = [&](KernelConfig config) {
      const bool known = std::ranges::any_of(chosen, [&](KernelConfig other) {
        other.raster = config.raster;
        return other == config;
      });
      if (!known) {
        chosen.push_back(config);
      }
    };
    for (std::size_t i = 0; i < kernels.size() && chosen.size() < kBest; ++i) {
      choose(kernels[i].second);
    }
    const std::size_t best = chosen.size();
    for (std::size_t i = 0; i < 4 * kKernels && chosen.size() < kKernels; ++i) {
      choose(kernels[random_() % kernels.size()].second);
    }
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      points.push_back(
          {{.problem = problem,
            .config = to_text(chosen[i]),
            .regime = random_() % kSustained == 0 ? Regime::kSustained : Regime::kBurst},
           i < best ? "best" : "random"});
    }
  }

 private:
  const GpuSpec& gpu_;
  std::mt19937 random_{1};
};

}  // namespace

std::vector<ListedPoint> design_points(const GpuSpec& gpu) {
  Draw draw(gpu);
  std::vector<ListedPoint> points;
  for (int i = 0; i < kProblems; ++i) {
    draw.add_points(draw.problem(i), points);
  }
  return points;
}

}  // namespace tilecast
