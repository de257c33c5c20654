#include "model/gemm/problem/epilogue.h"

#include "model/base/words.h"

namespace tilecast {
namespace {

constexpr std::string_view kNone = "none";

constexpr Words<Scales, 3> kScales{{{Scales::kTensor, "scale_tensor"},
                                    {Scales::kRow, "scale_row"},
                                    {Scales::kBlock, "scale_block"}}};
constexpr Words<Bias, 2> kBiases{{{Bias::kPerRow, "bias_m"}, {Bias::kPerColumn, "bias_n"}}};
constexpr Words<Activation, 6> kActivations{{{Activation::kRelu, "relu"},
                                             {Activation::kGelu, "gelu"},
                                             {Activation::kGeluTanh, "gelu_tanh"},
                                             {Activation::kSilu, "silu"},
                                             {Activation::kSwiglu, "swiglu"},
                                             {Activation::kGeglu, "geglu"}}};
constexpr std::string_view kResidual = "residual", kAmax = "amax", kScaleC = "scale_c";

[[noreturn]] void unknown(std::string_view text, std::string_view part) {
  std::vector<std::string> known{std::string(kNone)};
  for (const EpilogueWord& word : epilogue_words()) {
    known.emplace_back(word.word);
  }
  throw ConfigError("epilogue '" + on_one_line(text) + "': expected one of " + join(known, ", ") +
                    ", or several of them in this order, such as bias_n+gelu" +
                    did_you_mean(part, known));
}

}  // namespace

const std::vector<EpilogueWord>& epilogue_words() {
  static const std::vector<EpilogueWord> words{
      {"scale_tensor", "multiplies fp8 sums by a number of A and one of B"},
      {"scale_row", "multiplies fp8 sums by a number of A's row and one of B's column"},
      {"scale_block", "fp8 sums of 128 K, times a number of A's row and one of 128 columns of B"},
      {"bias_m", "adds to each row of C its element of a vector of M"},
      {"bias_n", "adds to each column of C its element of a vector of N"},
      {"relu", "max(x, 0)"},
      {"gelu", "x (1 + erf(x / sqrt(2))) / 2"},
      {"gelu_tanh", "x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2"},
      {"silu", "x / (1 + exp(-x))"},
      {"swiglu", "silu of column 2j of A B, times column 2j + 1: column j of C"},
      {"geglu", "likewise with gelu"},
      {kResidual, "adds a matrix like C, which may be C itself"},
      {kAmax, "finds the largest magnitude of the result, an fp32 number on the device"},
      {kScaleC, "multiplies the result by an fp32 number on the device, before it is fp8"},
  };
  return words;
}

std::string to_text(const Epilogue& epilogue) {
  if (!fuses(epilogue)) {
    return std::string(kNone);
  }
  std::vector<std::string> parts;
  if (epilogue.scales != Scales::kNone) {
    parts.emplace_back(word_of(kScales, epilogue.scales));
  }
  if (epilogue.bias != Bias::kNone) {
    parts.emplace_back(word_of(kBiases, epilogue.bias));
  }
  if (epilogue.activation != Activation::kNone) {
    parts.emplace_back(word_of(kActivations, epilogue.activation));
  }
  for (const auto& [asked, word] : {std::pair{epilogue.residual, kResidual},
                                    {epilogue.amax, kAmax},
                                    {epilogue.scale_c, kScaleC}}) {
    if (asked) {
      parts.emplace_back(word);
    }
  }
  return join(parts, "+");
}

Epilogue parse_epilogue(std::string_view text) {
  Epilogue epilogue{};
  if (lower_case(text) == kNone) {
    return epilogue;
  }
  int done = 0;  // steps, in their order
  for (const std::string_view part : split(text, '+')) {
    const std::optional<Scales> scales = find_value(kScales, part);
    const std::optional<Bias> bias = find_value(kBiases, part);
    const std::optional<Activation> activation = find_value(kActivations, part);
    const std::string word = lower_case(part);
    const bool residual = word == kResidual, amax = word == kAmax, scale_c = word == kScaleC;
    const int step = scales       ? 1
                     : bias       ? 2
                     : activation ? 3
                     : residual   ? 4
                     : amax       ? 5
                     : scale_c    ? 6
                                  : 0;
    if (step <= done) {
      unknown(text, part);
    }
    done = step;
    epilogue.scales = scales.value_or(epilogue.scales);
    epilogue.bias = bias.value_or(epilogue.bias);
    epilogue.activation = activation.value_or(epilogue.activation);
    epilogue.residual |= residual;
    epilogue.amax |= amax;
    epilogue.scale_c |= scale_c;
  }
  return epilogue;
}

}  // namespace tilecast
