#include "cli/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "cli/output_parts.h"
#include "cli/table.h"
#include "model/base/error.h"
#include "model/base/text.h"
#include "model/form/hard_bounds.h"
#include "model/predict/predict_op.h"
#include "model/predict/why_extrapolated.h"

namespace tilecast {
namespace {

constexpr double kEqual = 0.015;  // times that differ by less are called equal
constexpr double kAlike = 0.1;    // minimum weight of similar problems; each has up to 1
constexpr double kWide = 1.5;     // ends of a forecast's interval that say little about the ratio
constexpr int kComparedDigits = 6;
constexpr char kRow[] = "{:>9} {:>10}  {:<14} {:>9} {:<6.6}  ";  // columns before the problem

std::string speed_text(const AnyProblem& problem, Seconds time) {
  const double speed = flops_of(problem) / time.value * 1e-12;
  return speed < 0.01 ? "<0.01" : fmt::format("{:.{}f}", speed, speed >= 100 ? 0 : 2);
}

std::string interval_text(Seconds low, Seconds high) {
  return fmt::format("{} to {}", micro_text(low), micro_text(high));
}

std::string source_of(const LibraryTime& library) {
  return library.measured ? "measured" : "forecast";
}

/// Which kernel is faster, and whether that is certain. Needs the library's time.
struct Verdict {
  bool equal, library, sure;
  double times;  // speed of the faster kernel divided by the other's
};

Verdict verdict_of(const Comparison& c) {
  const double gain = *c.gain();
  const bool equal = std::abs(gain - 1) < kEqual, library = gain < 1;
  const bool apart =
      library ? c.library->high < c.ours.interval_low : c.library->low > c.ours.interval_high;
  const bool known = c.library->measured || c.library->high / c.library->low < kWide;
  return {equal, library,
          equal ? c.library->measured : apart && known && c.alike() && !c.ours.extrapolated,
          library ? 1 / gain : gain};
}

std::string name_of(const Comparison& c, bool library) {
  return library ? c.name() : "tilecast's pick";
}

std::string against_library(const Comparison& c) {
  const std::string ours = micro_text(c.ours.time);
  if (!c.library) {
    return fmt::format("tilecast's pick takes {} us. {}'s time is not known.", ours, c.name());
  }
  const Verdict verdict = verdict_of(c);
  const std::string theirs = micro_text(c.library->time);
  const char* const perhaps = verdict.sure ? "" : "perhaps ";
  if (verdict.equal) {
    return fmt::format("tilecast's pick and {} are {}equally fast: {} and {} us.", c.name(),
                       perhaps, ours, theirs);
  }
  return fmt::format("{} is {}{:.2f} times as fast as {}: {} and {} us.",
                     name_of(c, verdict.library), perhaps, verdict.times,
                     name_of(c, !verdict.library), verdict.library ? theirs : ours,
                     verdict.library ? ours : theirs);
}

std::string against_roof(const Comparison& c) {
  const Roof& roof = c.roofs.front();
  const bool library = c.library && c.library->time < c.ours.time;
  const double left = (library ? c.library->time : c.ours.time) / roof.time;
  return fmt::format(
      "At the {} clock no kernel can beat {} us ({}): at most {:.2f} times as fast as {}.",
      c.ours.bounds.highest_clock > c.ours.sm_clock ? "GPU's highest" : "pick's",
      micro_text(roof.time), roof.name, std::max(1.0, left), name_of(c, library));
}

/// Why a forecast of the library's time is what it is: the rows' alignment if it costs the library
/// wgmma, and the nearest measured problem.
std::string library_reason(const Comparison& c) {
  if (!c.library || c.library->measured || !c.library->nearest) {
    return "";
  }
  std::string text;
  constexpr i32 kAligned = 16;
  if (const auto* gemm = std::get_if<GemmProblem>(&c.problem)) {
    const std::array<i32, 3> bytes = row_alignments(*gemm);
    std::vector<std::string> names;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      if (bytes[i] < kAligned) {
        names.emplace_back(1, "ABC"[i]);
      }
    }
    if (!names.empty()) {
      text = fmt::format("Rows of {} are not aligned to {} bytes: {} then has no wgmma kernel. ",
                         join(names, ", "), kAligned, c.name());
    }
  }
  return !c.alike()
             ? text
             : text + fmt::format("Nearest measured problem: {}, {:.2f} times tilecast's time.",
                                  without_groups(to_text(*c.library->nearest)),
                                  c.library->nearest_ratio);
}

std::vector<Roof> roofs_of(const GpuSpec& gpu, const AnyProblem& problem, const Prediction& pick) {
  // Operands and result count once. The pick's own bounds would include rereads, and with groups
  // rows of tiles that are not stored.
  const Seconds dram = transfer_time(Bytes{least_bytes(problem)}, highest_dram_rate(gpu));
  const LeastWork least =
      std::visit([&](const auto& own) { return least_work(gpu, own); }, problem);
  const Cycles tensor =
      least.tensor ? compute_cycles(least.tensor->flops, least.tensor->peak) : Cycles{};
  const Hertz clock = std::max(pick.sm_clock, pick.bounds.highest_clock);
  std::vector<Roof> roofs{
      {"tensor cores", time_of(tensor, clock)}, {"DRAM", dram}, {"launch", pick.bounds.launch}};
  std::ranges::sort(roofs, std::greater<>{}, &Roof::time);
  return roofs;
}

/// A library's forecast is tilecast's time multiplied by a ratio, so its interval combines the
/// errors of both.
void widen(const Prediction& ours, LibraryTime& library) {
  const auto reach = [](double theirs, double own) {
    return std::exp(std::hypot(std::log(theirs), std::log(own)));
  };
  library.low = library.time / reach(library.time / library.low, ours.time / ours.interval_low);
  library.high = library.time * reach(library.high / library.time, ours.interval_high / ours.time);
}

}  // namespace

