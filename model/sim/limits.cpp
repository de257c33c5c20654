#include "model/sim/limits.h"

#include <algorithm>

#include "model/base/parallel.h"

namespace tilecast {
namespace {

constexpr double kInfinite = 1e30;  // of a rate

void remove_part(StreamSpec& stream, Limiter part) {
  switch (part) {
    case Limiter::kDram:
      stream.read_rate.value = stream.write_rate.value = kInfinite;
      break;
    case Limiter::kL2:
      stream.ticket = {};
      break;
    case Limiter::kLatency:
      stream.load_latency = stream.bulk_latency = {};
      stream.bulk_rate.value = kInfinite;
      break;
    case Limiter::kInstructions:
      stream.turn = {};
      stream.small_copy = {};
      break;
    case Limiter::kEpilogue:
      stream.bulk_store = {};
      stream.bulk_read_out.value = kInfinite;
      break;
    case Limiter::kLaunch:
      stream.kernel = stream.cta_launch = {};
      stream.cta_refill = {};
      break;
    default:
      break;  // memory-bound kernels have no such part
  }
}

void remove_part(MachineSpec& machine, Limiter part) {
  switch (part) {
    case Limiter::kTensor:
      machine.wgmma_least = {};
      break;
    case Limiter::kSmIntake:
      machine.intake.value = kInfinite;
      machine.request = {};
      break;
    case Limiter::kL2:
      machine.l2_output.value = kInfinite;
      machine.outside = {};
      break;
    case Limiter::kDram:
      machine.dram_read.value = machine.dram_write.value = kInfinite;
      break;
    case Limiter::kLatency:
      machine.l2_latency = machine.wgmma_completion = {};  // merging stays as it is
      machine.load_spread = {};
      machine.dram_latency = {};
      break;
    case Limiter::kInstructions:
      machine.turn = machine.mma_issue = machine.wgmma_issue = {};
      machine.issue = machine.issue_copy = machine.hilbert_step = {};
      machine.own_load = machine.own_copy = machine.load_ahead = {};
      machine.wake = machine.remote_wake = {};
      break;
    case Limiter::kEpilogue:
      machine.epilogue = machine.first_epilogue = machine.chunk = machine.next_tile =
          machine.barrier = {};
      machine.store_latency = {};
      machine.store_read.value = kInfinite;
      break;
    case Limiter::kLaunch:
      machine.kernel = machine.cluster = machine.dispatch = machine.cta_start = {};
      machine.first_load = {};
      machine.start_shared = machine.start_roles = machine.start_cluster = {};
      machine.cta_restart = machine.cta_refill = {};
      break;
    case Limiter::kSharedMemory:
    case Limiter::kReduction:
      break;  // of other sections
  }
}

void remove_part(WgmmaSpec& wgmma, Limiter part) {
  switch (part) {
    case Limiter::kTensor:
      wgmma.flops_per_sm.value = kInfinite;
      wgmma.issue_overhead = {};
      break;
    case Limiter::kSharedMemory:
      wgmma.operand_rate.value = kInfinite;
      break;
    case Limiter::kLatency:
      wgmma.completion_latency = {};
      break;
    case Limiter::kInstructions:
      wgmma.block_turn = wgmma.issue = {};
      break;
    default:
      break;
  }
}

void remove_part(Tcgen05Spec& tcgen05, Limiter part) {
  switch (part) {
    case Limiter::kTensor:
      tcgen05.flops_per_sm.value = kInfinite;
      tcgen05.issue_overhead = {};
      break;
    case Limiter::kSharedMemory:
      tcgen05.operand_rate.value = kInfinite;
      break;
    case Limiter::kLatency:
      tcgen05.latency = tcgen05.pair_latency = {};
      break;
    case Limiter::kInstructions:
      tcgen05.block_turn = {};
      break;
    case Limiter::kEpilogue:
      tcgen05.tensor_memory_read.value = kInfinite;
      break;
    default:
      break;
  }
}

/// What the closed forms read, some of which the simulator does too.
void remove_from_forms(GpuSpec& gpu, Limiter part) {
  if (!gpu.tma || !gpu.l2 || !gpu.dram || !gpu.epilogue || !gpu.launch) {
    return;  // has no closed forms of GEMMs
  }
  switch (part) {
    case Limiter::kTensor:
    case Limiter::kSharedMemory:
      break;  // of the tensor cores
    case Limiter::kSmIntake:
      gpu.sm.intake.value = gpu.tma->fill_rate.value = kInfinite;
      break;
    case Limiter::kL2:
      gpu.l2->output.value = kInfinite;
      break;
    case Limiter::kDram:
      gpu.dram->bandwidth.value = kInfinite;
      break;
    case Limiter::kLatency:
      gpu.tma->l2_latency = gpu.tma->dram_latency = {};
      gpu.tma->multicast_latency = {};
      break;
    case Limiter::kInstructions:
      gpu.tma->issue = gpu.tma->stage_turn = {};
      break;
    case Limiter::kEpilogue:
      gpu.epilogue->fixed = gpu.epilogue->chunk = gpu.epilogue->store_read = {};
      gpu.epilogue->rate.value = gpu.epilogue->plain_rate.value = kInfinite;
      break;
    case Limiter::kReduction:
      if (gpu.reduction) {
        gpu.reduction = {.hop = {},
                         .sm_store = {kInfinite},
                         .sm_add = {kInfinite},
                         .sm_load = {kInfinite},
                         .chip_store = {kInfinite},
                         .chip_add = {kInfinite}};
      }
      break;
    case Limiter::kLaunch:
      gpu.launch->kernel = gpu.launch->cluster = gpu.epilogue->store_latency = {};
      gpu.launch->cta_start = gpu.launch->cta_refill = {};
      break;
  }
}

}  // namespace

GpuSpec without(GpuSpec gpu, Limiter part) {
  if (gpu.stream && gpu.l2) {
    remove_part(*gpu.stream, part);
    if (part == Limiter::kSmIntake) {
      gpu.sm.intake.value = kInfinite;
    } else if (part == Limiter::kL2) {
      gpu.l2->output.value = kInfinite;
    }
  }
  if (gpu.machine) {
    remove_part(*gpu.machine, part);
  }
  if (part == Limiter::kL2 && gpu.reduction) {
    gpu.reduction->chip_store.value = kInfinite;
  }
  if (gpu.wgmma) {
    remove_part(*gpu.wgmma, part);
  }
  if (gpu.tcgen05) {
    remove_part(*gpu.tcgen05, part);
  }
  remove_from_forms(gpu, part);
  return gpu;
}

std::vector<Elimination> eliminate_each(Cycles whole, unsigned threads,
                                        const std::function<Cycles(Limiter)>& cycles_without) {
  // Below this nothing is saved: loads are served in another order.
  constexpr double kNothing = 0.0005;
  std::vector<Elimination> all(std::size(kEveryLimiter));
  parallel_for(all.size(), threads, [&](std::size_t i) {
    all[i] = {kEveryLimiter[i], cycles_without(kEveryLimiter[i])};
  });
  std::erase_if(all, [&](const Elimination& e) { return e.cycles > whole * (1 - kNothing); });
  std::ranges::stable_sort(all, {}, &Elimination::cycles);
  return all;
}

Simulated simulate_without(const GpuSpec& gpu, Limiter part, const GemmProblem& problem,
                           const KernelConfig& config, Residency residency, Hertz sm_clock,
                           Waves waves, const RequestLog& requests) {
  GemmProblem simulated = problem;
  simulated.shape = requests.shape;
  const GpuSpec fast = without(gpu, part);
  const Rerun again{requests, *fast.reduction};
  // C's way to L2 takes what a partial sum's does, and stays as it is.
  return simulate_gemm(part == Limiter::kReduction ? gpu : fast, simulated, config, residency,
                       sm_clock, {}, waves, &again);
}

std::vector<Elimination> eliminate(const GpuSpec& gpu, const GemmProblem& problem,
                                   const KernelConfig& config, Residency residency, Hertz sm_clock,
                                   Waves waves, const RequestLog& requests, unsigned threads) {
  return eliminate_each(requests.cycles, threads, [&](Limiter part) {
    return simulate_without(gpu, part, problem, config, residency, sm_clock, waves, requests)
        .cycles;
  });
}

std::vector<Elimination> eliminate(const GpuSpec& gpu, const StreamProblem& problem,
                                   const StreamConfig& config, i32 ctas_per_sm, Hertz sm_clock,
                                   Cycles whole, unsigned threads) {
  return eliminate_each(whole, threads, [&](Limiter part) {
    return simulate_stream(without(gpu, part), problem, config, ctas_per_sm, sm_clock).cycles;
  });
}

}  // namespace tilecast
