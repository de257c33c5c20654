#include "model/gemm/predict/kernel_activity.h"

#include <algorithm>
#include <array>

#include "model/gemm/problem/group_rows.h"

namespace tilecast {
namespace {

using Amounts = std::array<double, kResources>;

double& of(Amounts& amounts, Resource resource) {
  return amounts[static_cast<std::size_t>(resource)];
}

struct Part {
  Seconds time;
  Amounts amounts{};
};

/// Returns the time slices in order, merged `joined` at a time, up to the kernel's end.
std::vector<Part> seen_parts(const Activity& activity, Seconds end, std::size_t most) {
  const Seconds slice = seconds_of(activity.slice_length());
  const std::size_t slices = std::min(Activity::kSlices, static_cast<std::size_t>(end / slice) + 1);
  const std::size_t joined = (slices + most - 1) / most;
  std::vector<Part> parts;
  for (std::size_t i = 0; i < Activity::kSlices; ++i) {
    if (i < slices && i % joined == 0) {
      // The last slice extends to the end, because no more requests are made after it.
      const Seconds left = end - slice * static_cast<double>(i);
      const bool last = i + joined >= slices;
      parts.push_back({last ? left : slice * static_cast<double>(joined), {}});
    }
    // Requests recorded after the end belong to the last slice.
    for (std::size_t r = 0; r < kResources; ++r) {
      parts.back().amounts[r] += static_cast<double>(activity.slices()[i][r]);
    }
  }
  if (parts.size() > 1 && parts.back().time.value <= 0) {
    for (std::size_t r = 0; r < kResources; ++r) {
      parts[parts.size() - 2].amounts[r] += parts.back().amounts[r];
    }
    parts.pop_back();
  }
  return parts;
}

/// Returns the part of the kernel's work that no slice contains.
Part not_seen(const Simulated& kernel, const Activity& activity) {
  Part part{kernel.left_out, {}};
  const auto rest = [&](Resource resource, double whole) {
    of(part.amounts, resource) =
        std::max(0.0, whole - static_cast<double>(activity.total(resource)));
  };
  rest(Resource::kOperandReads, kernel.operand_reads.value);
  rest(Resource::kFills, kernel.sm_intake.value);
  rest(Resource::kL2Output, kernel.l2_output.value);
  rest(Resource::kDramRead, kernel.dram_read.value);
  rest(Resource::kDramWrite, kernel.dram_write.value);
  // The tensor pipes read operands in proportion to their busy time.
  const auto reads = static_cast<double>(activity.total(Resource::kOperandReads));
  of(part.amounts, Resource::kTensor) =
      static_cast<double>(activity.total(Resource::kTensor)) *
      (reads > 0 ? of(part.amounts, Resource::kOperandReads) / reads : 0);
  return part;
}

/// Returns the work of the tensor cores, independent of time.
ChipWork tensor_work(const GemmProblem& problem, const KernelConfig& config) {
  const double flops = multiplied_flops(problem, config);
  return {.tensor = Flops{flops},
          .shared_memory = {},
          .l2 = {},
          .dram = {},
          .elapsed = {},
          .dtype = problem.dtype,
          .out_of_bounds = Flops{flops_out_of_bounds(problem, config)},
          .promoted = promotes(problem) ? flops / scale_block() : 0};
}

}  // namespace

KernelActivity kernel_activity(const GpuSpec& gpu, const GemmProblem& problem,
                               const KernelConfig& config, const GemmWork& work) {
  ChipWork done = tensor_work(problem, config);
  done.shared_memory = work.shared_memory;
  done.l2 = l2_output(gpu, problem, config, work);
  done.dram = work.traffic.dram_read + work.traffic.dram_write;
  return {done};
}

KernelActivity kernel_activity(const GemmProblem& problem, const KernelConfig& config,
                               const Simulated& kernel, const Activity& seen) {
  ChipWork done = tensor_work(problem, config);
  done.shared_memory = kernel.operand_reads + kernel.sm_intake;
  done.l2 = kernel.l2_output;
  done.dram = kernel.dram_read + kernel.dram_write;
  done.elapsed = kernel.cycles;
  return {done, kernel_phases(kernel, seen)};
}

std::vector<PhaseShares> kernel_phases(const Simulated& kernel, const Activity& activity,
                                       std::size_t most) {
  const Seconds seen = kernel.time - kernel.left_out;
  std::vector<Part> parts = seen_parts(activity, seen, most);
  if (kernel.left_out.value > 0) {
    std::size_t at = 0;
    for (Seconds begin{}; at < parts.size() && begin < kernel.left_out_at; ++at) {
      begin += parts[at].time;
    }
    parts.insert(parts.begin() + static_cast<std::ptrdiff_t>(at), not_seen(kernel, activity));
  }
  Amounts all{};
  for (const Part& part : parts) {
    for (std::size_t r = 0; r < kResources; ++r) {
      all[r] += part.amounts[r];
    }
  }
  std::vector<PhaseShares> phases;
  for (Part& part : parts) {
    const auto share = [&](std::initializer_list<Resource> resources) {
      double own = 0, whole = 0;
      for (const Resource r : resources) {
        own += of(part.amounts, r);
        whole += of(all, r);
      }
      return whole > 0 ? own / whole : 0;
    };
    phases.push_back({.time = part.time / kernel.time,
                      .tensor = share({Resource::kTensor}),
                      .shared_memory = share({Resource::kOperandReads, Resource::kFills}),
                      .l2 = share({Resource::kL2Output}),
                      .dram = share({Resource::kDramRead, Resource::kDramWrite}),
                      .sm_intake = share({Resource::kFills})});
  }
  return phases;
}

}  // namespace tilecast
