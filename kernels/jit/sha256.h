// SHA-256 (FIPS 180-4), for names of cache entries that cannot collide.
#pragma once

#include <string>
#include <string_view>

namespace tilecast {

/// 64 lower-case hexadecimal digits.
std::string sha256(std::string_view text);

}  // namespace tilecast
