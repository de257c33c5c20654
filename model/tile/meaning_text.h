// The keys of a configuration in words, for those who read one for the first time.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/tile/gemm_problem.h"
#include "model/tile/kernel_config.h"

namespace tilecast {

std::string_view meaning_of(Layout layout);

struct KeyMeaning {
  std::string key_value;  // "stages=4"
  std::string_view meaning;
};

/// Of every key that the configuration's text has, in its order.
std::vector<KeyMeaning> key_meanings(const KernelConfig& config);

}  // namespace tilecast
