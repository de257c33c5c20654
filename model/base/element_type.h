// Types of matrix elements. Compiled by the host compiler, nvcc and NVRTC.
#pragma once

#include "model/base/host_device.h"
#include "model/base/integers.h"

namespace tilecast {

/// The x2 types are two neighbours along K of an fp8 matrix as one element.
enum class ElementType : i32 { kFp16, kBf16, kFp32, kE4m3, kE5m2, kE4m3x2, kE5m2x2 };

TILECAST_HD constexpr bool is_fp8(ElementType type) {
  return type == ElementType::kE4m3 || type == ElementType::kE5m2;
}
TILECAST_HD constexpr bool is_fp8_pair(ElementType type) {
  return type == ElementType::kE4m3x2 || type == ElementType::kE5m2x2;
}

TILECAST_HD constexpr i32 element_bytes(ElementType type) {
  return type == ElementType::kFp32 ? 4 : is_fp8(type) ? 1 : 2;
}

}  // namespace tilecast
