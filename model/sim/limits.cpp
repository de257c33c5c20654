#include "model/sim/limits.h"

#include <algorithm>

#include "model/base/words.h"

namespace tilecast {
namespace {

constexpr double kInfinite = 1e30;  // of a rate

}  // namespace

std::string_view to_text(Part part) {
  static constexpr Words<Part, 9> kParts{{{Part::kTensor, "tensor"},
                                          {Part::kOperandReads, "shared_memory"},
                                          {Part::kIntake, "sm_intake"},
                                          {Part::kL2Output, "l2"},
                                          {Part::kDram, "dram"},
                                          {Part::kLatency, "latency"},
                                          {Part::kInstructions, "instructions"},
                                          {Part::kEpilogue, "epilogue"},
                                          {Part::kLaunch, "launch"}}};
  return word_of(kParts, part);
}

GpuSpec without(GpuSpec gpu, Part part) {
  MachineSpec& machine = *gpu.machine;
  switch (part) {
    case Part::kTensor:
      gpu.wgmma->flops_per_sm.value = kInfinite;
      machine.wgmma_least = {};
      break;
    case Part::kOperandReads:
      gpu.wgmma->operand_rate.value = kInfinite;
      break;
    case Part::kIntake:
      machine.intake.value = kInfinite;
      machine.request = machine.pair_request = {};
      break;
    case Part::kL2Output:
      machine.l2_output.value = kInfinite;
      machine.outside = {};
      break;
    case Part::kDram:
      machine.dram_read.value = machine.dram_write.value = kInfinite;
      break;
    case Part::kLatency:
      machine.l2_latency = machine.wgmma_completion = {};
      machine.dram_latency = {};
      break;
    case Part::kInstructions:
      machine.turn = machine.mma_issue = machine.issue = machine.issue_copy = {};
      machine.arrive_and_wait = machine.wake = machine.remote_wake = {};
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
  }
  return gpu;
}

std::vector<Elimination> eliminate(const GpuSpec& gpu, const GemmProblem& problem,
                                   const KernelConfig& config, Residency residency,
                                   Hertz sm_clock) {
  std::vector<Elimination> all;
  for (const Part part : kEveryPart) {
    const Simulated kernel =
        simulate_gemm(without(gpu, part), problem, config, residency, sm_clock);
    all.push_back({part, kernel.cycles});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Elimination& x, const Elimination& y) { return x.cycles < y.cycles; });
  return all;
}

}  // namespace tilecast
