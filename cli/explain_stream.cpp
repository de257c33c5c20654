#include "cli/explain_stream.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/output_parts.h"
#include "model/base/text.h"

namespace tilecast {
namespace {

constexpr double kNotableShare = 0.002;  // fraction of DRAM's rate, or of a time
constexpr int kStreamDigits = 6, kStreamShareDigits = 4;

double micro(Seconds time) { return time.value * 1e6; }

}  // namespace

std::optional<StreamStory> stream_story(const ExplainReport& report, const Explanation& kernel) {
  const StreamProblem* problem = std::get_if<StreamProblem>(&report.problem);
  if (problem == nullptr) {
    return std::nullopt;
  }
  const GpuSpec& gpu = report.gpu.spec;
  const Prediction& p = kernel.predicted;
  const StreamForm form = form_at(gpu, *problem, std::get<StreamConfig>(p.config), p.sm_clock);
  return StreamStory{stream_bytes(*problem) / p.time.value * 1e-12,
                     rate_shares(gpu, *problem, p.time), form.parts};
}

std::vector<NamedLoss> named_losses(const StreamLosses& losses) {
  return {{"spread", "bytes in flight on many pages", losses.spread},
          {"walk", "CTAs that drift apart on independent walks", losses.walk},
          {"plain", "plain loads, which hold lines in L1", losses.plain},
          {"hint", "the cache hint of asynchronous loads", losses.hint},
          {"narrow", "requests that cover few bytes of a row", losses.narrow}};
}

nlohmann::ordered_json stream_json(const StreamStory& story) {
  nlohmann::ordered_json losses = nlohmann::ordered_json::object();
  for (const NamedLoss& loss : named_losses(story.parts.losses)) {
    losses[std::string(loss.name)] = rounded(loss.share, kStreamShareDigits);
  }
  const StreamParts& parts = story.parts;
  return {{"tb_per_s", rounded(story.tb_per_s, kStreamDigits)},
          {"of_datasheet", rounded(story.shares.of_datasheet, kStreamShareDigits)},
          {"of_measured_rates", rounded(story.shares.of_measured, kStreamShareDigits)},
          {"kernel_us", rounded(micro(parts.kernel), kStreamDigits)},
          {"first_load_us", rounded(micro(parts.first_load), kStreamDigits)},
          {"dram_us", rounded(micro(parts.dram), kStreamDigits)},
          {"flight_us", rounded(micro(parts.flight), kStreamDigits)},
          {"in_flight_bytes_per_sm", rounded(parts.in_flight.value, kStreamDigits)},
          {"dram_losses", losses}};
}

std::vector<std::string> why_stream(const StreamStory& kernel, const StreamStory& best) {
  std::vector<std::string> why;
  const StreamParts &own = kernel.parts, &other = best.parts;
  const auto against = [](Seconds a, Seconds b) { return (a - b) / b; };
  if (std::abs(against(own.dram, other.dram)) >= kNotableShare) {
    std::vector<std::string> parts;
    const std::vector<NamedLoss> losses = named_losses(own.losses),
                                 others = named_losses(other.losses);
    for (std::size_t i = 0; i < losses.size(); ++i) {
      const double more = losses[i].share - others[i].share;
      if (std::abs(more) >= kNotableShare) {
        parts.push_back(fmt::format("{} {:+.1f} %", losses[i].to, -100 * more));
      }
    }
    why.push_back(
        fmt::format("DRAM by itself takes {:.1f} us instead of {:.1f} us. DRAM's rate differs from "
                    "#1's by: {}.",
                    micro(own.dram), micro(other.dram), join(parts, "; ")));
  }
  if (std::abs(against(own.flight, other.flight)) >= kNotableShare) {
    const bool holds = own.flight > own.dram;
    why.push_back(fmt::format(
        "Back-to-back loads take {:.1f} us instead of {:.1f} us, with {:.0f} KiB per SM in flight "
        "instead of {:.0f}{}.",
        micro(own.flight), micro(other.flight), own.in_flight.value / 1024,
        other.in_flight.value / 1024, holds ? ": latency bounds this kernel, not DRAM" : ""));
  }
  return why;
}

}  // namespace tilecast
