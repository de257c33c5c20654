// Explains in sentences why one kernel is slower than another.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/explain_output.h"
#include "cli/explain_stream.h"
#include "cli/output_parts.h"
#include "model/base/shown_text.h"
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

/// SMs' time in waves relative to their work: the last wave may be partial, and clusters may leave
/// SMs idle.
double idle_factor(const TileWaves& w, i32 sms) {
  return std::ceil(w.waves) * sms * w.ctas_per_sm / static_cast<double>(w.tiles);
}

/// Formats "5.9 waves, the last 87 % full", and which SMs are idle in all of them.
std::string waves_text(const TileWaves& w, i32 sms) {
  const i64 idle = sms - w.ctas / w.ctas_per_sm;
  return fmt::format("{:.1f} waves, the last {:.0f} % full{}", w.waves,
                     100 * static_cast<double>(w.in_last_wave) / static_cast<double>(w.ctas),
                     idle > 0 && w.tiles > w.ctas
                         ? fmt::format(", {} idle", counted(static_cast<std::size_t>(idle), "SM"))
                         : "");
}

bool splits_tiles(const Explanation& e) {
  const KernelConfig* config = std::get_if<KernelConfig>(&e.predicted.config);
  return config != nullptr && splits_k(config->schedule);
}

/// Whether `part` of the cycles has the direction of the whole difference, and much of its size.
bool explains(double part, double whole) {
  constexpr double kMuch = 1.0 / 3;
  return part * whole > 0 && std::abs(part) >= std::max(kWorthSaying, kMuch * std::abs(whole));
}

/// Explains where the cycles differ: in partial waves or in the costs of groups, if these explain
/// much of it, otherwise in the SMs' time.
std::string cycles_text(const Explanation& kernel, const Explanation& best, const Difference& d,
                        i32 sms) {
  const Cycles other = best.predicted.cycles;
  const double more = d.cycles - 1;
  std::string text = more_percent(d.cycles) + " cycles";
  if (kernel.groups && best.groups) {
    for (const auto& [part, name] : {std::pair{&GroupParts::imbalance, "groups of unequal size"},
                                     std::pair{&GroupParts::partial, "partial tiles"}}) {
      const double own = *kernel.groups.*part, of_best = *best.groups.*part;
      if (explains(own - of_best, more)) {
        return fmt::format("{}: {} cost {:.1f} % of its time, {:.1f} % of #1's.", text, name,
                           100 * own, 100 * of_best);
      }
    }
  } else if (kernel.waves && best.waves && !splits_tiles(kernel) && !splits_tiles(best) &&
             explains(idle_factor(*kernel.waves, sms) / idle_factor(*best.waves, sms) - 1, more)) {
    return fmt::format("{}: {} tile{} on {} CTAs take{} {}; #1 takes {}.", text,
                       kernel.waves->tiles, kernel.waves->tiles == 1 ? "" : "s", kernel.waves->ctas,
                       kernel.waves->tiles == 1 ? "s" : "", waves_text(*kernel.waves, sms),
                       waves_text(*best.waves, sms));
  }
  if (const std::string phases = list_of(d.phases, other); !phases.empty()) {
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
  constexpr double kSame = 5e-4;  // shown as 0.0 %
  if (std::abs(kernel.predicted.time / best.predicted.time - 1) < kSame &&
      kernel.predicted.method == best.predicted.method) {
    return {"It takes as long as #1."};
  }
  const Difference d = difference(kernel, best);
  std::vector<std::string> why;
  if (kernel.predicted.method != best.predicted.method) {
    const bool best_alone = best.predicted.method == Method::kSimulated;
    why.push_back(fmt::format(
        "Only {} is simulated; by the analytic model it is {}.", best_alone ? "#1" : "it",
        more_or_less(kernel.closed_form.time / best.closed_form.time, "slower", "faster")));
  } else {
    why.push_back(cycles_text(kernel, best, d, report.gpu.spec.sm.count));
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
