// What a machine can do: only run the model, compile kernels, time them, or also collect hardware
// counters.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "validate/run/child_process.h"

namespace tilecast {

// Each level includes those before it.
enum class MachineLevel { kModel, kToolkit, kGpu, kCounters };

std::string_view to_text(MachineLevel level);

struct ProbedMachine {
  MachineLevel level = MachineLevel::kModel;
  std::vector<std::pair<std::string, std::string>> found;  // toolkit, ..., device, counters
  std::string missing;  // requirement of the next level; empty at the highest
};

/// Reads the machine's description by `tilecast-gpu probe`; parts that it does not report count as
/// missing.
ProbedMachine machine_from_probe(const ChildResult& probe);

}  // namespace tilecast
