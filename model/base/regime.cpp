#include "model/base/regime.h"

#include "model/base/words.h"

namespace tilecast {
namespace {

constexpr Words<Regime, 2> kRegimes{{{Regime::kBurst, "burst"}, {Regime::kSustained, "sustained"}}};
constexpr Words<Inputs, 4> kInputs{{{Inputs::kNormal, "normal"},
                                    {Inputs::kUniform, "uniform"},
                                    {Inputs::kTernary, "ternary"},
                                    {Inputs::kZeros, "zeros"}}};

}  // namespace

std::string_view to_text(Regime regime) { return word_of(kRegimes, regime); }
std::string_view to_text(Inputs inputs) { return word_of(kInputs, inputs); }
Regime parse_regime(std::string_view text) { return value_of(kRegimes, "regime", text); }
Inputs parse_inputs(std::string_view text) { return value_of(kInputs, "inputs", text); }

}  // namespace tilecast
