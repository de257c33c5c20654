#include <fmt/format.h>

#include "validate/measure/micro/micro_suite.h"

namespace tilecast {

namespace {

/// Partial sums of one to three warpgroups, on one SM and on all.
void measure_partial_sums(MicroLab& lab) {
  constexpr int kRepeats = 7;
  constexpr u32 kTurns = 20;
  constexpr i32 kPartBytes = 64 * 1024;  // 128 accumulators of 128 threads
  const struct {
    const char* name;
    int move, at_once;
  } moves[] = {
      {"store", 0, 1}, {"add", 1, 1}, {"load at_once=8", 2, 8}, {"load at_once=16", 2, 16}};
  for (const auto& move : moves) {
    LoadedKernel& kernel =
        lab.kernel("partial_sums", {fmt::format("TILECAST_MOVE={}", move.move),
                                    fmt::format("TILECAST_AT_ONCE={}", move.at_once)});
    for (const u32 ctas : {1u, lab.sm_count()}) {
      for (const i32 warpgroups : {1, 2}) {
        float* memory = reinterpret_cast<float*>(
            lab.memory(std::size_t{ctas} * static_cast<std::size_t>(warpgroups * kPartBytes)));
        std::vector<TimedSample> issued, done;
        for (int i = 0; i < kRepeats; ++i) {
          const std::vector<TimedSample> both = lab.run(
              kernel, {.ctas = ctas, .threads = warpgroups * 128, .shared_memory_bytes = kWholeSm},
              2 * ctas, memory, kTurns);
          for (std::size_t cta = 0; cta < ctas; ++cta) {
            issued.push_back(both[2 * cta]);
            done.push_back(both[2 * cta + 1]);
          }
        }
        const std::string variant =
            fmt::format("{} kib={} sms={}", move.name, warpgroups * kPartBytes / 1024, ctas);
        lab.report(latency_point(issued), "atomics", "partial_sums.issued", variant,
                   "partial_sums");
        lab.report(latency_point(done), "atomics", "partial_sums.done", variant, "partial_sums");
      }
    }
  }
}

}  // namespace

void measure_atomics(MicroLab& lab) {
  measure_partial_sums(lab);
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
