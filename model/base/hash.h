// FNV-1a over a sequence of strings. Not cryptographic.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "model/base/integers.h"

namespace tilecast {

constexpr u64 kHashSeed = 0xcbf29ce484222325;

/// Hashes `text` and a terminator, continuing from `seed`.
constexpr u64 hash_of(std::string_view text, u64 seed) {
  constexpr u64 kPrime = 0x100000001b3;
  u64 hash = seed;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * kPrime;
  }
  return (hash ^ '\n') * kPrime;
}

inline std::string hash_text(std::string_view text) {
  return fmt::format("{:016x}", hash_of(text, kHashSeed));
}

}  // namespace tilecast
