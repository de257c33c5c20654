// Checks a kernel's result; shared by the harnesses of all operations. Contains memory for a
// result, poisoned and between guard bands, and the verdict of a comparison with an fp32 reference.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "validate/measure/device_memory.h"
#include "validate/measure/timing/micro_kernels.h"

namespace tilecast {

struct Verdict {
  std::string fault;  // empty if the result is right
  // Largest error / largest reference value; not set if the comparison is exact.
  std::optional<double> max_error{};
  double rms_error = 0;  // ||output - reference|| over ||reference||

  bool right() const { return fault.empty(); }
};

/// Half the distance from 1 to the next larger number.
double unit_roundoff(ElementType type);

/// Returns the verdict over `elements` compared elements, with a bound on the error norm relative
/// to the reference's; `place` names an element by its index.
Verdict verdict_of(const OutputCheck& check, double norm_bound, i64 elements,
                   const std::function<std::string(u64 index)>& place);

class GuardedOutput {
 public:
  GuardedOutput(const MicroKernels& kernels, const Stream& stream)
      : kernels_(kernels), stream_(stream) {}

  /// Returns poisoned memory for a result of `bytes`, with a guard band of 256 KiB on either side.
  void* poison(std::size_t bytes);
  /// Adds to `check` the number of words of the guard bands that changed.
  void check_guards(OutputCheck* check) const;

 private:
  const MicroKernels& kernels_;
  const Stream& stream_;
  DeviceMemory memory_;
  std::size_t behind_ = 0;  // offset of the second band
};

}  // namespace tilecast
