// What becomes of a GEMM's sums before they are rounded to C:
//   C = scale_c * (activation(scaled A B + bias) + R), in fp32, R a matrix like C, or C itself.
// Integers and enums only; compiled by the host compiler, nvcc and NVRTC.
//
// As text "none", or what is asked for in the order in which it is done, joined by "+": "bias_n",
// "gelu", "bias_n+gelu", "scale_row+bias_n+gelu", "bias_n+residual".
// Checked by: epilogue_test.cpp.
#pragma once

#ifndef __CUDACC_RTC__  // NVRTC has no standard library
#include <string>
#include <string_view>
#include <vector>
#endif

#include "model/base/host_device.h"
#include "model/base/integers.h"

namespace tilecast {

/// Elements of C's type.
enum class Bias : i32 {
  kNone,
  kPerRow,     // bias_m: one for each of the m rows of C
  kPerColumn,  // bias_n: one for each of the n columns
};

enum class Activation : i32 {
  kNone,
  kRelu,
  kGelu,      // x (1 + erf(x / sqrt(2))) / 2
  kGeluTanh,  // x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2
  kSilu,      // x / (1 + exp(-x))
  // Gates: of columns 2j and 2j + 1 of A B, g and v, column j of C.
  kSwiglu,  // silu(g) v
  kGeglu,   // gelu(g) v
};

/// What fp8 operands stand for: their elements times fp32 numbers, which lie on the device.
enum class Scales : i32 {
  kNone,
  kTensor,  // one for A, one for B
  kRow,     // one for each row of A, one for each column of B
  kBlock,   // one for each 128 elements of a row of A, one for each 128 columns x 128 K of B: sums
            // of 128 elements of K are scaled and added up in fp32
};

/// Rows, columns and K of a block that has a scale.
TILECAST_HD consteval i32 scale_block() { return 128; }

struct Epilogue {
  Bias bias;
  Activation activation;
  Scales scales = Scales::kNone;
  bool residual = false;  // adds R
  bool amax = false;      // the largest magnitude of what is scaled by scale_c goes to the device
  bool scale_c = false;   // an fp32 number on the device

  constexpr bool operator==(const Epilogue&) const = default;
};

/// What a gate does to the first of two columns; of what is no gate, itself.
TILECAST_HD constexpr Activation gate_of(Activation activation) {
  return activation == Activation::kSwiglu  ? Activation::kSilu
         : activation == Activation::kGeglu ? Activation::kGelu
                                            : activation;
}
/// C has half as many columns as A B.
TILECAST_HD constexpr bool gates(const Epilogue& epilogue) {
  return gate_of(epilogue.activation) != epilogue.activation;
}

TILECAST_HD constexpr bool fuses(const Epilogue& epilogue) { return epilogue != Epilogue{}; }

/// The part that is done in the main loop already.
TILECAST_HD constexpr Epilogue in_main_loop(const Epilogue& epilogue) {
  Epilogue part{};
  part.scales = epilogue.scales == Scales::kBlock ? Scales::kBlock : Scales::kNone;
  return part;
}
TILECAST_HD constexpr bool has_block_scales(const Epilogue& epilogue) {
  return epilogue.scales == Scales::kBlock;
}

/// Elements of the bias of an m x n result.
TILECAST_HD constexpr i64 bias_elements(Bias bias, i64 m, i64 n) {
  return bias == Bias::kPerRow ? m : bias == Bias::kPerColumn ? n : 0;
}

#ifndef __CUDACC_RTC__
std::string to_text(const Epilogue& epilogue);
/// Inverse of to_text. Throws ConfigError that lists the known words.
Epilogue parse_epilogue(std::string_view text);

/// Every word but "none", in the order in which they are written, and what it stands for.
struct EpilogueWord {
  std::string_view word, meaning;
};
const std::vector<EpilogueWord>& epilogue_words();
#endif

}  // namespace tilecast
