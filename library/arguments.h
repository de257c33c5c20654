// Checks of a run's addresses, which all ops share.
#pragma once

#include <cstdint>

#include "library/status.h"

namespace tilecast {

constexpr std::uintptr_t kTensorAlignment = 16;  // alignment of tensors and workspaces

inline bool misaligned(const void* pointer, std::uintptr_t alignment) noexcept {
  return reinterpret_cast<std::uintptr_t>(pointer) % alignment != 0;
}

/// These return `text` if the pointer is wrong, else null.
inline const char* missing(const void* pointer, const char* text) noexcept {
  return pointer == nullptr ? text : nullptr;
}
inline const char* skewed(const void* pointer, const char* text,
                          std::uintptr_t alignment = kTensorAlignment) noexcept {
  return misaligned(pointer, alignment) ? text : nullptr;
}
/// `asked`: whether the problem has this tensor.
inline const char* unlike(bool asked, const void* pointer, const char* missing,
                          const char* given) noexcept {
  return asked == (pointer != nullptr) ? nullptr : asked ? missing : given;
}

inline tilecast_status fail_argument(const char* text) noexcept {
  return fail(TILECAST_INVALID_ARGUMENT, text);
}

}  // namespace tilecast
