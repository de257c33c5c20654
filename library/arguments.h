// Checks of a run's addresses, which all ops share.
#pragma once

#include <cstdint>

#include "library/status.h"

namespace tilecast {

constexpr std::uintptr_t kTensorAlignment = 16;  // alignment of tensors and workspaces

inline bool misaligned(const void* pointer, std::uintptr_t alignment) noexcept {
  return reinterpret_cast<std::uintptr_t>(pointer) % alignment != 0;
}

inline tilecast_status fail_argument(const char* text) noexcept {
  return fail(TILECAST_INVALID_ARGUMENT, text);
}

}  // namespace tilecast
