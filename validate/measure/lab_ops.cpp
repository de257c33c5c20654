// The one place where the laboratory names operations.
#include "validate/measure/attention/attention_lab.h"
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

constexpr LabRow kRows[] = {row_of<GemmLab>(), row_of<StreamLab>(), row_of<AttentionLab>()};
static_assert(std::size(kRows) == std::variant_size_v<AnyProblem>);

}  // namespace

std::span<const LabRow> lab_ops() { return kRows; }

}  // namespace tilecast
