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

/// "1.8 % slower than the best: 1.5 % more cycles at a clock 0.3 % lower."
std::string speed_text(const Prediction& kernel, const Prediction& best) {
  const double clock = kernel.sm_clock / best.sm_clock;
  return fmt::format(
      "{} than the best: {} at {}.", more_or_fewer(kernel.time / best.time, "slower", "faster"),
      more_or_fewer(kernel.cycles / best.cycles, "more cycles", "fewer cycles"),
      std::abs(clock - 1) < kWorthSaying ? std::string("the same clock")
                                         : "a clock " + more_or_fewer(clock, "higher", "lower"));
}

/// Where one of the two was simulated and the other was not, their closed forms are comparable.
std::vector<std::string> by_closed_form(const Explanation& kernel, const Explanation& best) {
  const bool best_alone = best.predicted.method == Method::kSimulated;
  const Explanation& simulated = best_alone ? best : kernel;
  return {"By closed form alone, " + speed_text(kernel.closed_form, best.closed_form),
          fmt::format("{} simulation takes {} time than its closed form.",
                      best_alone ? "It is not simulated; the best is, and its"
                                 : "It is simulated, the best is not; its",
                      more_or_fewer(simulated.predicted.time / simulated.closed_form.time, "more",
                                    "less"))};
}

/// What makes it slower or faster, where one method predicted both.
std::vector<std::string> why_slower(const Explanation& kernel, const Explanation& best) {
  constexpr std::size_t kMostParts = 3;
  const Difference d = difference(kernel, best);
  const Cycles other = best.predicted.cycles;
  std::vector<std::string> why{speed_text(kernel.predicted, best.predicted)};
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
        fmt::format("If infinitely fast, these parts would save it more than the best (relative to "
                    "the best's cycles; parts overlap, so they do not add up): {}.",
                    parts));
  }
  return why;
}

}  // namespace

bool is_best(const Explanation& kernel, const Explanation& best) {
  return kernel.predicted.config == best.predicted.config;
}

std::vector<std::string> why_not_best(const ExplainReport& report, const Explanation& kernel,
                                      const Explanation& best) {
  std::vector<std::string> why = kernel.predicted.method == best.predicted.method
                                     ? why_slower(kernel, best)
                                     : by_closed_form(kernel, best);
  if (kernel.waves && best.waves && kernel.waves->waves != best.waves->waves) {
    const TileWaves &own = *kernel.waves, &other = *best.waves;
    const auto full = [](const TileWaves& w) {
      return 100.0 * static_cast<double>(w.in_last_wave) / static_cast<double>(w.ctas);
    };
    why.push_back(fmt::format(
        "{} tiles on {} CTAs are {:.2f} waves, the last one {:.0f} % full; the best has "
        "{} on {}, {:.2f} waves, {:.0f} %.",
        own.tiles, own.ctas, own.waves, full(own), other.tiles, other.ctas, other.waves,
        full(other)));
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
