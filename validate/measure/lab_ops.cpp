// The one place where the laboratory names operations.
#include "model/base/error.h"
#include "validate/measure/gemm/gemm_lab.h"
#include "validate/measure/lab_op.h"
#include "validate/measure/stream/stream_lab.h"

namespace tilecast {
namespace {

template <class Lab>
constexpr LabRow row_of() {
  return {.open = [](const LabDevice& device) -> std::unique_ptr<LabOp> {
            return std::make_unique<Lab>(device);
          },
          .check_sources = Lab::check_sources,
          .kernel_sources =
              [](const AnyProblem& problem, const AnyConfig& config) {
                using Problem = typename Lab::Problem;
                return Lab::kernel_sources(std::get<Problem>(problem),
                                           std::get<ConfigOf<Problem>>(config));
              }};
}

/// An operation that has kernels and forecasts and no laboratory yet.
constexpr LabRow kNotMeasured{
    .open = [](const LabDevice&) -> std::unique_ptr<LabOp> {
      throw ConfigError("attention cannot be measured: it has no laboratory yet");
    },
    .check_sources = [] { return std::vector<KernelSource>{}; },
    .kernel_sources = [](const AnyProblem&,
                         const AnyConfig&) { return std::vector<KernelSource>{}; }};

constexpr LabRow kRows[] = {row_of<GemmLab>(), row_of<StreamLab>(), kNotMeasured};
static_assert(std::size(kRows) == std::variant_size_v<AnyProblem>);

}  // namespace

std::span<const LabRow> lab_ops() { return kRows; }

}  // namespace tilecast
