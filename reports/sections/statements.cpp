// What public documents state about these schedules, each put to the rows: confirmed, not
// confirmed, or not testable with what was measured. A verdict is worked out from the rows each
// time; none is written down.

#include <fmt/format.h>

#include <algorithm>

#include "model/tile/kernel_config_text.h"
#include "reports/config_pairs.h"
#include "reports/quantities.h"
#include "reports/sections/sections.h"
#include "validate/compare/statistics.h"

namespace tilecast {
namespace {

constexpr double kNoticed = 0.02;  // a smaller difference of time counts as none

struct Finding {
  std::optional<bool> holds;  // nothing: not testable here
  std::string figure;
};

std::string word_of(const Finding& finding) {
  return !finding.holds ? "not testable here" : *finding.holds ? "confirmed" : "not confirmed";
}

Finding no_rows(const char* wanted) { return {std::nullopt, fmt::format("no rows of {}", wanted)}; }

std::string pair_text(const ConfigPair& pair) {
  return fmt::format("{} {}: {} takes {} us, {} {} us", problem_text(pair.group->problem),
                     to_text(pair.group->regime), config_text(pair.from->predicted.config),
                     number_text(pair.from->measured_time().value * kToMicros, 5),
                     config_text(pair.to->predicted.config),
                     number_text(pair.to->measured_time().value * kToMicros, 5));
}

/// Pairs of GEMM configurations, `change` giving the others or leaving the list empty.
template <class Change>
std::vector<ConfigPair> gemm_pairs(const ReportInput& input, const Change& change) {
  return config_pairs(input, [&](const AnyConfig& config) {
    std::vector<AnyConfig> others;
    if (const KernelConfig* gemm = std::get_if<KernelConfig>(&config)) {
      for (const KernelConfig& other : change(*gemm)) {
        others.emplace_back(other);
      }
    }
    return others;
  });
}

Finding grouping(const ReportInput& input) {
  constexpr i32 kGroups[] = {2, 4, 6, 8, 16};
  const std::vector<ConfigPair> pairs = gemm_pairs(input, [&](const KernelConfig& config) {
    std::vector<KernelConfig> others;
    if (config.raster.group == 1 && config.raster.kind != RasterKind::kHilbert &&
        config.raster.walk == Walk::kStrided && config.grid == Grid::kResident) {
      for (const i32 group : kGroups) {
        others.push_back(config);
        others.back().raster.group = group;
      }
    }
    return others;
  });
  if (pairs.empty()) {
    return no_rows("persistent kernels that differ in group_m alone");
  }
  const ConfigPair& most = most_gain(pairs);
  return {most.gain() < 1 + kNoticed,
          fmt::format("grouping gains {}; most: {}", gain_text(pairs), pair_text(most))};
}

Finding three_buffers(const ReportInput& input) {
  const std::vector<ConfigPair> pairs = gemm_pairs(input, [](const KernelConfig& config) {
    std::vector<KernelConfig> others;
    if (config.tiling.stages == 3 && config.tiling.block_m == 128 && config.tiling.block_n == 256 &&
        config.tiling.block_k == 64 &&
        (config.schedule == Schedule::kPipelined || config.schedule == Schedule::kPersistent ||
         config.schedule == Schedule::kPersistentOverlap)) {
      others.push_back(config);
      others.back().tiling.stages = 4;
    }
    return others;
  });
  if (pairs.empty()) {
    return no_rows("128x256x64 tiles that differ in the number of buffers alone");
  }
  return {median_gain(pairs) < 1 + kNoticed,
          fmt::format("a fourth buffer gains {}", gain_text(pairs))};
}

Finding two_ctas(const ReportInput& input) {
  const JoinedGroup* fullest = nullptr;
  const auto tried = [](const JoinedGroup& group) {
    return std::count_if(group.points.begin(), group.points.end(), [](const JoinedPoint& point) {
      const KernelConfig* config = std::get_if<KernelConfig>(&point.predicted.config);
      return config != nullptr && config->schedule == Schedule::kBlockedPipelined;
    });
  };
  for (const JoinedGroup& group : input.pool.groups) {
    if (group.regime == Regime::kBurst && (fullest == nullptr || tried(group) > tried(*fullest))) {
      fullest = &group;
    }
  }
  constexpr std::ptrdiff_t kFewest = 4;
  if (fullest == nullptr || tried(*fullest) < kFewest) {
    return no_rows("enough tiles of blocked_pipelined on one problem");
  }
  const JoinedPoint* best = nullptr;
  for (const JoinedPoint& point : fullest->points) {
    const KernelConfig* config = std::get_if<KernelConfig>(&point.predicted.config);
    if (config != nullptr && config->schedule == Schedule::kBlockedPipelined &&
        (best == nullptr || point.measured_time() < best->measured_time())) {
      best = &point;
    }
  }
  const KernelConfig& config = std::get<KernelConfig>(best->predicted.config);
  return {config.tiling.block_m == 128 && config.tiling.block_n == 128 &&
              config.tiling.block_k == 64 && config.ctas_per_sm == 2,
          fmt::format("{}, {} tiles tried: the fastest is {} with {} CTAs per SM, {} TFLOPS",
                      problem_text(fullest->problem), tried(*fullest), config_text(config),
                      config.ctas_per_sm,
                      number_text(*tflops(fullest->problem, best->measured_time()), 4))};
}

Finding third_buffer_of_add(const ReportInput& input) {
  const std::vector<ConfigPair> pairs = config_pairs(input, [](const AnyConfig& config) {
    std::vector<AnyConfig> others;
    const StreamConfig* stream = std::get_if<StreamConfig>(&config);
    if (stream != nullptr && stream->stages == 2 &&
        stream->schedule == StreamSchedule::kElementwiseAddPipelined) {
      StreamConfig other = *stream;
      other.stages = 3;
      others.emplace_back(other);
    }
    return others;
  });
  if (pairs.empty()) {
    return no_rows("elementwise_add_pipelined that differ in the number of buffers alone");
  }
  return {median_gain(pairs) < 1 + kNoticed,
          fmt::format("a third buffer gains {}; most: {}", gain_text(pairs),
                      pair_text(most_gain(pairs)))};
}

Finding registers_slower(const ReportInput& input) {
  const std::vector<ConfigPair> pairs = gemm_pairs(input, [](const KernelConfig& config) {
    std::vector<KernelConfig> others;
    if (config.schedule == Schedule::kSmallMma && config.a_source == OperandSource::kRegisters) {
      others.push_back(config);
      others.back().a_source = OperandSource::kShared;
    }
    return others;
  });
  if (pairs.empty()) {
    return no_rows("small_mma with A from registers and from shared memory");
  }
  return {median_gain(pairs) > 1 + kNoticed,
          fmt::format("taking A from shared memory instead gains {}", gain_text(pairs))};
}

Finding hybrid_locality(const ReportInput& input) {
  const std::vector<ConfigPair> pairs = gemm_pairs(input, [](const KernelConfig& config) {
    std::vector<KernelConfig> others;
    if (config.schedule == Schedule::kStreamK) {
      others.push_back(config);
      others.back().schedule = Schedule::kStreamKHybrid;
    }
    return others;
  });
  Values ratios;
  for (const ConfigPair& pair : pairs) {
    const auto bytes = [&](const JoinedPoint* point) {
      return input.chip ? input.chip->dram_read_bytes(counters_of(input, point->measured))
                        : std::nullopt;
    };
    const std::optional<Bytes> from = bytes(pair.from), to = bytes(pair.to);
    if (from && to && from->value > 0) {
      ratios.push_back(*to / *from);
    }
  }
  const std::string time = pairs.empty() ? "" : "; in time the hybrid gains " + gain_text(pairs);
  if (ratios.empty()) {
    return {std::nullopt, "no DRAM counters of stream_k beside stream_k_hybrid" + time};
  }
  return {median(ratios) < 1 - kNoticed,
          fmt::format("the hybrid reads {} of stream-K's DRAM bytes in the median of {} pairs{}",
                      number_text(median(ratios), 3), ratios.size(), time)};
}

/// Time of pipelined over that of persistent_overlap on one problem, both at their best.
std::optional<double> overlap_gain(const JoinedGroup& group) {
  std::optional<Seconds> plain, overlapped;
  for (const JoinedPoint& point : group.points) {
    const KernelConfig* config = std::get_if<KernelConfig>(&point.predicted.config);
    if (config == nullptr || config->tiling.block_m != 128 || config->tiling.block_n != 256) {
      continue;
    }
    std::optional<Seconds>* slot = config->schedule == Schedule::kPipelined           ? &plain
                                   : config->schedule == Schedule::kPersistentOverlap ? &overlapped
                                                                                      : nullptr;
    if (slot != nullptr) {
      *slot = *slot ? std::min(**slot, point.measured_time()) : point.measured_time();
    }
  }
  return plain && overlapped ? std::optional(*plain / *overlapped) : std::nullopt;
}

Finding overlap_at_small_k(const ReportInput& input) {
  std::optional<std::pair<i64, double>> least, most;  // K, gain
  for (const JoinedGroup& group : input.pool.groups) {
    const GemmProblem* problem = std::get_if<GemmProblem>(&group.problem);
    if (problem == nullptr || group.regime != Regime::kBurst || problem->shape.m != 8192 ||
        problem->shape.n != 8192 || problem->layout != Layout::kNn) {
      continue;
    }
    if (const std::optional<double> gain = overlap_gain(group)) {
      const std::pair own(problem->shape.k, *gain);
      least = !least || own.first < least->first ? own : *least;
      most = !most || own.first > most->first ? own : *most;
    }
  }
  if (!least || least->first == most->first) {
    return no_rows("pipelined beside persistent_overlap over K at 8192x8192 nn");
  }
  return {least->second > most->second * (1 + kNoticed),
          fmt::format("persistent_overlap gains {} over pipelined at K = {}, {} at K = {}",
                      number_text(least->second, 4), least->first, number_text(most->second, 4),
                      most->first)};
}

}  // namespace

MaybeSection statements_section(const ReportInput& input) {
  if (input.published.empty()) {
    return std::nullopt;
  }
  constexpr const char* kPersistence = "Gluon tutorial, Persistent Kernels";
  constexpr const char* kWgmma = "Gluon tutorial, WGMMA";
  struct Statement {
    const char *text, *source;
    Finding finding;
  };
  const Statement statements[] = {
      {"Grouping tiles does not help Hopper", kPersistence, grouping(input)},
      {"Three buffers suffice on Hopper", kPersistence, three_buffers(input)},
      {"Overlapping tiles gains most at small K", kPersistence, overlap_at_small_k(input)},
      {"Pipelined WGMMA prefers 128x128x64 with two CTAs per SM", kWgmma, two_ctas(input)},
      {"A in registers is slower where it must be loaded first", kWgmma, registers_slower(input)},
      {"A third buffer gives nothing to a memory-bound addition", "Gluon tutorial, Async Copy",
       third_buffer_of_add(input)},
      {"Hybrid stream-K restores L2 locality", "Colfax Research, Persistent Kernels and Stream-K",
       hybrid_locality(input)}};
  DataTable table{"statements",
                  "Statements of the documents",
                  {{.key = "statement", .title = "statement"},
                   {.key = "source", .title = "document"},
                   {.key = "verdict", .title = "here"},
                   {.key = "figure", .title = "figure"}},
                  {}};
  for (const Statement& statement : statements) {
    table.rows.push_back({std::string(statement.text), std::string(statement.source),
                          word_of(statement.finding), statement.finding.figure});
  }
  std::vector<std::string> files = input.data_files();
  for (const std::string& file : input.more_files()) {
    files.push_back(file);
  }
  return Section{.id = "statements",
                 .title = "What the documents state",
                 .text =
                     "Each statement is put to pairs of kernels that differ in that one choice. "
                     "A *gain* is time without it over time with it; less than 2 % either way "
                     "counts as none.",
                 .files = std::move(files),
                 .command = "",
                 .charts = {},
                 .tables = {std::move(table)}};
}

}  // namespace tilecast
