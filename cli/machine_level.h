// What a machine can run: the model alone, compilation of kernels, timing, or hardware counters
// too.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "validate/run/child_process.h"

namespace tilecast {

enum class MachineLevel { kModel, kToolkit, kGpu, kCounters };  // each one includes those before it

std::string_view to_text(MachineLevel level);

struct ProbedMachine {
  MachineLevel level = MachineLevel::kModel;
  std::vector<std::pair<std::string, std::string>> found;  // toolkit, ..., device, counters
  std::string missing;  // requirement of the next level; empty at the highest
};

/// The machine as `tilecast-gpu probe` describes it; anything that it does not report counts as
/// missing.
ProbedMachine machine_from_probe(const ChildResult& probe);

}  // namespace tilecast
