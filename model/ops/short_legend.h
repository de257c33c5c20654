// Explains the abbreviations of short configuration strings. Checked by:
// short_config_text_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "model/ops/any_op.h"

namespace tilecast {

/// Returns the legend of these configurations: "pi pipelined, pp ping_pong; s stages, e c_slots,
/// ..d store=deferred". Dots precede a letter that ends a word.
std::string short_legend(const std::vector<AnyConfig>& configs);

}  // namespace tilecast
