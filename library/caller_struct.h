// Structs that cross the boundary between a caller and a library of different versions. Each begins
// with the size known to the caller. Fields that an input struct lacks count as zero. Fields that
// it has in addition to the library's must be zero, because the library would ignore them.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "library/status.h"

namespace tilecast {

/// Returns the struct_size of an output struct and reads no other field. Throws StatusError if the
/// pointer is null or no version of T has this size. `first_size`: size of the first version.
template <class T>
std::size_t checked_size(const T* given, std::size_t first_size, const char* name) {
  constexpr std::size_t kMostSize = 4096;
  const char* const why =
      given == nullptr ? "is null"
      : given->struct_size < first_size
          ? "has a struct_size smaller than any version's; initialize it with its _INIT"
      : given->struct_size > kMostSize
          ? "has a struct_size of no known version; initialize it with its _INIT"
          : nullptr;
  if (why != nullptr) {
    throw StatusError(TILECAST_INVALID_ARGUMENT, fmt::format("{} {}", name, why));
  }
  return given->struct_size;
}

/// Copies an input struct. Throws StatusError like checked_size, and if fields beyond the library's
/// T are not zero.
template <class T>
T checked_struct(const T* given, std::size_t first_size, const char* name) {
  const std::size_t size = checked_size(given, first_size, name);
  const unsigned char* const bytes = reinterpret_cast<const unsigned char*>(given);
  if (size > sizeof(T) &&
      std::any_of(bytes + sizeof(T), bytes + size, [](unsigned char byte) { return byte != 0; })) {
    throw StatusError(
        TILECAST_INVALID_ARGUMENT,
        fmt::format("{} has fields set that only a newer libtilecast supports", name));
  }
  T mine{};
  std::memcpy(static_cast<void*>(&mine), given, std::min(size, sizeof(T)));
  mine.struct_size = sizeof(T);
  return mine;
}

/// Copies `mine` to the caller's struct as far as it fits, and zeros its fields beyond T.
template <class T>
void write_struct(T mine, T* given, std::size_t size) noexcept {
  mine.struct_size = size;
  std::memcpy(static_cast<void*>(given), &mine, std::min(size, sizeof(T)));
  if (size > sizeof(T)) {
    std::memset(reinterpret_cast<unsigned char*>(given) + sizeof(T), 0, size - sizeof(T));
  }
}

}  // namespace tilecast
