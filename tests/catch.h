// One include for Catch2 2 (Debian 12) and 3 (Ubuntu 24.04).
#pragma once

#include <string_view>

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
#else
#include <catch2/catch.hpp>
#endif

namespace tilecast {

inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != text.npos;
}
inline bool contains(std::string_view text, char part) { return text.find(part) != text.npos; }

}  // namespace tilecast
