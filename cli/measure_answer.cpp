#include "cli/measure_answer.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>

#include "cli/output_parts.h"
#include "cli/waiting.h"
#include "model/base/error.h"
#include "model/base/system_reason.h"
#include "model/ops/short_config_text.h"
#include "model/predict/predict.h"

namespace tilecast {
namespace {

constexpr std::size_t kOurs = 3;

/// Returns the row of a configuration, if it has a time.
const Measurement* timed(const std::vector<Measurement>& rows, const std::string& config) {
  const auto found = std::ranges::find_if(rows, [&](const Measurement& row) {
    return row.point.config == config && row.status == Status::kOk && row.time;
  });
  return found == rows.end() ? nullptr : &*found;
}

std::string rate_text(const AnyProblem& problem, Seconds time) {
  return is_rated_in_bytes(problem)
             ? fmt::format("{:.3g} TB/s", least_bytes(problem) / time.value / si::kTera)
             : fmt::format("{:.0f} TFLOP/s", flops_of(problem) / time.value / si::kTera);
}

}  // namespace

TemporaryRows::TemporaryRows() {
  folder_ = (std::filesystem::temp_directory_path() / "tilecast-measure-XXXXXX").string();
  if (::mkdtemp(folder_.data()) == nullptr) {
    throw FileError(folder_ + ": cannot create: " + system_reason(errno));
  }
}

TemporaryRows::~TemporaryRows() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::vector<Prediction> kernels_to_measure(const MeasureOptions& options, const GpuSpec& gpu,
                                           const AnyProblem& problem) {
  const Waiting waiting(fmt::format("{} on {}", options.shape, gpu.name));
  const Regime regime = parse_regime(options.regime);
  const Inputs inputs = parse_inputs(options.inputs);
  std::vector<Prediction> kernels;
  for (const std::string& config : options.configs) {
    if (!is_baseline(config)) {
      kernels.push_back(rank_matching(gpu, problem, ConfigPattern(config), regime, inputs, 1)
                            .predictions.front());
    }
  }
  if (options.configs.empty()) {
    const Ranking ranking =
        rank_candidates(gpu, problem, {}, regime, inputs, kOurs, {.shortlist = {.tiles = kOurs}});
    kernels = ranking.by_tile.empty() ? ranking.predictions : ranking.by_tile;
    kernels.resize(std::min(kernels.size(), kOurs));
  }
  return kernels;
}

std::string measured_answer(const GpuSpec& gpu, const AnyProblem& problem,
                            const std::vector<Prediction>& predicted,
                            const std::vector<Measurement>& rows) {
  const auto baseline = std::ranges::find_if(rows, [](const Measurement& row) {
    return is_baseline(row.point.config) && row.status == Status::kOk && row.time;
  });
  const bool compares = baseline != rows.end();
  const auto over_baseline = [&](Seconds time) {
    return compares ? fmt::format("{:.3f}x", baseline->time->median / time) : "-";
  };
  Table table({"#", "predicted us", "measured us", "error", "GHz", "speedup", "<schedule", "<tile",
               "<cluster"});
  const auto clock = [](const Measurement& row) {
    return row.sm_clock ? fmt::format("{:.3f}", row.sm_clock->value * 1e-9) : "-";
  };
  const Prediction* best = nullptr;
  const Measurement* fastest = nullptr;
  std::string failures;
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    const Prediction& p = predicted[i];
    const Measurement* const row = timed(rows, to_text(p.config));
    std::vector<std::string> cells{std::to_string(i + 1), micro_text(p.time), "-", "-", "-", "-"};
    if (row != nullptr) {
      const Seconds time = row->time->median;
      cells = {std::to_string(i + 1),       micro_text(p.time), micro_text(time),
               more_percent(p.time / time), clock(*row),        over_baseline(time)};
      if (fastest == nullptr || time < fastest->time->median) {
        fastest = row;
        best = &p;
      }
    } else {
      failures += fmt::format("#{} was not measured: {}\n", i + 1, [&] {
        const auto found = std::ranges::find(rows, to_text(p.config),
                                             [](const Measurement& m) { return m.point.config; });
        return found == rows.end() || found->reason.empty() ? "no row" : found->reason;
      }());
    }
    cells.insert(cells.end(), {field_name(p.config), tile_text(p.config), cluster_text(p.config)});
    table.row(cells);
  }
  for (const Measurement& row : rows) {
    if (is_baseline(row.point.config) && row.time) {
      table.row({"-", "-", micro_text(row.time->median), "-", clock(row),
                 over_baseline(row.time->median),
                 std::string(baseline_named(row.point.config)->short_name)});
    }
  }
  std::string text = fmt::format(
      "{}{}\n\n", wrapped("", problem_title(problem)),
      conditions_title(gpu, true, rows.empty() ? Regime::kBurst : rows.front().point.regime,
                       rows.empty() ? Inputs::kNormal : rows.front().point.inputs));
  table.fit({"cluster", "GHz"});
  text += table.text() + "\n" + failures;
  if (fastest == nullptr) {
    return text + "No kernel of tilecast was measured.\n";
  }
  const Seconds time = fastest->time->median;
  text +=
      wrapped("", fmt::format("Fastest tilecast kernel: #{}, {}, {} us, {}{}.",
                              best - predicted.data() + 1, kernel_text(best->config),
                              four_digits(microseconds(time)), rate_text(problem, time),
                              compares ? fmt::format(", {:.3f}x {}", baseline->time->median / time,
                                                     baseline_named(baseline->point.config)->name)
                                       : ""));
  const Measurement* const first = timed(rows, to_text(predicted.front().config));
  if (first != nullptr) {
    text += wrapped("", fmt::format("The top pick reaches {:.3f} of its speed; its predicted time "
                                    "is {} us, {} of the measured time.",
                                    time / first->time->median,
                                    four_digits(microseconds(predicted.front().time)),
                                    more_percent(predicted.front().time / first->time->median)));
  }
  return text;
}

}  // namespace tilecast
