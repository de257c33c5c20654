// Matches the device name that a driver reports with the product name in a GPU file.
#pragma once

#include <string_view>

namespace tilecast {

/// Whether a device named "NVIDIA A100-SXM4-80GB" can be "NVIDIA A100 SXM4 80 GB". The product must
/// contain the second word of the device's name and, if that name states a memory size, the size.
bool is_product(std::string_view device, std::string_view product);

}  // namespace tilecast
