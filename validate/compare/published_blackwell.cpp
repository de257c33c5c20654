#include "validate/compare/published_blackwell.h"

#include <algorithm>
#include <iterator>

#include "model/predict/predict.h"
#include "model/tile/kernel_config_text.h"

namespace tilecast {

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

double speed_error(const GpuSpec& gpu, const PublishedFigure& figure) {
  return predict_config(gpu, problem_there(figure), parse_config(figure.config_there),
                        Regime::kSustained, Inputs::kNormal)
                 .tflops /
             figure.value -
         1;
}

}  // namespace tilecast
