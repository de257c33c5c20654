// Bit encodings of tcgen05.mma: the instruction descriptor (shape and types) and the shared-memory
// descriptor of an operand. Fields follow the PTX ISA, sections "Instruction descriptor"
// (kind::f16) and "Shared memory descriptor" of tcgen05. Compiled by kernels and host. Checked by:
// tcgen05_descriptor_test.cpp, values computed by hand.
#pragma once

#include "model/base/host_device.h"
#include "model/base/integers.h"
#include "model/gemm/problem/gemm_problem.h"

namespace tilecast::ptx {

/// Describes fp32 accumulators and dense K-major A and B. m counts both CTAs of a pair.
TILECAST_HD constexpr u32 tcgen05_instruction(ElementType type, i32 m, i32 n) {
  constexpr u32 kFp32 = 1u << 4;
  const u32 operand = type == ElementType::kBf16 ? 1 : 0;
  return kFp32 | operand << 7 | operand << 10 | static_cast<u32>(n >> 3) << 17 |
         static_cast<u32>(m >> 4) << 24;
}

/// A K-major operand in rows of 128 bytes with 128-byte swizzle. As in Hopper's descriptor, the low
/// bits contain the start address in units of 16 bytes; version and swizzle are encoded
/// differently.
struct SharedOperand {
  u32 low, high;

  /// `address`: shared-memory address of a row whose index is a multiple of eight.
  TILECAST_HD static constexpr SharedOperand swizzled_128(u32 address) {
    constexpr u32 kInCta = 0x3FFFF;  // in a cluster the address also contains the CTA's rank
    constexpr u32 kUnread = 1;       // leading offset; ignored
    constexpr u32 kEightRows = 8 * 128;
    constexpr u32 kVersion = 1u << 14;     // bit 46
    constexpr u32 kSwizzle128 = 2u << 29;  // bits 61 to 63
    return {(address & kInCta) >> 4 | kUnread << 16, kEightRows >> 4 | kVersion | kSwizzle128};
  }
  TILECAST_HD constexpr SharedOperand moved(u32 bytes) const { return {low + (bytes >> 4), high}; }
  TILECAST_HD constexpr u64 bits() const { return static_cast<u64>(high) << 32 | low; }
};

}  // namespace tilecast::ptx
