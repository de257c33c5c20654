#include "model/tile/epilogue.h"

#include "model/base/words.h"

namespace tilecast {
namespace {

constexpr std::string_view kNone = "none";

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
                    ", or a bias and an activation such as bias_n+gelu" +
                    did_you_mean(part, known));
}

}  // namespace

const std::vector<EpilogueWord>& epilogue_words() {
  static const std::vector<EpilogueWord> words{
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
  std::string text;
  if (epilogue.bias != Bias::kNone) {
    text = word_of(kBiases, epilogue.bias);
  }
  if (epilogue.activation != Activation::kNone) {
    text += text.empty() ? "" : "+";
    text += word_of(kActivations, epilogue.activation);
  }
  return text;
}

Epilogue parse_epilogue(std::string_view text) {
  Epilogue epilogue{};
  if (lower_case(text) == kNone) {
    return epilogue;
  }
  for (const std::string_view part : split(text, '+')) {
    const std::optional<Bias> bias = find_value(kBiases, part);
    const std::optional<Activation> activation = find_value(kActivations, part);
    if (bias && !fuses(epilogue)) {
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
