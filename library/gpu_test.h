// Helpers for tests of the library on a device: memory, random matrices and an fp64 reference,
// using only tilecast's public headers.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime_api.h>
#include <tilecast/tilecast.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <stdexcept>
#include <vector>

namespace tilecast {

inline void check_cuda(cudaError_t error) {
  if (error != cudaSuccess) {
    throw std::runtime_error(cudaGetErrorString(error));
  }
}

/// Ends the program with CTest's skip code and a message if there is no Hopper GPU.
inline void hopper_or_skip() {
  int count = 0, major = 0;
  const bool found =
      cudaGetDeviceCount(&count) == cudaSuccess && count > 0 &&
      cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0) == cudaSuccess;
  if (!found || major != 9) {
    constexpr int kCtestSkip = 77;
    std::printf("skipped: no Hopper GPU\n");
    std::fflush(stdout);
    std::_Exit(kCtestSkip);
  }
}

class DeviceBytes {
 public:
  explicit DeviceBytes(std::size_t bytes) : bytes_(bytes) {
    if (bytes > 0) {
      check_cuda(cudaMalloc(&pointer_, bytes));
    }
  }
  template <class T>
  explicit DeviceBytes(const std::vector<T>& elements) : DeviceBytes(elements.size() * sizeof(T)) {
    fill(elements);
  }
  ~DeviceBytes() { (void)cudaFree(pointer_); }
  DeviceBytes(const DeviceBytes&) = delete;
  DeviceBytes& operator=(const DeviceBytes&) = delete;

  template <class T>
  void fill(const std::vector<T>& elements) const {
    check_cuda(
        cudaMemcpy(pointer_, elements.data(), elements.size() * sizeof(T), cudaMemcpyHostToDevice));
  }
  template <class T>
  std::vector<T> read() const {
    std::vector<T> elements(bytes_ / sizeof(T));
    check_cuda(cudaMemcpy(elements.data(), pointer_, bytes_, cudaMemcpyDeviceToHost));
    return elements;
  }
  void* get() const { return pointer_; }
  std::size_t size() const { return bytes_; }

 private:
  void* pointer_ = nullptr;
  std::size_t bytes_;
};

class TestStream {
 public:
  TestStream() { check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  ~TestStream() { (void)cudaStreamDestroy(stream_); }
  TestStream(const TestStream&) = delete;
  TestStream& operator=(const TestStream&) = delete;

  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

inline bool is_fp8(int type) { return type == TILECAST_E4M3 || type == TILECAST_E5M2; }

inline __nv_fp8_interpretation_t fp8_of(int type) {
  return type == TILECAST_E4M3 ? __NV_E4M3 : __NV_E5M2;
}

/// Type of a problem's C.
inline int c_type(const tilecast_problem& p) {
  return p.type_c != 0 ? p.type_c : is_fp8(p.type) ? TILECAST_BF16 : p.type;
}

inline std::uint16_t to_bits(double value, int type) {
  if (is_fp8(type)) {
    return __nv_cvt_float_to_fp8(static_cast<float>(value), __NV_SATFINITE, fp8_of(type));
  }
  return type == TILECAST_FP16 ? __half_as_ushort(__float2half(static_cast<float>(value)))
                               : __bfloat16_as_ushort(__float2bfloat16(static_cast<float>(value)));
}

inline double from_bits(std::uint16_t bits, int type) {
  if (is_fp8(type)) {
    const __half_raw half =
        __nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(bits), fp8_of(type));
    return static_cast<double>(__half2float(__half(half)));
  }
  return type == TILECAST_FP16 ? static_cast<double>(__half2float(__ushort_as_half(bits)))
                               : static_cast<double>(__bfloat162float(__ushort_as_bfloat16(bits)));
}

/// Layout of an operand's matrices in memory, in elements.
struct Matrices {
  std::int64_t rows, columns, row_stride;
  std::int64_t count, stride;  // number of matrices, and stride between them

  /// `stride` is as in tilecast_problem; a `row_stride` of 0 means contiguous rows.
  static Matrices of(std::int64_t rows, std::int64_t columns, std::int64_t row_stride,
                     std::int64_t products, std::int64_t stride) {
    const std::int64_t row = row_stride == 0 ? columns : row_stride;
    const bool shared = stride == TILECAST_SHARED;
    return {rows, columns, row, shared ? 1 : products,
            shared        ? 0
            : stride == 0 ? rows * row
                          : stride};
  }

