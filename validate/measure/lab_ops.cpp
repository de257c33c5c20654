// The only file in which the benchmark harness names operations.
#include <array>
#include <type_traits>
#include <variant>

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

template <class... Labs>
constexpr std::array<LabRow, sizeof...(Labs)> rows_of() {
  static_assert(std::is_same_v<std::variant<typename Labs::Problem...>, AnyProblem>,
                "a row for each alternative of AnyProblem, in their order");
  return {row_of<Labs>()...};
}

constexpr auto kRows = rows_of<GemmLab, StreamLab, AttentionLab>();

}  // namespace

std::span<const LabRow> lab_ops() { return kRows; }

}  // namespace tilecast
