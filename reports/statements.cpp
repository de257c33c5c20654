#include "reports/statements.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "model/tile/kernel_config_text.h"
#include "reports/config_pairs.h"
#include "reports/quantities.h"
#include "validate/compare/statistics.h"

namespace tilecast {
namespace {

constexpr double kNoticed = 0.02;  // a smaller difference of time counts as none
constexpr GemmProblem kTutorial{{8192, 8192, 16384}, ElementType::kFp16, Layout::kNn};
constexpr Regime kRegimes[] = {Regime::kBurst, Regime::kSustained};

Finding no_rows(const std::string& wanted) {
  return {std::nullopt, fmt::format("no rows of {}", wanted)};
}

std::string micros(const JoinedPoint& point) {
  return number_text(point.measured_time().value * kToMicros, 5) + " us";
}

std::string speed(const AnyProblem& problem, const JoinedPoint& point) {
  return number_text(*tflops(problem, point.measured_time()), 4) + " TFLOPS";
}

std::string also(const std::string& what, const std::vector<ConfigPair>& pairs) {
  return pairs.empty() ? "" : fmt::format("; {} {}", what, gain_text(pairs));
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

bool has_tile(const KernelConfig& config, i32 m, i32 n, i32 k) {
  return config.tiling.block_m == m && config.tiling.block_n == n && config.tiling.block_k == k;
}

/// What the document prints for its groups on Hopper.
std::string printed_groups(const ReportInput& input) {
  Values speeds;
  for (const PublishedFigure& figure : input.published) {
    if (figure.table == "Persistent: group of tiles") {
      speeds.push_back(figure.value);
    }
  }
  return speeds.empty()
             ? ""
             : fmt::format("; the document prints {} to {} TFLOPS",
                           number_text(*std::min_element(speeds.begin(), speeds.end()), 4),
                           number_text(*std::max_element(speeds.begin(), speeds.end()), 4));
}

std::optional<Bytes> dram_read(const ReportInput& input, const JoinedPoint& point) {
  return input.chip ? input.chip->dram_read_bytes(counters_of(input, point.measured))
                    : std::nullopt;
}

/// ", reading 3.09 GB from DRAM after 7.5"; nothing without counters.
std::string dram_text(const ReportInput& input, const ConfigPair& pair) {
  const std::optional<Bytes> from = dram_read(input, *pair.from), to = dram_read(input, *pair.to);
  return from && to ? fmt::format(", reading {} GB from DRAM after {}",
                                  number_text(to->value * kToGigabytes, 3),
                                  number_text(from->value * kToGigabytes, 3))
                    : "";
}

Finding grouping(const ReportInput& input) {
  const std::vector<ConfigPair> pairs = gemm_pairs(input, [](const KernelConfig& config) {
    constexpr i32 kGroups[] = {2, 4, 6, 8, 16};
    std::vector<KernelConfig> others;
    if (config.schedule == Schedule::kPersistent && config.raster.group == 1 &&
        config.raster.kind == RasterKind::kGroupedM && config.raster.walk == Walk::kStrided) {
      for (const i32 group : kGroups) {
        others.push_back(config);
        others.back().raster.group = group;
      }
    }
    return others;
  });
  std::string figure;
  double most = 0;
  for (const Regime regime : kRegimes) {
    std::vector<ConfigPair> own;
    std::copy_if(pairs.begin(), pairs.end(), std::back_inserter(own), [&](const ConfigPair& pair) {
      const KernelConfig& config = std::get<KernelConfig>(pair.from->predicted.config);
      return pair.group->regime == regime &&
             to_text(pair.group->problem) == to_text(AnyProblem(kTutorial)) &&
             has_tile(config, 128, 256, 64) && config.tiling.stages == 3;
    });
    if (!own.empty()) {
      const ConfigPair& best = most_gain(own);
      most = std::max(most, best.gain());
      figure += fmt::format("{}{}: group {} gains {} over group 1, {} after {}",
                            figure.empty() ? "" : "; ", to_text(regime),
                            std::get<KernelConfig>(best.to->predicted.config).raster.group,
                            number_text(best.gain(), 4), speed(best.group->problem, *best.to),
                            speed(best.group->problem, *best.from)) +
                dram_text(input, best);
    }
  }
  if (figure.empty()) {
    return no_rows("that kernel with group 1 and another group");
  }
  return {most < 1 + kNoticed,
          figure + printed_groups(input) + also("all persistent kernels: a group gains", pairs)};
}

Finding three_buffers(const ReportInput& input) {
  const std::vector<ConfigPair> pairs = gemm_pairs(input, [](const KernelConfig& config) {
    std::vector<KernelConfig> others;
    if (config.tiling.stages == 3 && has_tile(config, 128, 256, 64) &&
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
  return {median_gain(pairs) < 1 + kNoticed, "a fourth buffer gains " + gain_text(pairs)};
}

/// The fastest of `group` that `is_one`; nothing where there is none.
template <class IsOne>
const JoinedPoint* fastest(const JoinedGroup& group, const IsOne& is_one) {
  const JoinedPoint* best = nullptr;
  for (const JoinedPoint& point : group.points) {
    const KernelConfig* config = std::get_if<KernelConfig>(&point.predicted.config);
    if (config != nullptr && is_one(*config) &&
        (best == nullptr || point.measured_time() < best->measured_time())) {
      best = &point;
    }
  }
  return best;
}

Finding two_ctas(const ReportInput& input) {
  constexpr std::ptrdiff_t kFewest = 4;
  const auto is_one = [](const KernelConfig& config) {
    return config.schedule == Schedule::kBlockedPipelined;
  };
  std::string figure;
  bool everywhere = true;
  for (const Regime regime : kRegimes) {
    const JoinedGroup* group = find_group(input, kTutorial, regime);
    const auto tried =
        group == nullptr
            ? 0
            : std::count_if(group->points.begin(), group->points.end(), [&](const JoinedPoint& p) {
                const KernelConfig* config = std::get_if<KernelConfig>(&p.predicted.config);
                return config != nullptr && is_one(*config);
              });
    if (tried < kFewest) {
      continue;
    }
    const JoinedPoint& best = *fastest(*group, is_one);
    const KernelConfig& config = std::get<KernelConfig>(best.predicted.config);
    everywhere &= has_tile(config, 128, 128, 64) && config.ctas_per_sm == 2;
    figure += fmt::format("{}{}: the fastest of {} is {}, {}", figure.empty() ? "" : "; ",
                          to_text(regime), tried, config_text(best.predicted.config),
                          speed(group->problem, best));
  }
  return figure.empty() ? no_rows("four tiles of blocked_pipelined on that problem")
                        : Finding{everywhere, figure};
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
  const ConfigPair& most = most_gain(pairs);
  return {median_gain(pairs) < 1 + kNoticed,
          fmt::format("a third buffer gains {}; most: {} {}, {} after {}", gain_text(pairs),
                      problem_text(most.group->problem), to_text(most.group->regime),
                      micros(*most.to), micros(*most.from))};
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
          "taking A from shared memory instead gains " + gain_text(pairs)};
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
    const std::optional<Bytes> from = dram_read(input, *pair.from), to = dram_read(input, *pair.to);
    if (from && to && from->value > 0) {
      ratios.push_back(*to / *from);
    }
  }
  const std::string time = also("in time the hybrid gains", pairs);
  if (ratios.empty()) {
    return {std::nullopt, "no DRAM counters of stream_k beside stream_k_hybrid" + time};
  }
  return {median(ratios) < 1 - kNoticed,
          fmt::format("the hybrid reads {} of stream-K's DRAM bytes in the median of {} pairs{}",
                      number_text(median(ratios), 3), ratios.size(), time)};
}

/// Time of the best pipelined 128x256 kernel over that of the best persistent_overlap one.
std::optional<double> overlap_gain(const JoinedGroup& group) {
  const auto best = [&](Schedule schedule) {
    return fastest(group, [&](const KernelConfig& config) {
      return config.schedule == schedule && config.tiling.block_m == 128 &&
             config.tiling.block_n == 256;
    });
  };
  const JoinedPoint* plain = best(Schedule::kPipelined);
  const JoinedPoint* overlapped = best(Schedule::kPersistentOverlap);
  return plain != nullptr && overlapped != nullptr
             ? std::optional(plain->measured_time() / overlapped->measured_time())
             : std::nullopt;
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

Finding library_at_small_k(const ReportInput& input) {
  constexpr i64 kSmall = 512;
  GemmProblem ours = kTutorial, theirs = kTutorial;
  ours.shape.k = theirs.shape.k = kSmall;
  theirs.layout = Layout::kTn;
  const JoinedGroup* own = find_group(input, ours, Regime::kBurst);
  const JoinedGroup* other = find_group(input, theirs, Regime::kBurst);
  const JoinedPoint* best =
      own == nullptr ? nullptr : fastest(*own, [](const KernelConfig& config) {
        return config.schedule == Schedule::kPersistentOverlap && has_tile(config, 128, 256, 64) &&
               config.tiling.stages == 3;
      });
  if (best == nullptr || other == nullptr || !other->cublaslt_top1) {
    return no_rows("that kernel and of cuBLASLt at 8192x8192x512 in a burst");
  }
  const Seconds library = other->cublaslt_top1->time->median;
  return {best->measured_time() / library > 1 + kNoticed,
          fmt::format("cuBLASLt takes {} us, {} {}", number_text(library.value * kToMicros, 5),
                      config_text(best->predicted.config), micros(*best))};
}

}  // namespace

const std::vector<Statement>& statements() {
  constexpr const char* kPersistence = "Gluon tutorial, Persistent Kernels";
  static const std::vector<Statement> kStatements{
      {"Grouping tiles does not help Hopper", kPersistence,
       "no group of rows is 2 % faster than group 1, in either regime: the document's kernel "
       "(persistent 128x256x64, three buffers, tiles dealt in turn) on its problem, "
       "8192x8192x16384 "
       "nn",
       grouping},
      {"Three buffers suffice on Hopper", kPersistence,
       "a fourth buffer gains less than 2 % in the median of all pairs of pipelined, persistent "
       "and "
       "persistent_overlap kernels with 128x256x64 tiles",
       three_buffers},
      {"Overlapping tiles gains most at small K", kPersistence,
       "at 8192x8192 nn in a burst the best persistent_overlap with 128x256 tiles gains 2 % more "
       "over the best pipelined one at the least K than at the greatest",
       overlap_at_small_k},
      {"cuBLAS is ahead at small K on Hopper", kPersistence,
       "at 8192x8192x512 in a burst cuBLASLt's first answer is 2 % faster than persistent_overlap "
       "128x256x64 with three buffers",
       library_at_small_k},
      {"Pipelined WGMMA prefers 128x128x64 with two CTAs per SM", "Gluon tutorial, WGMMA",
       "of at least four blocked_pipelined tiles on the document's problem, 8192x8192x16384 nn, it "
       "is the fastest, in both regimes",
       two_ctas},
      {"A in registers is slower where it must be loaded first", "Gluon tutorial, WGMMA",
       "small_mma gains 2 % by taking A from shared memory, in the median of the pairs",
       registers_slower},
      {"A third buffer gives nothing to a memory-bound addition", "Gluon tutorial, Async Copy",
       "it gains less than 2 % in the median of all pairs of elementwise_add_pipelined",
       third_buffer_of_add},
      {"Hybrid stream-K restores L2 locality", "Colfax Research, Persistent Kernels and Stream-K",
       "the hybrid reads 2 % fewer bytes from DRAM than stream-K of the same tile, in the median "
       "of "
       "the pairs with counters",
       hybrid_locality}};
  return kStatements;
}

std::string verdict_of(const Finding& finding) {
  return !finding.holds ? "not testable here" : *finding.holds ? "confirmed" : "not confirmed";
}

}  // namespace tilecast
