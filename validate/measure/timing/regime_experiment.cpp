#include "validate/measure/timing/regime_experiment.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <random>
#include <thread>

#include "kernels/jit/cubin_cache.h"
#include "kernels/jit/device.h"
#include "kernels/jit/gemm_kernel.h"
#include "kernels/jit/gemm_launch.h"
#include "kernels/registry.h"
#include "model/base/error.h"
#include "model/base/shuffle.h"
#include "model/tile/kernel_config_text.h"
#include "validate/measure/cublaslt.h"
#include "validate/measure/device_facts.h"
#include "validate/measure/operands.h"
#include "validate/measure/timing/burst_block.h"
#include "validate/measure/timing/event.h"
#include "validate/measure/timing/launch_times.h"
#include "validate/measure/timing/nvml_watch.h"
#include "validate/measure/timing/regime_timer.h"
#include "validate/record/regime_trials.h"

namespace tilecast {
namespace {

using Milliseconds = std::chrono::milliseconds;

constexpr GemmProblem kProblem{{4096, 4096, 4096}, ElementType::kFp16, Layout::kTn};
constexpr std::size_t kFilledBytes = 512u << 20;
constexpr auto kBefore = Milliseconds(25);
constexpr int kBlocks = 3;
constexpr auto kPowerSettles = Milliseconds(300);
constexpr auto kPowerTime = Milliseconds(1200);
constexpr std::size_t kRoundsAhead = 3;
constexpr auto kPollEvery = std::chrono::microseconds(200);
constexpr auto kLongRest = Milliseconds(100);
constexpr Seconds kRound{3e-3};
constexpr Seconds kSlice{2e-3};
constexpr std::size_t kSlices = 40;
constexpr u64 kSeed = 1;

Seconds seconds_of(Milliseconds time) { return {std::chrono::duration<double>(time).count()}; }

/// One thing that runs before, or is measured.
struct Load {
  std::string name;
  Workload workload;
  std::unique_ptr<Replay> round{};      // about kRound of it; none for idling
  std::unique_ptr<BurstBlock> burst{};  // likewise
  std::optional<Watts> power{};
};

struct Trial {
  Milliseconds rest;
  History history;
  bool settled;
  std::size_t before, subject;
};

class Experiment {
 public:
  explicit Experiment(const RegimeExperiment& settings)
      : settings_(settings),
        device_(require_hopper()),
        facts_(device_facts(device_)),
        nvml_(facts_.pci_bus_id),
        kernels_(cache_, device_.sm_count, stream_.get()),
        normal_(kernels_, stream_, facts_.l2),
        zeros_(kernels_, stream_, facts_.l2),
        matmul_(cublaslt_, kProblem, false),
        algorithm_(matmul_.algorithms(1).front()),
        memory_(kFilledBytes),
        timer_(activity_, kernels_, nvml_, stream_) {
    normal_.prepare(kProblem, Inputs::kNormal, kSeed);
    zeros_.prepare(kProblem, Inputs::kZeros, kSeed);
    timer_.parts().reserve_samples(kSlices + 1);
    load_kernel();
    const Workload cublas = gemm(normal_), fill = filling();
    subjects_.push_back(load("cublaslt:top1", cublas));
    subjects_.push_back(load(settings.config, ours()));
    subjects_.push_back(load("fill", fill));
    before_.push_back({.name = "idle", .workload = {}});  // in the order of their power
    before_.push_back(load("fill", fill));
    before_.push_back(load("cublaslt zeros", gemm(zeros_)));
    before_.push_back(load("cublaslt normal", cublas));
    for (Load& load : before_) {
      load.power = power_of(load);
    }
    for (std::vector<Load>* loads : {&subjects_, &before_}) {
      for (Load& load : *loads) {
        add_burst(load);
      }
    }
  }

  void run() {
    settings_.sink(regime_trials_header());
    run_windows();
    run_rests();
    stream_.synchronize();
  }

