// An attention's workspace: counters, which are zero between runs, and partial results of splits.
#pragma once

#include <cstddef>

#include "library/attention_request.h"
#include "model/attention/attention_work.h"
#include "model/base/math.h"
#include "model/spec/gpu_spec.h"

namespace tilecast {

struct AttentionMemory {
  std::size_t counter_bytes, partial_bytes;

  static constexpr std::size_t kAlignment = 256;
  constexpr std::size_t partials_at() const { return round_up(counter_bytes, kAlignment); }
  constexpr std::size_t bytes() const { return partials_at() + partial_bytes; }
};

inline AttentionMemory memory_of(const AttentionWorkspace& workspace) {
  return {.counter_bytes =
              static_cast<std::size_t>(workspace.draws + workspace.parts_done) * sizeof(u32),
          .partial_bytes = static_cast<std::size_t>(workspace.partial_bytes)};
}

/// Size in bytes, the same on every GPU.
inline std::size_t workspace_bytes(const AttentionRequest& request, const GpuSpec&,
                                   const AttentionConfig& config) {
  return memory_of(attention_workspace(request.problem, config)).bytes();
}

}  // namespace tilecast