std::optional<double> Comparison::gain() const {
  return library ? std::optional(library->time / ours.time) : std::nullopt;
}

bool Comparison::alike() const { return library && (library->measured || library->like >= kAlike); }

Comparison compare(const GpuSpec& gpu, const Ranking& ranking,
                   const std::filesystem::path& config_folder) {
  const AnyProblem& problem = ranking.problem;
  if (const Op op = op_of(problem); library_of(op).empty()) {
    throw ConfigError(fmt::format("compare supports only gemm and attention, not {}", to_text(op)));
  }
  const Prediction& ours = ranking.predictions.front();
  Comparison comparison{
      problem, ranking.regime, ranking.inputs, ours, roofs_of(gpu, problem, ours), {}, {}};
  try {
    comparison.library =
        library_time(gpu, problem, ranking.regime, ours.time - ours.copies, config_folder);
    if (!comparison.library->measured) {
      widen(ours, *comparison.library);
    }
  } catch (const ConfigError& error) {
    comparison.why_not = error.what();
  }
  return comparison;
}

nlohmann::ordered_json comparison_object(const GpuSpec& gpu, const Comparison& c) {
  const auto micro = [](Seconds time) { return rounded(microseconds(time), kComparedDigits); };
  const Prediction& p = c.ours;
  nlohmann::ordered_json object = {{"schema", kAnswerSchema},
                                   {"gpu", gpu.name},
                                   {"problem", problem_json(c.problem)},
                                   {"regime", to_text(c.regime)},
                                   {"inputs", to_text(c.inputs)},
                                   {"ours", kernel_json(p)}};
  object["ours"]["dram_bytes"] = rounded((p.dram_read + p.dram_write).value, kComparedDigits);
  const std::string word(library_of(op_of(c.problem)));
  if (c.library) {
    object[word] = {{"time_us", micro(c.library->time)},
                    {"interval_us", {micro(c.library->low), micro(c.library->high)}},
                    {"source", source_of(*c.library)},
                    {"over_ours", rounded(*c.gain(), kComparedDigits)},
                    {"rows_alike", rounded(c.library->like, 3)}};
    if (c.library->nearest) {
      object[word]["nearest_measured"] = {{"problem", to_text(*c.library->nearest)},
                                          {"over_forecast", rounded(c.library->nearest_ratio, 3)}};
    }
  } else {
    object[word] = {{"why_not", c.why_not}};
  }
  for (const Roof& roof : c.roofs) {
    object["roofs_us"][roof.name] = micro(roof.time);
  }
  return object;
}

std::string comparison_text(const LoadedGpu& gpu, const Comparison& c) {
  const std::string reason = library_reason(c);
  std::string text = wrapped("", problem_title(c.problem)) +
                     wrapped("", conditions_title(gpu.spec, gpu.calibrated, c.regime, c.inputs)) +
                     "\n" + wrapped("", against_library(c)) +
                     (reason.empty() ? "" : wrapped("", reason)) + wrapped("", against_roof(c));
  if (!c.library) {
    text += wrapped("", c.why_not + ".");
  } else if (!c.alike()) {
    text += wrapped(
        "", fmt::format("No measured problem resembles this one: {}'s time is a guess.", c.name()));
  }
  text += "\n";
  Table table({"<", "time us", "TFLOP/s", "<90 % interval", "<"});
  table.row({"tilecast's pick", micro_text(c.ours.time), speed_text(c.problem, c.ours.time),
             interval_text(c.ours.interval_low, c.ours.interval_high), tile_text(c.ours.config)});
  if (c.library) {
    const LibraryTime& library = *c.library;
    table.row({c.name() + ", " + source_of(library), micro_text(library.time),
               speed_text(c.problem, library.time), interval_text(library.low, library.high),
               library.measured ? "" : fmt::format("{:.3f} x tilecast's", *c.gain())});
  }
  for (const Roof& roof : c.roofs) {
    table.row({fmt::format("bound: {}", roof.name), micro_text(roof.time),
               roof.name == "launch" ? "" : speed_text(c.problem, roof.time)});
  }
  text += table.text() + "\n";
  text +=
      wrapped("", fmt::format("tilecast's pick is bound by {}; {}.", bound_text(gpu.spec, c.ours),
                              clock_text(c.ours, gpu.calibrated)));
  if (c.ours.extrapolated) {
    text += wrapped("", "extrapolated: " + why_extrapolated(gpu.spec, c.problem));
  }
  if (const std::string memory = memory_text(gpu.spec, c.problem); !memory.empty()) {
    text += wrapped("", memory);
  }
  return text;
}

std::string comparison_titles() {
  return "~ forecast, not measured; ~~ no similar problem was measured; ? within the error\n" +
         fmt::format(kRow, "pick us", "library us", "faster, times", "bound us", "") + "problem\n";
}

std::string comparison_row(const Comparison& c) {
  std::string library = "-", faster;
  if (c.library) {
    const Verdict verdict = verdict_of(c);
    library = (c.library->measured ? "" : c.alike() ? "~" : "~~") + micro_text(c.library->time);
    faster = (verdict.equal ? "equal"
                            : fmt::format("{} {:.2f}", verdict.library ? c.name() : "tilecast",
                                          verdict.times)) +
             (verdict.sure ? "" : "?");
  }
  const Roof& roof = c.roofs.front();
  return wrapped(
      fmt::format(kRow, micro_text(c.ours.time), library, faster, micro_text(roof.time), roof.name),
      without_groups(to_text(c.problem)));
}

}  // namespace tilecast
