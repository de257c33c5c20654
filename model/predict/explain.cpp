#include "model/predict/explain.h"

#include <algorithm>
#include <span>

#include "model/analytic/closed_form.h"
#include "model/analytic/stream_closed_form.h"
#include "model/analytic/stream_occupancy.h"
#include "model/base/quantile.h"
#include "model/predict/chip_work.h"
#include "model/predict/simulated_gemm.h"
#include "model/predict/simulated_stream.h"
#include "model/sim/limits.h"

namespace tilecast {
namespace {

constexpr std::size_t kMostShown = 8;  // phases

GemmWork work_of(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config) {
  TrafficMemo traffic(*gpu.l2, problem);
  return gemm_work(gpu, problem, config, traffic);
}

TileWaves waves_of(const GpuSpec& gpu, const KernelConfig& config, const GemmWork& work) {
  const i64 workers = residency_of(gpu, config).workers;
  const i64 tiles = work.tiles / cluster_size(config.tiling);
  return {.ctas_per_sm = work.ctas_per_sm,
          .workers = workers,
          .tiles = tiles,
          .k_blocks = work.k_blocks,
          .waves = static_cast<double>(tiles) / static_cast<double>(workers),
          .in_last_wave = (tiles - 1) % workers + 1};
}

/// Most that the simulated chip does in a time, a second each.
struct Peaks {
  double tensor;  // busy seconds of all pipes
  double operand_reads, intake, l2, dram_read, dram_write;

  static Peaks of_gemms(const GpuSpec& gpu, Hertz clock) {
    const double sm_hertz = clock.value * gpu.sm.count;
    const double dram = gpu.machine->dram_read.value;
    return {static_cast<double>(gpu.sm.count),
            operand_rate(gpu).value * sm_hertz,
            gpu.machine->intake.value * sm_hertz,
            gpu.machine->l2_output.value,
            dram,
            dram};
  }
  /// Memory-bound kernels have neither wgmmas nor operands.
  static Peaks of_streams(const GpuSpec& gpu, Hertz clock) {
    return {1,
            1,
            gpu.sm.intake.value * clock.value * gpu.sm.count,
            gpu.l2->output.value,
            gpu.stream->read_rate.value,
            gpu.stream->write_rate.value};
  }

