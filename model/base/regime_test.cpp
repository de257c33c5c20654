#include "model/base/regime.h"

#include <string>

#include "tests/catch.h"
#include "tests/error_message.h"

namespace tilecast {
namespace {

TEST_CASE("Regimes and inputs are printed as they are parsed") {
  for (const Regime regime : {Regime::kBurst, Regime::kSustained}) {
    CHECK(parse_regime(to_text(regime)) == regime);
  }
  for (const Inputs inputs :
       {Inputs::kNormal, Inputs::kUniform, Inputs::kTernary, Inputs::kZeros}) {
    CHECK(parse_inputs(to_text(inputs)) == inputs);
  }
  CHECK(to_text(Regime::kSustained) == "sustained");
  CHECK(to_text(Inputs::kTernary) == "ternary");
}

TEST_CASE("An unknown regime or input lists the known ones") {
  CHECK(error_message([] { parse_regime("brust"); }) ==
        "2 unknown regime 'brust': expected one of burst, sustained; did you mean burst?");
  CHECK(error_message([] { parse_inputs("ones"); })
            .starts_with("2 unknown inputs 'ones': expected one of normal, uniform, ternary, "
                         "zeros"));
}

}  // namespace
}  // namespace tilecast
