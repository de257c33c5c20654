// Element types, one row each. Code that needs more than a row contains (wgmma's name, conversions,
// tensor maps) switches on the enumerator. Integers and enums only: compiled by the host compiler,
// nvcc and NVRTC.
#pragma once

#include "model/base/host_device.h"
#include "model/base/integers.h"

namespace tilecast {

enum class ElementType : i32 { kFp16, kBf16, kFp32, kE4m3, kE5m2 };
constexpr i32 kElementTypes = 5;

struct ElementTraits {
  const char* name = nullptr;     // name in configuration strings; a join key that never changes
  const char* others = "";        // also accepted: the names of torch, CUTLASS and vLLM
  const char* meaning = "";       // description in lists
  const char* of_cuda = nullptr;  // name in CUDA C++
  i32 bytes = 0, digits = 0;      // digits: bits of the significand
  i32 in_c = 0;                   // value of tilecast_type (include/tilecast/tilecast.h)
  bool fp8 = false;               // may have scales and fp32 promotion
};

TILECAST_HD TILECAST_INLINED constexpr ElementTraits traits_of(ElementType type) {
  switch (type) {
    case ElementType::kFp16:
      return {.name = "fp16",
              .others = "float16 half f16",
              .meaning = "A, B and C in fp16, accumulation in fp32",
              .of_cuda = "__half",
              .bytes = 2,
              .digits = 11,
              .in_c = 1};
    case ElementType::kBf16:
      return {.name = "bf16",
              .others = "bfloat16",
              .meaning = "A, B and C in bf16, accumulation in fp32",
              .of_cuda = "__nv_bfloat16",
              .bytes = 2,
              .digits = 8,
              .in_c = 2};
    case ElementType::kFp32:
      return {.name = "fp32",
              .others = "float32 f32",
              .meaning = "fp32 for C (--out-dtype), memcpy and elementwise_add",
              .of_cuda = "float",
              .bytes = 4,
              .digits = 24,
              .in_c = 5};
    case ElementType::kE4m3:
      return {.name = "e4m3",
              .others = "float8_e4m3fn fp8_e4m3 fp8",
              .meaning =
                  "A and B in fp8, layout tn; C in bf16, fp16, fp32 or e4m3 (--out-dtype); "
                  "sums fast or exact (--accumulate)",
              .of_cuda = "__nv_fp8_e4m3",
              .bytes = 1,
              .digits = 4,
              .in_c = 3,
              .fp8 = true};
    case ElementType::kE5m2:
      return {.name = "e5m2",
              .others = "float8_e5m2 fp8_e5m2",
              .meaning = "fp8 with two bits of mantissa, otherwise like e4m3",
              .of_cuda = "__nv_fp8_e5m2",
              .bytes = 1,
              .digits = 3,
              .in_c = 4,
              .fp8 = true};
  }
  return {};
}
static_assert(traits_of(static_cast<ElementType>(kElementTypes)).name == nullptr &&
                  traits_of(static_cast<ElementType>(kElementTypes - 1)).name != nullptr,
              "kElementTypes is the number of types");

TILECAST_HD constexpr bool is_fp8(ElementType type) { return traits_of(type).fp8; }
TILECAST_HD constexpr i32 element_bytes(ElementType type) { return traits_of(type).bytes; }

/// One-byte operands must be K-major, and C has its own type.
TILECAST_HD constexpr bool is_narrow(ElementType type) { return element_bytes(type) == 1; }

}  // namespace tilecast
