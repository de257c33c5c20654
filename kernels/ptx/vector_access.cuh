// Loads and stores of 2 to 16 bytes per thread, in global and shared memory. A value is held in
// 32-bit words; two bytes use the low half of one word.
#pragma once

#include "model/base/integers.h"

namespace tilecast::ptx {

template <int kBytes>
struct Vector {
  static_assert(kBytes == 2 || kBytes == 4 || kBytes == 8 || kBytes == 16, "bytes of one access");
  static constexpr int kWords = kBytes < 4 ? 1 : kBytes / 4;
  u32 word[kWords];
};

// One instruction per width; `suffix` and `operand` add the cache hint.
#define TILECAST_LOAD(space, suffix, constraint, ...)                                 \
  if constexpr (kBytes == 2) {                                                        \
    unsigned short half;                                                              \
    asm volatile("ld." space ".u16 %0, [%1]" suffix(2) ";"                            \
                 : "=h"(half)                                                         \
                 : constraint(address) __VA_ARGS__                                    \
                 : "memory");                                                         \
    v.word[0] = half;                                                                 \
  } else if constexpr (kBytes == 4) {                                                 \
    asm volatile("ld." space ".u32 %0, [%1]" suffix(2) ";"                            \
                 : "=r"(v.word[0])                                                    \
                 : constraint(address) __VA_ARGS__                                    \
                 : "memory");                                                         \
  } else if constexpr (kBytes == 8) {                                                 \
    asm volatile("ld." space ".v2.u32 {%0, %1}, [%2]" suffix(3) ";"                   \
                 : "=r"(v.word[0]), "=r"(v.word[1])                                   \
                 : constraint(address) __VA_ARGS__                                    \
                 : "memory");                                                         \
  } else {                                                                            \
    asm volatile("ld." space ".v4.u32 {%0, %1, %2, %3}, [%4]" suffix(5) ";"           \
                 : "=r"(v.word[0]), "=r"(v.word[1]), "=r"(v.word[2]), "=r"(v.word[3]) \
                 : constraint(address) __VA_ARGS__                                    \
                 : "memory");                                                         \
  }
#define TILECAST_STORE(space, suffix, constraint, ...)                                             \
  if constexpr (kBytes == 2) {                                                                     \
    asm volatile("st." space ".u16 [%0], %1" suffix(2) ";" ::constraint(address),                  \
                 "h"(static_cast<unsigned short>(v.word[0]))__VA_ARGS__                            \
                 : "memory");                                                                      \
  } else if constexpr (kBytes == 4) {                                                              \
    asm volatile("st." space ".u32 [%0], %1" suffix(2) ";" ::constraint(address),                  \
                 "r"(v.word[0])__VA_ARGS__                                                         \
                 : "memory");                                                                      \
  } else if constexpr (kBytes == 8) {                                                              \
    asm volatile("st." space ".v2.u32 [%0], {%1, %2}" suffix(3) ";" ::constraint(address),         \
                 "r"(v.word[0]), "r"(v.word[1])__VA_ARGS__                                         \
                 : "memory");                                                                      \
  } else {                                                                                         \
    asm volatile("st." space ".v4.u32 [%0], {%1, %2, %3, %4}" suffix(5) ";" ::constraint(address), \
                 "r"(v.word[0]), "r"(v.word[1]), "r"(v.word[2]), "r"(v.word[3])__VA_ARGS__         \
                 : "memory");                                                                      \
  }
#define TILECAST_NO_HINT(place) ""
#define TILECAST_HINT(place) ", %" #place

/// Loads bypassing L1, which does not help streaming access.
template <int kBytes, bool kHinted>
__device__ __forceinline__ Vector<kBytes> load_global(const void* address, u64 policy) {
  Vector<kBytes> v;
  if constexpr (kHinted) {
    TILECAST_LOAD("global.L1::no_allocate.L2::cache_hint", TILECAST_HINT, "l", , "l"(policy))
  } else {
    TILECAST_LOAD("global.L1::no_allocate", TILECAST_NO_HINT, "l")
  }
  return v;
}

template <int kBytes, bool kHinted>
__device__ __forceinline__ void store_global(void* address, const Vector<kBytes>& v, u64 policy) {
  if constexpr (kHinted) {
    TILECAST_STORE("global.L2::cache_hint", TILECAST_HINT, "l", , "l"(policy))
  } else {
    TILECAST_STORE("global", TILECAST_NO_HINT, "l")
  }
}

template <int kBytes>
__device__ __forceinline__ Vector<kBytes> load_shared(u32 address) {
  Vector<kBytes> v;
  TILECAST_LOAD("shared", TILECAST_NO_HINT, "r")
  return v;
}

template <int kBytes>
__device__ __forceinline__ void store_shared(u32 address, const Vector<kBytes>& v) {
  TILECAST_STORE("shared", TILECAST_NO_HINT, "r")
}

#undef TILECAST_LOAD
#undef TILECAST_STORE
#undef TILECAST_NO_HINT
#undef TILECAST_HINT

}  // namespace tilecast::ptx
