// What explain says of memory-bound kernels beside the parts that all kernels share: what DRAM's
// rate loses and to what, and whether loads in flight hold the kernel instead.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/explain_output.h"
#include "model/stream/stream_closed_form.h"

namespace tilecast {

/// By closed form at the kernel's clock, whatever predicted it; nothing of a GEMM.
struct StreamStory {
  double tb_per_s;
  RateShares shares;
  StreamParts parts;
};
std::optional<StreamStory> stream_story(const ExplainReport& report, const Explanation& kernel);

/// A share of DRAM's rate, and what it goes to.
struct NamedLoss {
  std::string_view name, to;
  double share;
};
std::vector<NamedLoss> named_losses(const StreamLosses& losses);

nlohmann::ordered_json stream_json(const StreamStory& story);

/// Sentences: which losses and which times make `kernel` slower or faster than `best`.
std::vector<std::string> why_stream(const StreamStory& kernel, const StreamStory& best);

}  // namespace tilecast
