// The H100's file, calibrated on a card of ours, against what public documents print for other
// people's: nothing was fitted to any such row. Runs in the repository root.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "model/base/file.h"
#include "model/predict/predict.h"
#include "model/spec/load_gpu.h"
#include "tests/catch.h"
#include "validate/compare/published.h"
#include "validate/compare/statistics.h"
#include "validate/record/measurement.h"

namespace tilecast {
namespace {

/// Relative error of the speed, predicted / published - 1, of every GEMM on this GPU that has a
/// kernel of ours.
Values speed_errors(const std::string& file, const std::string& gpu) {
  const GpuSpec spec = load_gpu(gpu, true).spec;
  Values errors;
  for (const PublishedFigure& figure : parse_published(read_file(file), file)) {
    if (figure.gpu != gpu || op_of(figure.problem) != Op::kGemm || figure.config_there.empty() ||
        is_baseline(figure.config_there) || figure.unit == FigureUnit::kHitPercent ||
        figure.kernel.starts_with(
            "A from")) {  // one tile: the time is the launch's, not the kernel's
      continue;
    }
    const Prediction p =
        predict_config(spec, problem_there(figure), parse_config(figure.config_there),
                       figure.regime, Inputs::kNormal, Method::kSimulated);
    const double over = figure.unit == FigureUnit::kTflops ? p.tflops / figure.value
                                                           : figure.value * 1e-6 / p.time.value;
    errors.push_back(over - 1);
    std::printf("%+5.1f %%  %-9s %7.1f %s  %s, %s\n", errors.back() * 100, gpu.c_str(),
                figure.value, std::string(to_text(figure.unit)).c_str(),
                to_text(figure.problem).c_str(), figure.kernel.c_str());
  }
  return errors;
}

struct Errors {
  std::size_t rows;
  double mean, median;  // of sizes
};

Errors sizes(const Values& errors) {
  Values all;
  for (const double error : errors) {
    all.push_back(std::abs(error));
  }
  std::ranges::sort(all);
  std::printf("%zu rows: mean error %.1f %%, median %.1f %%\n", all.size(), mean(all) * 100,
              all[all.size() / 2] * 100);
  return {all.size(), mean(all), all[all.size() / 2]};
}

constexpr double kRounding = 0.002;  // of the figures that validate/README.md states

}  // namespace

TEST_CASE("Published kernels of an H100 are predicted by files that were not fitted to them") {
  const std::string own = "validate/data/published/h100_throughput.csv";
  const std::string tutorials = "validate/data/published/gluon_throughput.csv";
  const Errors hand_written = sizes(speed_errors(own, "h100_sxm"));
  CHECK(hand_written.rows >= 26);
  CHECK(hand_written.mean < 0.039 + kRounding);
  CHECK(hand_written.median < 0.028 + kRounding);
  const Errors gluon = sizes(speed_errors(tutorials, "h100_sxm"));
  CHECK(gluon.rows >= 42);
  CHECK(gluon.mean < 0.068 + kRounding);
  CHECK(gluon.median < 0.039 + kRounding);
  const Errors pcie = sizes(speed_errors(own, "h100_pcie"));
  CHECK(pcie.rows >= 2);
  CHECK(pcie.mean < 0.012 + kRounding);
}

}  // namespace tilecast
