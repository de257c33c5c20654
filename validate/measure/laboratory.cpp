#include "validate/measure/laboratory.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "kernels/jit/gemm_kernel.h"
#include "kernels/jit/gemm_launch.h"
#include "kernels/registry.h"
#include "model/base/error.h"
#include "model/gemm/config/kernel_config_text.h"
#include "validate/measure/timeline/tile_trace.h"

namespace tilecast {
namespace {

constexpr int kAlgorithmsTried = 16;
constexpr double kWorthTiming = 1.3;  // of the best single launch; a cold one is up to so far off

/// Different data for every problem, the same for it every time.
u64 seed_of(const GemmProblem& problem, Inputs inputs) {
  u64 seed = 1;
  for (const i64 part :
       {problem.shape.m, problem.shape.n, problem.shape.k, static_cast<i64>(problem.dtype),
        static_cast<i64>(problem.layout), static_cast<i64>(inputs)}) {
    seed = seed * 1'000'003u + static_cast<u64>(part);
  }
  return seed;
}

/// Whether this process can still use the GPU after `error`.
bool context_is_alive() {
  (void)cudaGetLastError();
  return cudaDeviceSynchronize() == cudaSuccess;
}

std::string what_happened(const CudaError& error) {
  return fmt::format("{} ({})", cudaGetErrorString(error.error()), cudaGetErrorName(error.error()));
}

}  // namespace

Laboratory::Laboratory(const CounterClock& counter)
    : device_(require_hopper()),
      facts_(device_facts(device_)),
      nvml_(facts_.pci_bus_id),
      kernels_(cache_, device_.sm_count, stream_.get()),
      operands_(kernels_, stream_, facts_.l2),
      copier_(cache_, device_.sm_count),
      verifier_(kernels_, cublaslt_, stream_),
      timer_(activity_, kernels_, nvml_, stream_),
      streams_(cache_, kernels_, activity_, stream_, facts_.l2, device_.sm_count),
      clocks_(read_clocks(activity_, kernels_, stream_, counter)) {
  check_clocks_agree(clocks_);
}

std::string Laboratory::driver_version() const {
  return nvml_.driver_version().value_or(kernel_driver_version());
}

void Laboratory::prepare(const Point& point) {
  if (prepared_ && prepared_->first == point.problem && prepared_->second == point.inputs) {
    return;
  }
  prepared_.reset();
  fastest_of_prepared_.reset();
  operands_.prepare(point.problem, point.inputs, seed_of(point.problem, point.inputs));
  copier_.prepare(point.problem);
  verifier_.prepare(point.problem, operands_.set(0));
  prepared_ = {point.problem, point.inputs};
}

bool Laboratory::verify(Measurement& row, const std::function<void(void* c)>& enqueue,
                        i32 rounded_sums) {
  const Verdict verdict = verifier_.check(enqueue, rounded_sums);
  row.verified = verdict.right();
  row.max_error = verdict.max_error;
  if (!verdict.right()) {
    row.status = Status::kWrong;
    row.reason = verdict.fault;
  }
  return verdict.right();
}

void Laboratory::time(Measurement& row, Workload& workload) {
  timer_.look_at(workload);
  TimedWorkload timed = timer_.time(workload, row.point.regime, row.point.l2_state);
  row.time = timed.time;
  row.sm_clock = timed.sm_clock;
  row.cycles = cycles_of(timed.time.median, timed.sm_clock);
  row.power = timed.power;
  row.temperature = timed.temperature;
  row.clock_event_reasons = timed.clock_event_reasons;
  row.blocks = std::count_if(timed.blocks.begin(), timed.blocks.end(),
                             [](const SampleBlock& block) { return !block.drifted; });
  row.blocks_discarded = static_cast<i64>(timed.blocks.size()) - *row.blocks;
  row.raw = std::move(timed.blocks);
  if (after_timing_) {
    Workload counted = workload;
    counted.sets = row.point.l2_state == L2State::kWarm ? 1 : workload.sets;
    after_timing_(row, counted);
  }
}

bool Laboratory::is_what_it_claims(Measurement& row, const GemmLaunch& launch) {
  const std::vector<WalkedPiece> walked =
      record_tile_trace(launch, copier_.copied(operands_.set(0)), stream_.get());
  row.tile_checksum = tile_checksum(walked);
  row.reason =
      tile_trace_difference(walked, expected_tile_trace(launch), launch.max_tiles_per_cta());
  if (!row.reason.empty()) {
    row.status = Status::kWrong;
    return false;
  }
  row.reason = identity_.repeated(row);
  row.status = row.reason.empty() ? Status::kOk : Status::kSkipped;
  return row.reason.empty();
}

void Laboratory::measure_kernel(Measurement& row) {
  const GemmProblem& problem = row.point.problem;
  const KernelConfig config = parse_kernel_config(row.point.config);
  const CompiledKernel compiled = compile_gemm(config, ProblemKind::of(problem), cache_);
  if (!compiled.usable()) {
    throw ConfigError(compiled.rejection);
  }
  if (const std::string why =
          why_not_runnable(device_, gemm_kernel_info(config.schedule).architecture);
      !why.empty()) {
    throw ConfigError(why);
  }
  LoadedKernel kernel(compiled.cubin, kGemmEntry);
  const GemmLaunch launch(kernel, problem, config);
  row.registers = kernel.attributes().numRegs;
  row.shared_memory = Bytes{static_cast<double>(launch.shape().shared_memory_bytes)};
  row.ctas_per_sm = launch.resident_ctas_per_sm();
  row.ctas = launch.shape().ctas;

  const GemmBuffers first = operands_.set(0);
  if (!verify(row, [&](void* c) {
        GemmBuffers checked = first;
        checked.c = c;
        copier_.launch(checked, stream_.get());
        launch.launch(launch.bind(copier_.copied(checked)), stream_.get());
      })) {
    return;
  }
  if (!is_what_it_claims(row, launch)) {
    return;
  }
  std::vector<GemmArgs> args;
  for (std::size_t i = 0; i < operands_.sets(); ++i) {
    args.push_back(launch.bind(copier_.copied(operands_.set(i))));
  }
  Workload workload{.enqueue =
                        [&](std::size_t set) {
                          copier_.launch(operands_.set(set), stream_.get());
                          launch.launch(args[set], stream_.get());
                        },
                    .sets = operands_.sets(),
                    .estimate = {}};
  time(row, workload);
  stream_.synchronize();  // the kernel is unloaded now
}

Workload Laboratory::workload_of(const CublasltMatmul& matmul,
                                 const cublasLtMatmulAlgo_t& algorithm) const {
  return {.enqueue =
              [this, &matmul, &algorithm](std::size_t set) {
                const GemmBuffers buffers = operands_.set(set);
                matmul.run(algorithm, buffers, buffers.c, stream_.get());
              },
          .sets = operands_.sets(),
          .estimate = {}};
}

std::size_t Laboratory::fastest(const CublasltMatmul& matmul,
                                const std::vector<cublasLtMatmulAlgo_t>& algorithms) {
  if (fastest_of_prepared_) {
    return *fastest_of_prepared_;
  }
  const GemmBuffers first = operands_.set(0);
  std::vector<std::pair<std::size_t, Workload>> right;
  Seconds best_single{std::numeric_limits<double>::infinity()};
  for (std::size_t i = 0; i < algorithms.size(); ++i) {
    try {
      const Verdict verdict =
          verifier_.check([&](void* c) { matmul.run(algorithms[i], first, c, stream_.get()); },
                          rounded_sums(algorithms[i]));
      if (!verdict.right()) {
        continue;
      }
      Workload workload = workload_of(matmul, algorithms[i]);
      timer_.look_at(workload);
      best_single = std::min(best_single, workload.estimate);
      right.emplace_back(i, std::move(workload));
    } catch (const Error& error) {  // a candidate that cannot run is no candidate
      if (!context_is_alive()) {
        throw ContextLost(error.what());
      }
    }
  }
  std::size_t best = 0;
  Seconds best_time{std::numeric_limits<double>::infinity()};
  for (const auto& [i, workload] : right) {
    if (workload.estimate > best_single * kWorthTiming) {
      continue;
    }
    if (const Seconds took = timer_.brief_time(workload); took < best_time) {
      best = i;
      best_time = took;
    }
  }
  fastest_of_prepared_ = best;
  return best;
}

void Laboratory::measure_cublaslt(Measurement& row) {
  const CublasltMatmul matmul(cublaslt_, row.point.problem, false);
  const std::vector<cublasLtMatmulAlgo_t> algorithms = matmul.algorithms(kAlgorithmsTried);
  const std::size_t chosen =
      row.point.config == kCublasltBest ? fastest(matmul, algorithms) : std::size_t{0};
  const GemmBuffers first = operands_.set(0);
  if (!verify(
          row, [&](void* c) { matmul.run(algorithms[chosen], first, c, stream_.get()); },
          rounded_sums(algorithms[chosen]))) {
    return;
  }
  Workload workload = workload_of(matmul, algorithms[chosen]);
  time(row, workload);
  row.reason = fmt::format("choice {} of {}: {} kernels={}", chosen + 1, algorithms.size(),
                           describe(algorithms[chosen]), workload.kernels_per_launch);
}

Measurement Laboratory::measure(const Point& point) {
  Measurement row;
  row.point = point;
  const auto not_measured = [&](Status status, const std::string& reason) {
    row.status = status;
    row.reason = reason;
    row.time.reset();
  };
  try {
    if (point.op != Op::kGemm) {
      streams_.measure(row, [this](Measurement& r, Workload& workload) { time(r, workload); });
    } else {
      prepare(point);
      operands_.require(point.l2_state);
      is_cublaslt(point.config) ? measure_cublaslt(row) : measure_kernel(row);
    }
  } catch (const ContextLost&) {
    throw;
  } catch (const CudaError& error) {
    if (!context_is_alive()) {
      throw ContextLost(what_happened(error));
    }
    not_measured(Status::kFailed, what_happened(error));
  } catch (const DeviceError&) {
    throw;
  } catch (const ConfigError& error) {
    not_measured(Status::kSkipped, error.what());
  } catch (const Error& error) {
    if (!context_is_alive()) {
      throw ContextLost(error.what());
    }
    not_measured(Status::kFailed, error.what());
  }
  std::replace(row.reason.begin(), row.reason.end(), '\n', ' ');
  return row;
}

}  // namespace tilecast
