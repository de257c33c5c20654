#include "validate/compare/published_blackwell.h"

#include <algorithm>
#include <iterator>

#include "model/predict/predict.h"
#include "model/tile/kernel_config_text.h"

namespace tilecast {
namespace {

// validate/data/h200_sxm/micro: mbarrier.wake, 185.2 cycles with four waiting warps, 187.1 with
// eight; the only figures of its kind. Waited for twice in a K block.
constexpr Cycles kWakeOfEight{187.1 - 185.2};

GpuSpec as_there(GpuSpec gpu, const KernelConfig& config) {
  gpu.tcgen05.value().block_turn += kWakeOfEight * (2 * (warpgroups_per_tile(config.tiling) - 1));
  return gpu;
}

}  // namespace

std::vector<PublishedFigure> modelled_gemms(const std::vector<PublishedFigure>& figures,
                                            std::string_view gpu) {
  std::vector<PublishedFigure> gemms;
  std::copy_if(figures.begin(), figures.end(), std::back_inserter(gemms),
               [&](const PublishedFigure& figure) {
                 return figure.gpu == gpu && figure.unit == FigureUnit::kTflops &&
                        op_of(figure.problem) == Op::kGemm && !figure.config_there.empty();
               });
  return gemms;
}

double speed_error(const GpuSpec& gpu, const PublishedFigure& figure, Method method) {
  return predict_config(as_there(gpu, parse_kernel_config(figure.config_there)),
                        problem_there(figure), parse_config(figure.config_there),
                        Regime::kSustained, Inputs::kNormal, method)
                 .tflops /
             figure.value -
         1;
}

}  // namespace tilecast
