#include "validate/measure/output_check.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "model/base/math.h"

namespace tilecast {
namespace {

constexpr std::size_t kGuardBytes = 256 << 10;
constexpr std::size_t kWordBytes = 4;

}  // namespace

double unit_roundoff(ElementType type) { return std::ldexp(1.0, -traits_of(type).digits); }

Verdict verdict_of(const OutputCheck& check, double norm_bound, i64 elements,
                   const std::function<std::string(u64 index)>& place) {
  const double largest = std::bit_cast<float>(check.largest_reference);
  const double error = std::bit_cast<float>(check.largest_error);
  const double norm = std::sqrt(check.reference_squares);
  const double error_norm = std::sqrt(check.error_squares);
  Verdict verdict{.fault = "",
                  .max_error = largest > 0 ? error / largest : error,
                  .rms_error = norm > 0 ? error_norm / norm : error_norm};
  if (check.unwritten_elements != 0) {
    verdict.fault = fmt::format("{} of {} elements were not written, the first wrong one at {}",
                                check.unwritten_elements, elements, place(check.first_wrong));
  } else if (check.wrong_elements != 0) {
    verdict.fault = fmt::format("{} of {} elements are wrong, the first at {}",
                                check.wrong_elements, elements, place(check.first_wrong));
  } else if (!(error_norm <= norm_bound * norm)) {
    verdict.fault = fmt::format("relative error norm is {:.2e}, at most {:.2e} is allowed",
                                verdict.rms_error, norm_bound);
  } else if (check.guard_changed != 0) {
    verdict.fault = fmt::format("{} words outside the output were written", check.guard_changed);
  }
  return verdict;
}

void* GuardedOutput::poison(std::size_t bytes) {
  behind_ = kGuardBytes + round_up(bytes, kWordBytes);
  stream_.synchronize();  // reserve() may move the memory
  memory_.reserve(behind_ + kGuardBytes);
  TILECAST_CUDA(
      cudaMemsetAsync(memory_.as<void>(), kPoisonByte, behind_ + kGuardBytes, stream_.get()));
  return memory_.as<void>(kGuardBytes);
}

void GuardedOutput::check_guards(OutputCheck* check) const {
  for (const std::size_t band : {std::size_t{0}, behind_}) {
    kernels_.check_guard(memory_.as<void>(band), kGuardBytes / kWordBytes, check, stream_.get());
  }
}

}  // namespace tilecast
