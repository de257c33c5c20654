#include "validate/measure/micro/micro_suite.h"

namespace tilecast {

/// Measures the exchange of partial sums of one or two warpgroups, on one SM and on all SMs.
void measure_partial_sums(MicroLab& lab) {
  constexpr int kRepeats = 7;
  constexpr u32 kTurns = 20;
  constexpr i32 kPartBytes = 64 * 1024;  // 128 fp32 accumulators of 128 threads
  const struct {
    const char* name;
    int move, at_once;
  } moves[] = {
      {"store", 0, 1}, {"add", 1, 1}, {"load at_once=8", 2, 8}, {"load at_once=16", 2, 16}};
  for (const auto& move : moves) {
    LoadedKernel& kernel =
        lab.kernel("partial_sums",
                   fmt::format("constexpr int kMove = {}, kAtOnce = {};", move.move, move.at_once));
    for (const u32 ctas : {1u, lab.sm_count()}) {
      for (const i32 warpgroups : {1, 2}) {
        float* memory = reinterpret_cast<float*>(
            lab.memory(std::size_t{ctas} * static_cast<std::size_t>(warpgroups * kPartBytes)));
        const auto places = by_place(kRepeats, [&] {
          return lab.run(
              kernel, {.ctas = ctas, .threads = warpgroups * 128, .shared_memory_bytes = kWholeSm},
              2 * ctas, memory, kTurns);
        });
        std::vector<TimedSample> part[2];  // times at issue, at completion
        for (std::size_t place = 0; place < places.size(); ++place) {
          part[place % 2].insert(part[place % 2].end(), places[place].begin(), places[place].end());
        }
        const std::string variant =
            fmt::format("{} kib={} sms={}", move.name, warpgroups * kPartBytes / 1024, ctas);
        lab.report(latency_point(part[0]), "partial_sums.issued", variant, "partial_sums");
        lab.report(latency_point(part[1]), "partial_sums.done", variant, "partial_sums");
      }
    }
  }
}

}  // namespace tilecast
