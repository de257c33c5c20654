// The part of explain that is specific to memory-bound kernels: DRAM throughput losses by cause,
// and whether loads in flight are the bottleneck instead.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/explain_output.h"
#include "model/stream/stream_closed_form.h"

namespace tilecast {

/// Analytic explanation at the kernel's predicted clock; empty for a GEMM.
struct StreamStory {
  double tb_per_s;
  RateShares shares;
  StreamParts parts;
};
std::optional<StreamStory> stream_story(const ExplainReport& report, const Explanation& kernel);

/// A lost fraction of DRAM's rate, and its cause.
struct NamedLoss {
  std::string_view name, to;
  double share;
};
std::vector<NamedLoss> named_losses(const StreamLosses& losses);

nlohmann::ordered_json stream_json(const StreamStory& story);

/// Returns sentences: which losses and which times make `kernel` slower or faster than `best`.
std::vector<std::string> why_stream(const StreamStory& kernel, const StreamStory& best);

}  // namespace tilecast
