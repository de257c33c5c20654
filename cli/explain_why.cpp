// Explains in sentences why one kernel is slower than another.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/explain_output.h"
#include "cli/explain_stream.h"
#include "cli/output_parts.h"
#include "model/base/text.h"

namespace tilecast {
namespace {

constexpr double kWorthSaying = 0.002;  // fraction of the other kernel's cycles, or of a ratio

std::string more_or_less(double ratio, const char* more, const char* less) {
  return fmt::format("{:.1f} % {}", 100 * std::abs(ratio - 1), ratio >= 1 ? more : less);
}

/// Display name of a part of the SMs' time, or of the machine.
std::string shown_part(std::string_view name) {
  return name == "multiply"  ? "main loop"
         : name == "between" ? "between tiles"
         : name == "end"     ? "end and tail"
                             : shown_limiter(name);
}

/// "between tiles +3.1 %, main loop -0.4 %", relative to the other kernel's cycles.
std::string list_of(const std::vector<MoreCycles>& items, Cycles other) {
  std::vector<std::string> words;
  for (const MoreCycles& item : items) {
    if (std::abs(item.cycles / other) >= kWorthSaying) {
      words.push_back(
          fmt::format("{} {}", shown_part(item.of), more_percent(1 + item.cycles / other)));
    }
  }
  return join(words, ", ");
}

std::string waves_text(const TileWaves& w) {
  return fmt::format("{} tile{} on {} CTAs take{} {:.1f} waves", w.tiles, w.tiles == 1 ? "" : "s",
                     w.ctas, w.tiles == 1 ? "s" : "", w.waves);
}

bool splits_tiles(const Explanation& e) {
  const KernelConfig* config = std::get_if<KernelConfig>(&e.predicted.config);
  return config != nullptr && splits_k(config->schedule);
}

/// Explains where the cycles differ: in waves if these differ and no tile is split, otherwise in
/// the SMs' time.
std::string cycles_text(const Explanation& kernel, const Explanation& best, const Difference& d) {
  const Cycles other = best.predicted.cycles;
  std::string text = more_percent(d.cycles) + " cycles";
  if (kernel.waves && best.waves && kernel.waves->waves != best.waves->waves &&
      !splits_tiles(kernel) && !splits_tiles(best)) {
    text +=
        fmt::format(": {}; #1 takes {:.1f} waves", waves_text(*kernel.waves), best.waves->waves);
  } else if (const std::string phases = list_of(d.phases, other); !phases.empty()) {
    text += fmt::format(": SM time {}", phases);
  }
  return text + ".";
}

const char* limit_of(ClockLimiter limiter) {
  switch (limiter) {
    case ClockLimiter::kHighestClock:
      return "the maximum";
    case ClockLimiter::kTensorPlateau:
      return "limited by tensor work";
    default:
      return "limited by power";
  }
}

std::string clock_difference(const Explanation& kernel, const Difference& d) {
  std::string text =
      fmt::format("{} clock ({:.3f} GHz, {})", more_percent(d.sm_clock),
                  kernel.predicted.sm_clock.value * 1e-9, limit_of(kernel.clock_limiter));
  if (std::abs(d.energy_per_cycle - 1) >= kWorthSaying) {
    text += fmt::format("; {} energy per cycle", more_or_less(d.energy_per_cycle, "more", "less"));
  }
  return text + ".";
}

}  // namespace

bool is_best(const Explanation& kernel, const Explanation& best) {
  return kernel.predicted.config == best.predicted.config;
}

std::vector<std::string> why_not_best(const ExplainReport& report, const Explanation& kernel,
                                      const Explanation& best) {
  if (is_best(kernel, best)) {
    return {"It is the best."};
  }
  const Difference d = difference(kernel, best);
  std::vector<std::string> why;
  if (kernel.predicted.method != best.predicted.method) {
    const bool best_alone = best.predicted.method == Method::kSimulated;
    why.push_back(fmt::format(
        "Only {} is simulated; by the analytic model it is {}.", best_alone ? "#1" : "it",
        more_or_less(kernel.closed_form.time / best.closed_form.time, "slower", "faster")));
  } else {
    why.push_back(cycles_text(kernel, best, d));
  }
  if (std::abs(d.sm_clock - 1) >= kWorthSaying) {
    why.push_back(clock_difference(kernel, d));
  }
  if (const std::optional<StreamStory> story = stream_story(report, kernel)) {
    for (std::string& sentence : why_stream(*story, *stream_story(report, best))) {
      why.push_back(std::move(sentence));
    }
  }
  return why;
}

}  // namespace tilecast
