// What makes one kernel slower than another, in sentences.
#include <fmt/format.h>

#include <cmath>

#include "cli/explain_output.h"
#include "cli/explain_stream.h"
#include "cli/output_parts.h"
#include "model/base/error.h"
#include "model/base/text.h"

namespace tilecast {
namespace {

constexpr double kWorthSaying = 0.002;  // of the other kernel's cycles, or of a ratio

std::string more_or_fewer(double ratio, const char* more, const char* fewer) {
  return fmt::format("{:.1f} % {}", 100 * std::abs(ratio - 1), ratio >= 1 ? more : fewer);
}

std::string signed_percent(double fraction) { return fmt::format("{:+.1f} %", 100 * fraction); }

/// "between +3.1 %, end -0.4 %": of the other kernel's cycles, what is worth saying.
std::string list_of(const std::vector<MoreCycles>& items, Cycles other, std::size_t most) {
  std::vector<std::string> words;
  for (const MoreCycles& item : items) {
    if (std::abs(item.cycles / other) >= kWorthSaying && words.size() < most) {
      words.push_back(
          fmt::format("{} {}", shown_limiter(item.of), signed_percent(item.cycles / other)));
    }
  }
  return join(words, ", ");
}

/// What holds a clock.
const char* holder(ClockLimiter limiter) {
  switch (limiter) {
    case ClockLimiter::kHighestClock:
      return "the GPU's highest";
    case ClockLimiter::kTensorPlateau:
      return "the tensor plateau";
    case ClockLimiter::kBurstPower:
      return "burst power";
    case ClockLimiter::kSustainedPower:
      return "the power cap";
  }
  TILECAST_ASSERT(!"no such limiter of the clock");
}

}  // namespace

bool is_best(const Explanation& kernel, const Explanation& best) {
  return kernel.predicted.config == best.predicted.config;
}

std::vector<std::string> why_not_best(const ExplainReport& report, const Explanation& kernel,
                                      const Explanation& best) {
  constexpr std::size_t kMostParts = 3;
  const Difference d = difference(kernel, best);
  const Cycles other = best.predicted.cycles;
  std::vector<std::string> why{
      fmt::format("{} than the best: {} at {}.", more_or_fewer(d.time, "slower", "faster"),
                  more_or_fewer(d.cycles, "more cycles", "fewer cycles"),
                  std::abs(d.sm_clock - 1) < kWorthSaying
                      ? std::string("the same clock")
                      : "a clock " + more_or_fewer(d.sm_clock, "higher", "lower"))};
  if (std::abs(d.sm_clock - 1) >= kWorthSaying) {
    why.push_back(fmt::format(
        "Each cycle takes {} energy; {}.", more_or_fewer(d.energy_per_cycle, "more", "less"),
        kernel.clock_limiter == best.clock_limiter
            ? fmt::format("both clocks are held by {}", holder(kernel.clock_limiter))
            : fmt::format("its clock is held by {}, the best's by {}", holder(kernel.clock_limiter),
                          holder(best.clock_limiter))));
  }
  if (const std::string phases = list_of(d.phases, other, d.phases.size()); !phases.empty()) {
    why.push_back(fmt::format("Extra SM time, relative to the best's cycles: {}.", phases));
  }
  std::vector<MoreCycles> extra = d.parts;
  std::erase_if(extra, [](const MoreCycles& part) { return part.cycles.value < 0; });
  if (const std::string parts = list_of(extra, other, kMostParts); !parts.empty()) {
    why.push_back(
        fmt::format("Infinitely fast, a part would save it more than the best (relative to the "
                    "best's cycles; parts overlap, so this is no sum): {}.",
                    parts));
  }
  if (kernel.waves && best.waves && kernel.waves->waves != best.waves->waves) {
    why.push_back(
        fmt::format("{:.2f} waves of tiles, the last one {:.0f} % full; the best has "
                    "{:.2f}, {:.0f} %.",
                    kernel.waves->waves,
                    100.0 * static_cast<double>(kernel.waves->in_last_wave) /
                        static_cast<double>(kernel.waves->ctas),
                    best.waves->waves,
                    100.0 * static_cast<double>(best.waves->in_last_wave) /
                        static_cast<double>(best.waves->ctas)));
  }
  const std::optional<StreamStory> story = stream_story(report, kernel);
  if (story && !is_best(kernel, best)) {
    for (std::string& sentence : why_stream(*story, *stream_story(report, best))) {
      why.push_back(std::move(sentence));
    }
  }
  return why;
}

}  // namespace tilecast
