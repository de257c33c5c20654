#include <fmt/format.h>

#include "validate/measure/micro_suite.h"

namespace tilecast {

void measure_atomics(MicroLab& lab) {
  constexpr int kRepeats = 7;
  constexpr i32 kThreads = 256;
  constexpr u32 kTurns = 256;
  LoadedKernel& kernel = lab.kernel("reduction_atomics");
  const u32 ctas = lab.sm_count() * 4;
  for (const u32 vector : {1u, 4u}) {
    for (const u32 sharing : {1u, 2u, 4u, ctas}) {
      float* memory =
          reinterpret_cast<float*>(lab.memory(std::size_t{ctas} * kThreads * 4 * vector * 4));
      const auto run = [&] {
        return joined(lab.run(kernel, {.ctas = ctas, .threads = kThreads, .shared_memory_bytes = 0},
                              ctas, memory, vector, sharing, kTurns));
      };
      run();
      lab.report(rate_point(repeated(kRepeats, run), "op"), "atomics", "red.add_f32",
                 fmt::format("elements={} ctas_per_place={}", vector, sharing),
                 "reduction_atomics");
    }
  }
}

}  // namespace tilecast
