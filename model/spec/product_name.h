// Matches the name that a driver gives a device with the product in a GPU file.
#pragma once

#include <string_view>

namespace tilecast {

/// Whether a device named "NVIDIA A100-SXM4-80GB" can be "NVIDIA A100 SXM4 80 GB": the product
/// contains the second word of the name, and the memory size that the name states, if it does.
bool is_product(std::string_view device, std::string_view product);

}  // namespace tilecast
