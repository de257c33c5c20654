#include "validate/compare/rotated_weights.h"

#include <algorithm>

#include "model/form/panel_reuse.h"

namespace tilecast {
namespace {

constexpr double kLeastMissing = 0.001;  // keeps DRAM's rates finite

}  // namespace

double missing_from_l2(const L2Spec& l2, const GemmProblem& problem, i32 copies_of_b) {
  const Bytes a_and_c{bytes_of_a(problem) + bytes_of_c(problem)};
  const Bytes b{bytes_of_b(problem)};
  const Bytes usable = l2.capacity * l2.usable_fraction;
  const Bytes held =
      a_and_c * kept_in_l2(a_and_c + b, usable) + b * kept_in_l2(a_and_c + b * copies_of_b, usable);
  return 1 - held / (a_and_c + b);
}

GpuSpec with_rotated_weights(GpuSpec gpu, const GemmProblem& problem, i32 copies_of_b) {
  const double missing =
      std::max(kLeastMissing, missing_from_l2(gpu.l2.value(), problem, copies_of_b));
  for (BytesPerSecond DramSpec::*rate :
       {&DramSpec::bandwidth, &DramSpec::read_rate, &DramSpec::write_rate}) {
    gpu.dram.value().*rate = {(gpu.dram.value().*rate).value / missing};
  }
  gpu.machine.value().dram_latency = gpu.machine->dram_latency * missing;
  gpu.power.value().per_dram_byte = {gpu.power->per_dram_byte.value * missing};
  return gpu;
}

}  // namespace tilecast