 private:
  void load_kernel() {
    const KernelConfig config = parse_kernel_config(settings_.config);
    const CompiledKernel compiled = compile_gemm(config, ProblemKind::of(kProblem), cache_);
    if (!compiled.usable()) {
      throw ConfigError(compiled.rejection);
    }
    kernel_ = std::make_unique<LoadedKernel>(compiled.cubin, kGemmEntry);
    launch_ = std::make_unique<GemmLaunch>(*kernel_, kProblem, config);
    for (std::size_t i = 0; i < normal_.sets(); ++i) {
      bound_.push_back(launch_->bind(normal_.set(i)));
    }
  }

  Workload gemm(const Operands& operands) {
    return {.enqueue =
                [this, &operands](std::size_t set) {
                  const GemmBuffers buffers = operands.set(set);
                  matmul_.run(algorithm_, buffers, buffers.c, stream_.get());
                },
            .sets = operands.sets(),
            .estimate = {}};
  }
  Workload ours() {
    return {.enqueue = [this](std::size_t set) { launch_->launch(bound_[set], stream_.get()); },
            .sets = bound_.size(),
            .estimate = {}};
  }
  Workload filling() {
    return {.enqueue =
                [this](std::size_t) {
                  kernels_.fill(memory_.as<void>(), kFilledBytes / 2, kProblem.dtype,
                                Inputs::kZeros, kSeed, stream_.get());
                },
            .sets = 1,
            .estimate = {}};
  }

  Load load(const std::string& name, Workload workload) {
    timer_.look_at(workload);
    Load made{.name = name, .workload = std::move(workload)};
    const std::size_t launches = launches_in(kRound, made.workload.estimate);
    made.round = std::make_unique<Replay>(
        stream_.get(), timer_.parts().use_graphs,
        [enqueue = made.workload.enqueue, sets = made.workload.sets, launches] {
          for (std::size_t i = 0; i < launches; ++i) {
            enqueue(i % sets);
          }
        });
    return made;
  }

  void add_burst(Load& load) {
    if (load.round) {
      load.burst = std::make_unique<BurstBlock>(timer_.parts(), load.workload,
                                                launches_in(kBurstLength, load.workload.estimate),
                                                L2State::kRotating, memory_);
    }
  }

  /// As RegimeTimer leaves the card behind.
  void run_bursts(const Load& load) {
    if (!load.burst) {
      std::this_thread::sleep_for(kSettlingRest + kBlocks * kBurstRest);
      return;
    }
    load.burst->take(kSettlingRest);
    for (int i = 0; i < kBlocks; ++i) {
      load.burst->take_again(kBurstRest);
    }
  }

  void run_for(const Load& load, Milliseconds length) {
    const auto end = std::chrono::steady_clock::now() + length;
    if (!load.round) {
      std::this_thread::sleep_until(end);
      return;
    }
    const std::array<CudaEvent, kRoundsAhead> passed;
    for (std::size_t i = 0;; ++i) {
      const CudaEvent& mark = passed[i % kRoundsAhead];
      while (i >= kRoundsAhead && !mark.passed()) {
        std::this_thread::sleep_for(kPollEvery);
      }
      if (std::chrono::steady_clock::now() >= end) {
        break;
      }
      load.round->launch();
      mark.record(stream_.get());
    }
    stream_.synchronize();
  }

  std::optional<Watts> power_of(const Load& load) {
    run_for(load, kPowerSettles);  // so that nothing of what ran before is counted
    NvmlWatch watch(nvml_, Milliseconds(0));
    run_for(load, kPowerTime);
    return watch.end().power;
  }

  void run_windows() {
    for (i64 repetition = 0; repetition < settings_.windows; ++repetition) {
      for (const Load& subject : subjects_) {
        run_window(subject, repetition);
      }
    }
  }

