#include "model/tile/epilogue.h"

#include "model/base/words.h"

namespace tilecast {
namespace {

constexpr std::string_view kNone = "none";

constexpr Words<Scales, 3> kScales{{{Scales::kTensor, "scale_tensor"},
                                    {Scales::kRow, "scale_row"},
                                    {Scales::kBlock, "scale_block"}}};
constexpr Words<Bias, 2> kBiases{{{Bias::kPerRow, "bias_m"}, {Bias::kPerColumn, "bias_n"}}};
constexpr Words<Activation, 4> kActivations{{{Activation::kRelu, "relu"},
                                             {Activation::kGelu, "gelu"},
                                             {Activation::kGeluTanh, "gelu_tanh"},
                                             {Activation::kSilu, "silu"}}};

[[noreturn]] void unknown(std::string_view text, std::string_view part) {
  std::vector<std::string> known{std::string(kNone)};
  for (const EpilogueWord& word : epilogue_words()) {
    known.emplace_back(word.word);
  }
  throw ConfigError("epilogue '" + on_one_line(text) + "': expected one of " + join(known, ", ") +
                    ", or scales, a bias and an activation such as bias_n+gelu" +
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
  return join(parts, "+");
}

Epilogue parse_epilogue(std::string_view text) {
  Epilogue epilogue{};
  if (lower_case(text) == kNone) {
    return epilogue;
  }
  for (const std::string_view part : split(text, '+')) {
    const std::optional<Scales> scales = find_value(kScales, part);
    const std::optional<Bias> bias = find_value(kBiases, part);
    const std::optional<Activation> activation = find_value(kActivations, part);
    if (scales && !fuses(epilogue)) {
      epilogue.scales = *scales;
    } else if (bias && epilogue.bias == Bias::kNone && epilogue.activation == Activation::kNone) {
      epilogue.bias = *bias;
    } else if (activation && epilogue.activation == Activation::kNone) {
      epilogue.activation = *activation;
    } else {
      unknown(text, part);
    }
  }
  return epilogue;
}

}  // namespace tilecast
