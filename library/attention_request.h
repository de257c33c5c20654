// A caller's attention, validated and converted to the model's types.
#pragma once

#include <tilecast/tilecast.h>

#include <cstddef>

#include "library/request.h"
#include "model/attention/attention_config.h"

namespace tilecast {

/// Bytes from the first element of each tensor to the end of its last element.
struct AttentionExtents {
  std::size_t q, k, v, o, lse;
};

struct AttentionRequest;

/// Checks the arguments of a run except the workspace; throws StatusError.
class AttentionArgumentCheck {
 public:
  explicit AttentionArgumentCheck(const AttentionRequest& request);
  tilecast_status operator()(const tilecast_attention_arguments& arguments) const noexcept;

 private:
  bool lse_;
  AttentionExtents extents_;
};

struct AttentionRequest : Request {
  using Config = AttentionConfig;
  using Arguments = tilecast_attention_arguments;
  using ArgumentCheck = AttentionArgumentCheck;

  AttentionProblem problem;
  // Strides in elements. A dimension of length 1 has the packed stride.
  AttentionStrides q, k, v, o;
  AttentionExtents extents;
};

/// Throws a StatusError that names the field. `options` may be null.
AttentionRequest read_request(const tilecast_attention* problem, const tilecast_options* options);

}  // namespace tilecast
