#include "validate/compare/results_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/base/error.h"
#include "model/tile/any_op.h"
#include "model/tile/fp8_pairs.h"
#include "model/tile/kernel_config_text.h"
#include "model/tile/short_config_text.h"
#include "validate/compare/shown_figures.h"

namespace tilecast {
namespace {

constexpr std::string_view kBegin = "<!-- results:begin -->\n";
constexpr std::string_view kEnd = "<!-- results:end -->";

constexpr std::string_view kResultsHead =
    "| M x N x K | regime | predicted best | predicted | measured | measured best | time | TFLOPS "
    "| cuBLASLt top-1 | best of 16 |\n"
    "|---|---|---|--:|--:|---|--:|--:|--:|--:|\n";

constexpr std::string_view kResultsLegend = R"(
Times in µs, medians of the kernel's own duration. *Predicted best* is the configuration with the
least predicted time among those that were measured for the shape. A configuration reads: schedule
(`bl` blocked, `bp` blocked_pipelined, `pi` pipelined, `pe` persistent, `po` persistent_overlap,
`ws` warp_specialized, `ws1` with one tile per CTA, `pp` ping_pong, `sp` split_k, `sk` stream_k,
`sph` and `skh` their hybrids), CTA tile MxNxK, `s` stages, `w` warpgroups along M and N that share
a tile, `c` cluster, `o` CTAs per SM, `i` wgmma groups in flight, `e` staging slots of C per
warpgroup, `d` where its store is deferred, the order of tiles: `m` or `n` bands of that many tile
rows or columns, `h` Hilbert, `k` behind it chunks; where K is split `k` with the parts of a tile,
or their least K blocks and `+`, and the reduction: `t` turnstile, `a` atomic, `s` spread; `r` the
registers of the producer's threads, where they are not the schedule's. `--config` takes such texts.
)";

/// About four digits.
std::string micros(Seconds time) {
  const double value = time.value * kToMicro;
  return fmt::format("{:.{}f}", value, value < 10 ? 2 : value < 1000 ? 1 : 0);
}

std::string micros(const std::optional<Measurement>& measurement) {
  return measurement ? micros(measurement->time->median) : "";
}

std::string conditions_text(const JoinedGroup& group) {
  std::string text(to_text(group.regime));
  if (group.inputs != Inputs::kNormal) {
    text += fmt::format(", {}", to_text(group.inputs));
  }
  if (group.l2_state != L2State::kRotating) {
    text += fmt::format(", {}", to_text(group.l2_state));
  }
  return text;
}

std::string row_text(const JoinedGroup& group) {
  const GemmProblem& problem = std::get<GemmProblem>(group.problem);
  const auto predicted = std::min_element(group.points.begin(), group.points.end(),
                                          [](const JoinedPoint& a, const JoinedPoint& b) {
                                            return a.predicted.time < b.predicted.time;
                                          });
  const auto measured = std::min_element(group.points.begin(), group.points.end(),
                                         [](const JoinedPoint& a, const JoinedPoint& b) {
                                           return a.measured_time() < b.measured_time();
                                         });
  const double tflops = gemm_flops(problem) / measured->measured_time().value * kPerTera;
  return fmt::format("| {} | {} | `{}` | {} | {} | `{}` | {} | {:.0f} | {} | {} |\n",
                     gemm_problem_text(problem), conditions_text(group),
                     short_text(std::get<KernelConfig>(predicted->predicted.config)),
                     micros(predicted->predicted.time), micros(predicted->measured_time()),
                     short_text(std::get<KernelConfig>(measured->predicted.config)),
                     micros(measured->measured_time()), tflops, micros(group.cublaslt_top1),
                     micros(group.cublaslt_best));
}

/// Where `marker` stands; it must stand once.
std::size_t find_once(std::string_view text, std::string_view marker, std::string_view name) {
  const std::size_t at = text.find(marker);
  if (at == std::string_view::npos || text.find(marker, at + 1) != std::string_view::npos) {
    throw ConfigError(fmt::format("{}: expected exactly one line '{}'", name,
                                  marker.substr(0, marker.find('\n'))));
  }
  return at;
}

}  // namespace

std::string gemm_problem_text(const GemmProblem& problem) {
  std::string text = shape_text(problem);
  if (problem.dtype != ElementType::kFp16) {
    text += fmt::format(" {}", types_text(problem));
  }
  if (problem.layout != Layout::kTn) {
    text += fmt::format(" {}", to_text(problem.layout));
  }
  return text;
}

std::string results_table(const JoinedData& data) {
  std::string text(kResultsHead);
  for (const JoinedGroup& group : data.groups) {
    if (!group.points.empty() && op_of(group.problem) == Op::kGemm) {
      text += row_text(group);
    }
  }
  return text + std::string(kResultsLegend);
}

std::string replace_between_markers(std::string_view text, std::string_view name,
                                    std::string_view content) {
  const std::size_t begin = find_once(text, kBegin, name) + kBegin.size();
  const std::size_t end = find_once(text, kEnd, name);
  if (end < begin) {
    throw ConfigError(
        fmt::format("{}: expected '{}' behind the line that begins the results", name, kEnd));
  }
  return std::string(text.substr(0, begin)) + std::string(content) + std::string(text.substr(end));
}

}  // namespace tilecast