  BusyShares busy(const Activity::Amounts& amounts, Seconds time) const {
    const auto amount = [&](Resource resource) {
      return static_cast<double>(amounts[static_cast<std::size_t>(resource)]);
    };
    const auto share = [&](double done, double rate) {
      return std::min(1.0, done / (rate * time.value));
    };
    return {.tensor = share(amount(Resource::kTensor) * 1e-12, tensor),
            .shared_memory = share(amount(Resource::kOperandReads), operand_reads),
            .sm_intake = share(amount(Resource::kFills), intake),
            .l2 = share(amount(Resource::kL2Output), l2),
            .dram = std::min(1.0, share(amount(Resource::kDramRead), dram_read) +
                                      share(amount(Resource::kDramWrite), dram_write))};
  }
};

std::vector<Phase> phases_of(const Peaks& peaks, const Activity& activity, Seconds end) {
  const Seconds slice = seconds_of(activity.slice_length());
  const std::size_t slices =
      std::min(Activity::kSlices, static_cast<std::size_t>(end.value / slice.value) + 1);
  const std::size_t per_phase = (slices + kMostShown - 1) / kMostShown;
  std::vector<Phase> phases;
  for (std::size_t first = 0; first < slices; first += per_phase) {
    Activity::Amounts sum{};
    for (std::size_t i = first; i < std::min(slices, first + per_phase); ++i) {
      for (std::size_t r = 0; r < kResources; ++r) {
        sum[r] += activity.slices()[i][r];
      }
    }
    const Seconds begin = slice * static_cast<double>(first);
    const Seconds until = std::min(end, slice * static_cast<double>(first + per_phase));
    phases.push_back({begin, until, peaks.busy(sum, until - begin), {}});
  }
  return phases;
}

/// What limits the clock most of the time; tells phases theirs.
ClockLimiter follow_clock(const GpuSpec& gpu, const ChipWork& done,
                          std::span<const PhaseShares> shares, const Prediction& predicted,
                          Regime regime, Inputs inputs, std::vector<Phase>& phases) {
  const PhasedClock clocks = phase_clock(gpu, done, shares, regime, inputs);
  const double corrected = predicted.sm_clock / clocks.kernel.sm_clock;
  for (std::size_t i = 0; i < phases.size(); ++i) {
    const ClockState& state = clocks.phases[std::min(i, clocks.phases.size() - 1)];
    phases[i].sm_clock = std::min(state.sm_clock * corrected, gpu.clock->max);
  }
  return clocks.kernel.limiter;
}

/// From `begin` of a tile to its last store issued.
Seconds median_tile(const std::vector<TileSpan>& tiles, Picoseconds TileSpan::*begin) {
  std::vector<double> seconds;
  for (const TileSpan& tile : tiles) {
    if (tile.role == TileRole::kMultiplies) {
      seconds.push_back(seconds_of(tile.stored - tile.*begin).value);
    }
  }
  std::ranges::sort(seconds);
  return {quantile_of_sorted<double>(seconds, 0.5)};
}

/// What there is to see of every kernel.
Watched seen_of(const Simulated& kernel, const Peaks& peaks, const Activity& activity) {
  return {
      .operand_reads = kernel.operand_reads,
      .sm_intake = kernel.sm_intake,
      .l2_output = kernel.l2_output,
      .l2_far = kernel.l2_far,
      .sm_intake_share = std::min(1.0, kernel.sm_intake.value / (peaks.intake * kernel.time.value)),
      .time = {},
      .median_tile = {},
      .phases = phases_of(peaks, activity, kernel.time),
      .tiles = {}};
}

Watched watch(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config,
              Hertz clock, WatchedSimulation& simulation) {
  Activity activity;
  std::vector<TileSpan> tiles;
  const Simulated kernel = simulate_gemm(gpu, problem, config, residency_of(gpu, config), clock,
                                         {.activity = &activity, .tiles = &tiles});
  simulation = {kernel, kernel_phases(kernel, activity, kMostShown)};
  Watched watched = seen_of(kernel, Peaks::of_gemms(gpu, clock), activity);
  watched.time = time_split(tiles, gpu.sm.count, sim_time(kernel.time));
  watched.median_tile = median_tile(tiles, &TileSpan::first_operands);
  watched.tiles = std::move(tiles);
  return watched;
}

Watched watch(const GpuSpec& gpu, const StreamProblem& problem, const StreamConfig& config,
              i32 ctas_per_sm, Hertz clock, WatchedSimulation& simulation) {
  Activity activity;
  std::vector<TileSpan> tiles;
  const Simulated kernel = simulate_stream(gpu, problem, config, ctas_per_sm, clock,
                                           {.activity = &activity, .tiles = &tiles});
  simulation = {kernel, kernel_phases(kernel, activity, kMostShown)};
  Watched watched = seen_of(kernel, Peaks::of_streams(gpu, clock), activity);
  watched.median_tile = median_tile(tiles, &TileSpan::begin);
  watched.tiles = std::move(tiles);
  return watched;
}

/// Simulated cycles of the kernel without each part, as the prediction counts cycles.
std::vector<WithoutPart> eliminate_simulated(const GpuSpec& gpu, const GemmProblem& problem,
                                             const Prediction& predicted, unsigned threads) {
  const KernelConfig& config = std::get<KernelConfig>(predicted.config);
  const Residency residency = residency_of(gpu, config);
  const Simulated whole =
      simulate_gemm(gpu, problem, config, residency, predicted.sm_clock, {}, Waves::kSteadyLeftOut);
  std::vector<WithoutPart> all;
  for (const Elimination& e : eliminate(gpu, problem, config, residency, predicted.sm_clock,
                                        Waves::kSteadyLeftOut, threads)) {
    all.push_back({to_text(e.part), predicted.cycles * (e.cycles / whole.cycles)});
  }
  return all;
}

/// The same by closed form.
std::vector<WithoutPart> eliminate_closed(const GpuSpec& gpu, const GemmProblem& problem,
                                          const Prediction& predicted, const GemmWork& work) {
  const KernelConfig& config = std::get<KernelConfig>(predicted.config);
  const auto cycles = [&](const GpuSpec& g) {
    return closed_form(g, problem, config, work, predicted.sm_clock).cycles;
  };
  const Cycles whole = cycles(gpu);  // before any correction
  std::vector<WithoutPart> all;
  for (const Part part : kEveryPart) {
    all.push_back({to_text(part), predicted.cycles * (cycles(without(gpu, part)) / whole)});
  }
  std::ranges::stable_sort(all, {}, &WithoutPart::cycles);
  return all;
}

Explanation explain_gemm(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config,
                         Regime regime, Inputs inputs, Effort effort) {
  Explanation e{};
  e.predicted = predict_config(gpu, problem, config, regime, inputs, effort.method);
  e.closed_form = predict_config(gpu, problem, config, regime, inputs, Method::kAnalytic);
  const GemmWork work = work_of(gpu, problem, config);
  ChipWork done = chip_work(gpu, problem, config, work, e.predicted.cycles);
  if (e.predicted.method == Method::kSimulated) {
    WatchedSimulation simulation{};
    e.watched = watch(gpu, problem, config, e.predicted.sm_clock, simulation);
    // Of the corrected time, as the prediction's own shares are.
    e.watched->sm_intake_share =
        std::min(1.0, e.watched->sm_intake_share * (simulation.kernel.time / e.predicted.time));
    e.without = eliminate_simulated(gpu, problem, e.predicted, effort.threads);
    done = chip_work(problem, config, simulation.kernel, e.predicted.cycles);
    e.clock_limiter =
        follow_clock(gpu, done, simulation.phases, e.predicted, regime, inputs, e.watched->phases);
  } else {
    e.without = eliminate_closed(gpu, problem, e.predicted, work);
    e.clock_limiter = sm_clock(gpu, done, regime, inputs).limiter;
  }
  e.limiter = e.without.front().part;
  e.waves = waves_of(gpu, config, work);
  e.ctas_per_sm = work.ctas_per_sm;
  e.energy = energy_split(gpu, done, e.predicted.sm_clock, inputs);
  return e;
}

/// As eliminate_simulated of a GEMM.
std::vector<WithoutPart> eliminate_simulated(const GpuSpec& gpu, const StreamProblem& problem,
                                             const Prediction& predicted, i32 ctas_per_sm,
                                             unsigned threads) {
  const StreamConfig& config = std::get<StreamConfig>(predicted.config);
  const Simulated whole = simulate_stream(gpu, problem, config, ctas_per_sm, predicted.sm_clock);
  std::vector<WithoutPart> all;
  for (const Elimination& e :
       eliminate(gpu, problem, config, ctas_per_sm, predicted.sm_clock, threads)) {
    all.push_back({to_text(e.part), predicted.cycles * (e.cycles / whole.cycles)});
  }
  return all;
}

Explanation explain_stream(const GpuSpec& gpu, const StreamProblem& problem,
                           const StreamConfig& config, Regime regime, Inputs inputs,
                           Effort effort) {
  Explanation e{};
  e.predicted = predict_config(gpu, problem, config, regime, inputs, effort.method);
  e.closed_form = predict_config(gpu, problem, config, regime, inputs, Method::kAnalytic);
  e.limiter = to_text(e.predicted.limiter);
  e.ctas_per_sm = resident_stream_ctas(gpu, config, problem.dtype);
  const StreamForm form = stream_closed_form(gpu, problem, config, e.predicted.sm_clock);
  ChipWork done{Flops{0}, form.shared_memory, form.dram_read + form.dram_write,
                form.dram_read + form.dram_write, e.predicted.cycles};
  if (e.predicted.method == Method::kSimulated) {
    WatchedSimulation simulation{};
    e.watched = watch(gpu, problem, config, e.ctas_per_sm, e.predicted.sm_clock, simulation);
    e.without = eliminate_simulated(gpu, problem, e.predicted, e.ctas_per_sm, effort.threads);
    e.limiter = e.without.front().part;
    done = stream_work(simulation.kernel, form.shared_memory, e.predicted.cycles);
    e.clock_limiter =
        follow_clock(gpu, done, simulation.phases, e.predicted, regime, inputs, e.watched->phases);
  } else {
    e.clock_limiter = sm_clock(gpu, done, regime, inputs).limiter;
  }
  e.energy = energy_split(gpu, done, e.predicted.sm_clock, inputs);
  return e;
}

/// What a part costs: what the kernel saves without it.
Cycles cost_of(const Explanation& e, std::string_view part) {
  for (const WithoutPart& w : e.without) {
    if (w.part == part) {
      return e.predicted.cycles - w.cycles;
    }
  }
  return {};
}

}  // namespace

Explanation explain(const GpuSpec& gpu, const AnyProblem& problem, const AnyConfig& config,
                    Regime regime, Inputs inputs, Effort effort) {
  // Refuses what cannot be predicted, and ops that do not match.
  (void)predict_config(gpu, problem, config, regime, inputs, Method::kAnalytic);
  if (const GemmProblem* gemm = std::get_if<GemmProblem>(&problem)) {
    return explain_gemm(gpu, *gemm, std::get<KernelConfig>(config), regime, inputs, effort);
  }
  return explain_stream(gpu, std::get<StreamProblem>(problem), std::get<StreamConfig>(config),
                        regime, inputs, effort);
}

Difference difference(const Explanation& kernel, const Explanation& other) {
  const Prediction& a = kernel.predicted;
  const Prediction& b = other.predicted;
  Difference d{.time = a.time / b.time,
               .cycles = a.cycles / b.cycles,
               .sm_clock = a.sm_clock / b.sm_clock,
               .energy_per_cycle =
                   kernel.energy.total() / a.cycles.value / (other.energy.total() / b.cycles.value),
               .phases = {},
               .parts = {}};
  if (kernel.watched && kernel.watched->time && other.watched && other.watched->time) {
    const auto more = [&](std::string_view name, double TimeSplit::*part) {
      d.phases.push_back({name, a.cycles * ((*kernel.watched->time).*part) -
                                    b.cycles * ((*other.watched->time).*part)});
    };
    more("start", &TimeSplit::start);
    more("multiply", &TimeSplit::multiply);
    more("between", &TimeSplit::between);
    more("end", &TimeSplit::end);
  }
  if (a.method == b.method) {
    for (const WithoutPart& w : kernel.without) {
      d.parts.push_back({w.part, cost_of(kernel, w.part) - cost_of(other, w.part)});
    }
    std::ranges::stable_sort(d.parts, std::ranges::greater{}, &MoreCycles::cycles);
  }
  return d;
}

}  // namespace tilecast