  std::size_t at(std::int64_t product, std::int64_t row, std::int64_t column) const {
    return static_cast<std::size_t>(product * stride + row * row_stride + column);
  }
};

/// Draws normal(0, 1) values, with NaN between rows and between matrices.
inline std::vector<std::uint16_t> normal_matrices(const Matrices& where, int type,
                                                  std::mt19937& draw) {
  std::normal_distribution<double> normal;
  std::vector<std::uint16_t> all(where.at(where.count - 1, where.rows, 0), 0xffff);
  for (std::int64_t product = 0; product < where.count; ++product) {
    for (std::int64_t row = 0; row < where.rows; ++row) {
      for (std::int64_t column = 0; column < where.columns; ++column) {
        all[where.at(product, row, column)] = to_bits(normal(draw), type);
      }
    }
  }
  return all;
}

/// Packs values as they are in memory: one byte per fp8 element, two for other types.
inline std::vector<unsigned char> packed(const std::vector<std::uint16_t>& matrix, int type) {
  std::vector<unsigned char> bytes;
  for (const std::uint16_t bits : matrix) {
    bytes.push_back(static_cast<unsigned char>(bits));
    if (!is_fp8(type)) {
      bytes.push_back(static_cast<unsigned char>(bits >> 8));
    }
  }
  return bytes;
}

/// Activation in fp64, independent of the library's implementation.
inline double activated(int activation, double x) {
  switch (activation) {
    case TILECAST_RELU:
      return x < 0 ? 0 : x;
    case TILECAST_GELU:
      return x / 2 * (1 + std::erf(x / std::sqrt(2.0)));
    case TILECAST_GELU_TANH:
      return x / 2 * (1 + std::tanh(std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x)));
    case TILECAST_SILU:
      return x / (1 + std::exp(-x));
    default:
      return x;
  }
}

inline bool rows_of_a_are_of_k(std::int32_t layout) {
  return layout == TILECAST_TN || layout == TILECAST_NN;
}
inline bool rows_of_b_are_of_k(std::int32_t layout) {
  return layout == TILECAST_TN || layout == TILECAST_TT;
}

/// Data of one problem: operands on host and device, C before the run, and the expected C.
struct Sample {
  Sample(const tilecast_problem& of, float with_alpha, float with_beta, std::mt19937& draw)
      : problem(of),
        alpha(with_alpha),
        beta(with_beta),
        products(std::max<std::int64_t>(1, of.batch)),
        a_matrices(rows_of_a_are_of_k(of.layout)
                       ? Matrices::of(of.m, of.k, of.lda, products, of.stride_a)
                       : Matrices::of(of.k, of.m, of.lda, products, of.stride_a)),
        b_matrices(rows_of_b_are_of_k(of.layout)
                       ? Matrices::of(of.n, of.k, of.ldb, products, of.stride_b)
                       : Matrices::of(of.k, of.n, of.ldb, products, of.stride_b)),
        c_matrices(Matrices::of(of.m, of.n, of.ldc, products, of.stride_c)),
        a_host(normal_matrices(a_matrices, of.type, draw)),
        b_host(normal_matrices(b_matrices, of.type, draw)),
        c_host(normal_matrices(c_matrices, c_type(of), draw)),
        bias_host(
            normal_matrices(Matrices::of(1, std::max(of.m, of.n), 0, 1, 0), c_type(of), draw)),
        // Maximum number of scales of rows or blocks, drawn from 1 to 2.
        scales_host(static_cast<std::size_t>((of.k / 128 + 8) * (std::max(of.m, of.n) + 32))),
        scales(sizeof(float) * scales_host.size()),
        a(packed(a_host, of.type)),
        b(packed(b_host, of.type)),
        c(2 * c_host.size()),
        bias(bias_host) {
    for (float& scale : scales_host) {
      scale = std::uniform_real_distribution<float>(1, 2)(draw);
    }
    scales.fill(scales_host);
    reset();
    compute();
  }

  /// Sets C to the residual if there is one, or to poison if C is not read.
  void reset() {
    if (beta == 0 && problem.residual == 0) {
      check_cuda(cudaMemset(c.get(), 0xff, c.size()));
    } else {
      c.fill(c_host);
    }
    check_cuda(cudaDeviceSynchronize());
  }

  tilecast_arguments arguments(void* workspace, std::size_t bytes) const {
    tilecast_arguments result = TILECAST_ARGUMENTS_INIT;
    result.a = a.get();
    result.b = b.get();
    result.c = c.get();
    result.alpha = alpha;
    result.beta = beta;
    result.bias = problem.bias == TILECAST_BIAS_NONE ? nullptr : bias.get();
    result.residual = problem.residual == 0 ? nullptr : c.get();
    // B's scales follow the first of A's scales, and may overlap them.
    if (problem.scales != TILECAST_SCALES_NONE) {
      result.scale_a = static_cast<const float*>(scales.get());
      result.scale_b = result.scale_a + 1;
    }
    result.workspace = workspace;
    result.workspace_bytes = bytes;
    return result;
  }

