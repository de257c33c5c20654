// Structs that cross the boundary between a caller and a library of different ages. Each begins
// with the size that the caller knows. What the caller's struct lacks is zero here; what it has
// beyond ours must be zero, since whatever it asks for cannot be done.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "library/status.h"

namespace tilecast {

/// Why the library cannot take the caller's struct; null where it can. `first_size`: that of the
/// first version of T.
template <class T>
const char* why_not_readable(const T* given, std::size_t first_size) noexcept {
  if (given == nullptr) {
    return "is null";
  }
  if (given->struct_size < first_size) {
    return "has a struct_size smaller than any version's; begin with its _INIT";
  }
  constexpr std::size_t kMostSize = 4096;
  if (given->struct_size > kMostSize) {
    return "has a struct_size that no version has; begin with its _INIT";
  }
  const unsigned char* bytes = reinterpret_cast<const unsigned char*>(given);
  const bool zero_beyond =
      given->struct_size <= sizeof(T) || std::all_of(bytes + sizeof(T), bytes + given->struct_size,
                                                     [](unsigned char byte) { return byte == 0; });
  return zero_beyond ? nullptr : "asks for what only a newer libtilecast knows";
}

/// Of one that is readable.
template <class T>
T read_struct(const T* given) noexcept {
  T mine{};
  std::memcpy(static_cast<void*>(&mine), given, std::min(given->struct_size, sizeof(T)));
  mine.struct_size = sizeof(T);
  return mine;
}

/// Throws StatusError where it is not readable.
template <class T>
T checked_struct(const T* given, std::size_t first_size, const char* name) {
  if (const char* why = why_not_readable(given, first_size)) {
    throw StatusError(TILECAST_INVALID_ARGUMENT, fmt::format("{} {}", name, why));
  }
  return read_struct(given);
}

/// As much of `mine` as the caller's struct has room for, and zeros in what it has beyond.
template <class T>
void write_struct(T mine, T* given, std::size_t size) noexcept {
  mine.struct_size = size;
  std::memcpy(static_cast<void*>(given), &mine, std::min(size, sizeof(T)));
  if (size > sizeof(T)) {
    std::memset(reinterpret_cast<unsigned char*>(given) + sizeof(T), 0, size - sizeof(T));
  }
}

}  // namespace tilecast
