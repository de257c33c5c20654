// Matrices of integers from -2 to 2, whose products are exact in fp16 and must match bit by bit for
// any order of summation, and their memory on the device.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "kernels/jit/copy_to_device.h"
#include "kernels/jit/cuda_error.h"
#include "model/base/integers.h"

namespace tilecast {

inline constexpr unsigned short kUnwritten = 0x7c00;  // infinity, which these products never are

/// Device memory of exactly the requested size, freed by the destructor.
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t bytes) { TILECAST_CUDA(cudaMalloc(&pointer_, bytes)); }
  ~DeviceArray() { (void)cudaFree(pointer_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  template <class T>
  void fill(const std::vector<T>& from) {
    copy_to_device(pointer_, std::span(from));
  }
  template <class T>
  std::vector<T> read(std::size_t count) const {
    std::vector<T> to(count);
    TILECAST_CUDA(cudaMemcpy(to.data(), pointer_, count * sizeof(T), cudaMemcpyDefault));
    return to;
  }
  void* get() const { return pointer_; }

 private:
  void* pointer_ = nullptr;
};

/// An integer from -2048 to 2048 as fp16.
inline unsigned short fp16_bits(int value) {
  if (value == 0) {
    return 0;
  }
  const int magnitude = std::abs(value);
  const int exponent = std::ilogb(magnitude);
  const int mantissa = (magnitude << 10 >> exponent) & 0x3ff;
  return static_cast<unsigned short>((value < 0 ? 0x8000 : 0) | (exponent + 15) << 10 | mantissa);
}

/// A negative alpha turns fp32 zeros into negative ones; integers have one zero.
inline std::vector<unsigned short> without_signed_zeros(std::vector<unsigned short> bits) {
  constexpr unsigned short kNegativeZero = 0x8000;
  std::replace(bits.begin(), bits.end(), kNegativeZero, static_cast<unsigned short>(0));
  return bits;
}

/// From -2 to 2, depending on the index.
inline int value_at(std::size_t index, std::size_t salt) {
  const std::size_t mixed = (index * 2654435761u + salt * 40503u) % 4294967291u;
  return static_cast<int>(mixed / 65536 % 5) - 2;
}

inline std::vector<int> make_values(i64 count, std::size_t salt) {
  std::vector<int> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = value_at(i, salt);
  }
  return values;
}

inline std::vector<unsigned short> as_fp16(const std::vector<int>& values) {
  std::vector<unsigned short> bits;
  for (const int value : values) {
    bits.push_back(fp16_bits(value));
  }
  return bits;
}

}  // namespace tilecast