  void run_window(const Load& subject, i64 repetition) {
    const TimerParts& parts = timer_.parts();
    const Workload& work = subject.workload;
    const std::size_t launches = launches_in(kSlice, work.estimate);
    const Replay slice(stream_.get(), parts.use_graphs, [&] {
      for (std::size_t i = 0; i < launches; ++i) {
        work.enqueue(i % work.sets);
      }
    });
    stream_.synchronize();
    activity_.take(0);
    std::this_thread::sleep_for(kLongRest);
    parts.sample(0);
    for (std::size_t i = 1; i <= kSlices; ++i) {
      slice.launch();
      parts.sample(i);
    }
    stream_.synchronize();
    const std::size_t records = kSlices * launches * work.kernels_per_launch + kSlices + 1;
    const KernelSpans taken = activity_.take(records);
    const std::span<const KernelSpan> spans = newest(taken, records);
    const std::vector<Kernels> between =
        between_markers(spans, MicroKernels::kClockSampler, kSlices);
    const std::vector<Hertz> clocks = parts.clocks_between(kSlices + 1);
    const u64 begin = between[0].front().start_ns;
    for (std::size_t i = 0; i < kSlices; ++i) {
      const Seconds median =
          median_of(launch_nanoseconds(between[i], work.kernels_per_launch, launches));
      settings_.sink(to_csv(WindowSlice{.from = seconds_between(begin, between[i].front().start_ns),
                                        .to = seconds_between(begin, between[i].back().end_ns),
                                        .subject = subject.name,
                                        .repetition = repetition,
                                        .clock = clocks[i],
                                        .cycles = cycles_of(median, clocks[i])}));
    }
  }

  void run_rests() {
    std::vector<Trial> trials = all_trials();
    std::mt19937_64 random(settings_.seed);
    shuffle(trials, random);
    for (std::size_t i = 0; i < trials.size(); ++i) {
      run_trial(trials[i]);
      settings_.progress(i + 1, trials.size());
    }
  }

  std::vector<Trial> all_trials() const {
    std::vector<Trial> trials;
    const auto add = [&](Milliseconds rest, History history, bool settled, i64 times) {
      for (i64 i = 0; i < times; ++i) {
        for (std::size_t before = 0; before < before_.size(); ++before) {
          for (std::size_t subject = 0; subject < subjects_.size(); ++subject) {
            trials.push_back({rest, history, settled, before, subject});
          }
        }
      }
    };
    for (const Milliseconds rest : settings_.rests) {
      if (rest != kBurstRest) {
        add(rest, History::kBursts, true, settings_.trials);
        continue;
      }
      for (const History history : {History::kLoad, History::kBursts}) {
        for (const bool settled : {false, true}) {
          add(rest, history, settled, settings_.trials_at_rest);
        }
      }
    }
    return trials;
  }

  void run_trial(const Trial& trial) {
    const Load& before = before_[trial.before];
    const Load& subject = subjects_[trial.subject];
    if (trial.history == History::kLoad) {
      run_for(before, kBefore);
    } else {
      run_bursts(before);
    }
    if (trial.settled) {
      subject.burst->take(kSettlingRest);
    }
    const SampleBlock block = subject.burst->take(trial.rest).block;
    const Seconds median = median_of(block.nanoseconds);
    settings_.sink(to_csv(RestTrial{.rest = seconds_of(trial.rest),
                                    .history = trial.history,
                                    .settled = trial.settled,
                                    .before = before.name,
                                    .before_order = static_cast<i64>(trial.before),
                                    .before_power = before.power,
                                    .subject = subject.name,
                                    .clock = block.clock,
                                    .cycles = cycles_of(median, block.clock),
                                    .time = median}));
  }

  static Seconds median_of(const std::vector<i64>& nanoseconds) {
    std::vector<Seconds> times;
    for (const i64 one : nanoseconds) {
      times.push_back(tilecast::seconds_of(one));
    }
    return distribution_of(std::move(times)).median;
  }

  const RegimeExperiment& settings_;
  Device device_;
  ActivityTimer activity_;  // before whatever makes the CUDA context
  Stream stream_;
  DeviceFacts facts_;
  Nvml nvml_;
  CubinCache cache_;
  MicroKernels kernels_;
  Cublaslt cublaslt_;
  Operands normal_, zeros_;
  CublasltMatmul matmul_;
  cublasLtMatmulAlgo_t algorithm_;
  DeviceMemory memory_;
  RegimeTimer timer_;
  std::unique_ptr<LoadedKernel> kernel_;
  std::unique_ptr<GemmLaunch> launch_;
  std::vector<GemmArgs> bound_;
  std::vector<Load> subjects_, before_;
};

}  // namespace

void run_regime_experiment(const RegimeExperiment& experiment) { Experiment(experiment).run(); }

}  // namespace tilecast