  /// Counts the elements of C that differ from fp64 by more than the rounding of C and of fp32
  /// sums, and the elements between C's matrices that were overwritten.
  std::size_t wrong(cudaStream_t stream) const {
    std::vector<std::uint16_t> got(c_host.size());
    check_cuda(cudaMemcpyAsync(got.data(), c.get(), c.size(), cudaMemcpyDeviceToHost, stream));
    check_cuda(cudaStreamSynchronize(stream));
    std::size_t count = 0;
    for (std::size_t i = 0; i < got.size(); ++i) {
      const double error = std::abs(from_bits(got[i], c_type(problem)) - expected[i]);
      const bool right = tolerance[i] == kBetween ? got[i] == 0xffff : error <= tolerance[i];
      count += right ? 0 : 1;  // also counts NaN
    }
    return count;
  }

  tilecast_problem problem;
  float alpha, beta;
  std::int64_t products;
  Matrices a_matrices, b_matrices, c_matrices;
  std::vector<std::uint16_t> a_host, b_host, c_host, bias_host;
  std::vector<float> scales_host;
  DeviceBytes scales, a, b, c, bias;
  std::vector<double> expected, tolerance;

 private:
  static constexpr double kBetween = -1;  // tolerance that marks padding between matrices

  /// Scale of the product of two elements.
  double scale_at(std::int64_t m, std::int64_t n, std::int64_t k) const {
    const auto at = [&](std::int64_t index) {
      return static_cast<double>(scales_host[static_cast<std::size_t>(index)]);
    };
    const std::int64_t blocks = (problem.k + 127) / 128;
    const std::int64_t a_row =
        problem.ld_scale_a == 0 ? (problem.m + 3) / 4 * 4 : problem.ld_scale_a;
    const std::int64_t b_row = problem.ld_scale_b == 0 ? blocks : problem.ld_scale_b;
    switch (problem.scales) {
      case TILECAST_SCALES_PER_TENSOR:
        return at(0) * at(1);
      case TILECAST_SCALES_PER_ROW:
        return at(m) * at(1 + n);
      case TILECAST_SCALES_PER_BLOCK:
        return at(k / 128 * a_row + m) * at(1 + n / 128 * b_row + k / 128);
      default:
        return 1;
    }
  }

  void compute() {
    const double rounding = c_type(problem) == TILECAST_FP16 ? 0x1p-11 : 0x1p-8;
    // Tolerance relative to the sum of magnitudes, for fp32 accumulation in tensor cores; for fp8,
    // twice the largest measured error.
    const double sums = is_fp8(problem.type) ? 0x1p-10 : 0x1p-18;
    const bool a_along_k = rows_of_a_are_of_k(problem.layout);
    const bool b_along_k = rows_of_b_are_of_k(problem.layout);
    expected.assign(c_host.size(), 0);
    tolerance.assign(c_host.size(), kBetween);
    std::vector<double> x(a_host.size()), y(b_host.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = from_bits(a_host[i], problem.type);
    }
    for (std::size_t i = 0; i < y.size(); ++i) {
      y[i] = from_bits(b_host[i], problem.type);
    }
    for (std::int64_t i = 0; i < products * problem.m * problem.n; ++i) {
      const std::int64_t product = i / problem.n / problem.m;
      const std::int64_t m = i / problem.n % problem.m, n = i % problem.n;
      double sum = 0, magnitude = 0;
      for (std::int64_t k = 0; k < problem.k; ++k) {
        const double term =
            x[a_along_k ? a_matrices.at(product, m, k) : a_matrices.at(product, k, m)] *
            y[b_along_k ? b_matrices.at(product, n, k) : b_matrices.at(product, k, n)] *
            scale_at(m, n, k);
        sum += term;
        magnitude += std::abs(term);
      }
      const std::size_t at = c_matrices.at(product, m, n);
      const double before = beta == 0 ? 0 : beta * from_bits(c_host[at], c_type(problem));
      const double added = problem.bias == TILECAST_BIAS_NONE
                               ? 0
                               : from_bits(bias_host[static_cast<std::size_t>(
                                               problem.bias == TILECAST_BIAS_PER_ROW ? m : n)],
                                           c_type(problem));
      const double before_it = alpha * sum + before + added;
      // No activation is steeper than 1.13; GELU and SiLU are within the bound in tilecast.h.
      constexpr double kSteepest = 1.13;
      const double residual = problem.residual == 0 ? 0 : from_bits(c_host[at], c_type(problem));
      expected[at] = activated(problem.activation, before_it) + residual;
      tolerance[at] =
          rounding * std::abs(expected[at]) + sums * std::abs(residual) +
          kSteepest * sums * (std::abs(alpha) * magnitude + std::abs(before) + std::abs(added)) +
          (problem.activation > TILECAST_RELU ? 0x1p-12 * std::abs(before_it) + 0x1p-15 : 0);
    }
  }
};

}  // namespace tilecast
