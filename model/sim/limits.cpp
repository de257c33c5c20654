#include "model/sim/limits.h"

#include <algorithm>

#include "model/base/parallel.h"
#include "model/base/words.h"

namespace tilecast {
namespace {

constexpr double kInfinite = 1e30;  // of a rate

void remove_part(StreamSpec& stream, Part part) {
  switch (part) {
    case Part::kDram:
      stream.read_rate.value = stream.write_rate.value = kInfinite;
      break;
    case Part::kL2Output:
      stream.ticket = {};
      break;
    case Part::kLatency:
      stream.load_latency = stream.bulk_latency = {};
      stream.bulk_rate.value = kInfinite;
      break;
    case Part::kInstructions:
      stream.turn = {};
      stream.small_copy = {};
      break;
    case Part::kEpilogue:
      stream.bulk_store = {};
      stream.bulk_read_out.value = kInfinite;
      break;
    case Part::kLaunch:
      stream.kernel = stream.cta_launch = {};
      stream.cta_refill = {};
      break;
    default:
      break;  // memory-bound kernels have no such part
  }
}

void remove_part(MachineSpec& machine, Part part) {
  switch (part) {
    case Part::kTensor:
      machine.wgmma_least = {};
      break;
    case Part::kIntake:
      machine.intake.value = kInfinite;
      machine.request = {};
      break;
    case Part::kL2Output:
      machine.l2_output.value = kInfinite;
      machine.outside = {};
      break;
    case Part::kDram:
      machine.dram_read.value = machine.dram_write.value = kInfinite;
      break;
    case Part::kLatency:
      machine.l2_latency = machine.wgmma_completion = {};  // merging stays as it is
      machine.load_spread = {};
      machine.dram_latency = {};
      break;
    case Part::kInstructions:
      machine.turn = machine.mma_issue = machine.wgmma_issue = {};
      machine.issue = machine.issue_copy = machine.hilbert_step = {};
      machine.own_load = machine.own_copy = machine.load_ahead = {};
      machine.wake = machine.remote_wake = {};
      break;
    case Part::kEpilogue:
      machine.epilogue = machine.first_epilogue = machine.chunk = machine.next_tile =
          machine.barrier = {};
      machine.store_latency = {};
      machine.store_read.value = kInfinite;
      break;
    case Part::kLaunch:
      machine.kernel = machine.cluster = machine.dispatch = machine.cta_start = {};
      machine.first_load = {};
      machine.start_shared = machine.start_roles = machine.start_cluster = {};
      machine.cta_restart = machine.cta_refill = {};
      break;
    case Part::kOperandReads:
    case Part::kReduction:
      break;  // of other sections
  }
}

void remove_part(WgmmaSpec& wgmma, Part part) {
  switch (part) {
    case Part::kTensor:
      wgmma.flops_per_sm.value = kInfinite;
      wgmma.issue_overhead = {};
      break;
    case Part::kOperandReads:
      wgmma.operand_rate.value = kInfinite;
      break;
    case Part::kLatency:
      wgmma.completion_latency = {};
      break;
    case Part::kInstructions:
      wgmma.block_turn = wgmma.issue = {};
      break;
    default:
      break;
  }
}

void remove_part(Tcgen05Spec& tcgen05, Part part) {
  switch (part) {
    case Part::kTensor:
      tcgen05.flops_per_sm.value = kInfinite;
      tcgen05.issue_overhead = {};
      break;
    case Part::kOperandReads:
      tcgen05.operand_rate.value = kInfinite;
      break;
    case Part::kLatency:
      tcgen05.latency = tcgen05.pair_latency = {};
      break;
    case Part::kInstructions:
      tcgen05.block_turn = {};
      break;
    case Part::kEpilogue:
      tcgen05.tensor_memory_read.value = kInfinite;
      break;
    default:
      break;
  }
}

/// What the closed forms read, some of which the simulator does too.
void remove_from_forms(GpuSpec& gpu, Part part) {
  if (!gpu.tma || !gpu.l2 || !gpu.dram || !gpu.epilogue || !gpu.launch) {
    return;  // has no closed forms of GEMMs
  }
  switch (part) {
    case Part::kTensor:
    case Part::kOperandReads:
      break;  // of the tensor cores
    case Part::kIntake:
      gpu.sm.intake.value = gpu.tma->fill_rate.value = kInfinite;
      break;
    case Part::kL2Output:
      gpu.l2->output.value = kInfinite;
      break;
    case Part::kDram:
      gpu.dram->bandwidth.value = kInfinite;
      break;
    case Part::kLatency:
      gpu.tma->l2_latency = gpu.tma->dram_latency = {};
      gpu.tma->multicast_latency = {};
      break;
    case Part::kInstructions:
      gpu.tma->issue = gpu.tma->stage_turn = {};
      break;
    case Part::kEpilogue:
      gpu.epilogue->fixed = gpu.epilogue->chunk = gpu.epilogue->store_read = {};
      gpu.epilogue->rate.value = gpu.epilogue->plain_rate.value = kInfinite;
      break;
    case Part::kReduction:
      if (gpu.reduction) {
        gpu.reduction = {.hop = {},
                         .sm_store = {kInfinite},
                         .sm_add = {kInfinite},
                         .sm_load = {kInfinite},
                         .chip_store = {kInfinite},
                         .chip_add = {kInfinite}};
      }
      break;
    case Part::kLaunch:
      gpu.launch->kernel = gpu.launch->cluster = gpu.epilogue->store_latency = {};
      gpu.launch->cta_start = gpu.launch->cta_refill = {};
      break;
  }
}

template <class Simulate>
std::vector<Elimination> eliminate_each(const GpuSpec& gpu, unsigned threads, Simulate simulate) {
  std::vector<Elimination> all(std::size(kEveryPart));
  parallel_for(all.size(), threads, [&](std::size_t i) {
    all[i] = {kEveryPart[i], simulate(without(gpu, kEveryPart[i])).cycles};
  });
  std::stable_sort(all.begin(), all.end(),
                   [](const Elimination& x, const Elimination& y) { return x.cycles < y.cycles; });
  return all;
}

}  // namespace

std::string_view to_text(Part part) {
  static constexpr Words<Part, 10> kParts{{{Part::kTensor, "tensor"},
                                           {Part::kOperandReads, "shared_memory"},
                                           {Part::kIntake, "sm_intake"},
                                           {Part::kL2Output, "l2"},
                                           {Part::kDram, "dram"},
                                           {Part::kLatency, "latency"},
                                           {Part::kInstructions, "instructions"},
                                           {Part::kEpilogue, "epilogue"},
                                           {Part::kReduction, "reduction"},
                                           {Part::kLaunch, "launch"}}};
  return word_of(kParts, part);
}

GpuSpec without(GpuSpec gpu, Part part) {
  if (gpu.stream && gpu.l2) {
    remove_part(*gpu.stream, part);
    if (part == Part::kIntake) {
      gpu.sm.intake.value = kInfinite;
    } else if (part == Part::kL2Output) {
      gpu.l2->output.value = kInfinite;
    }
  }
  if (gpu.machine) {
    remove_part(*gpu.machine, part);
  }
  if (part == Part::kL2Output && gpu.reduction) {
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

std::vector<Elimination> eliminate(const GpuSpec& gpu, const GemmProblem& problem,
                                   const KernelConfig& config, Residency residency, Hertz sm_clock,
                                   Waves waves, unsigned threads) {
  return eliminate_each(gpu, threads, [&](const GpuSpec& g) {
    return simulate_gemm(g, problem, config, residency, sm_clock, {}, waves);
  });
}

std::vector<Elimination> eliminate(const GpuSpec& gpu, const StreamProblem& problem,
                                   const StreamConfig& config, i32 ctas_per_sm, Hertz sm_clock,
                                   unsigned threads) {
  return eliminate_each(gpu, threads, [&](const GpuSpec& g) {
    return simulate_stream(g, problem, config, ctas_per_sm, sm_clock);
  });
}

}  // namespace tilecast
