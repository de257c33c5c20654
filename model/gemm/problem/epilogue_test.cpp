#include "model/gemm/problem/epilogue.h"

#include "model/base/error.h"
#include "tests/catch.h"

using namespace tilecast;

TEST_CASE("An epilogue's text says what it does in order, and reads back") {
  CHECK(to_text(Epilogue{}) == "none");
  CHECK(to_text(Epilogue{Bias::kPerColumn, Activation::kGelu}) == "bias_n+gelu");
  CHECK(to_text(Epilogue{Bias::kPerRow, Activation::kNone}) == "bias_m");
  CHECK(to_text(parse_epilogue("Bias_N+GELU")) == "bias_n+gelu");
  CHECK(to_text(parse_epilogue("None")) == "none");
  CHECK(to_text(Epilogue{Bias::kNone, Activation::kGeluTanh}) == "gelu_tanh");
  CHECK(to_text(parse_epilogue("Scale_Row+bias_n+gelu")) == "scale_row+bias_n+gelu");
  CHECK(to_text(parse_epilogue("bias_n+Residual")) == "bias_n+residual");
  CHECK(to_text(parse_epilogue("scale_tensor+silu+residual+amax+scale_c")) ==
        "scale_tensor+silu+residual+amax+scale_c");
  for (const Bias bias : {Bias::kNone, Bias::kPerRow, Bias::kPerColumn}) {
    for (const Activation activation : {Activation::kNone, Activation::kRelu, Activation::kGelu,
                                        Activation::kGeluTanh, Activation::kSilu}) {
      for (const Scales scales : {Scales::kNone, Scales::kTensor, Scales::kRow, Scales::kBlock}) {
        const Epilogue epilogue{bias, activation, scales};
        CHECK(parse_epilogue(to_text(epilogue)) == epilogue);
        CHECK(fuses(epilogue) == (to_text(epilogue) != "none"));
      }
    }
  }
}

TEST_CASE("A text that is no epilogue is refused with the words that there are") {
  for (const char* text :
       {"", "nothing", "bias", "gelu+bias_n", "bias_n+bias_m", "bias_n+bias_n", "bias_n+scale_row",
        "scale_row+scale_block", "scale", "relu+gelu", "bias_n+", "+gelu", "bias_n+none",
        "bias_n gelu", "residual+gelu", "scale_c+amax", "swiglu+gelu", "residual+residual"}) {
    INFO(text);
    CHECK_THROWS_AS(parse_epilogue(text), ConfigError);
  }
  try {
    (void)parse_epilogue("bias_n+gelo");
    FAIL("gelo is no activation");
  } catch (const ConfigError& error) {
    CHECK(std::string(error.what()) ==
          "epilogue 'bias_n+gelo': expected one of none, scale_tensor, scale_row, scale_block, "
          "bias_m, bias_n, relu, gelu, gelu_tanh, silu, swiglu, geglu, residual, amax, scale_c, or "
          "several of them in this order, such as bias_n+gelu; did you mean gelu?");
  }
}

TEST_CASE("Every word is listed, and is an epilogue of its own") {
  CHECK(epilogue_words().size() == 14);
  for (const EpilogueWord& word : epilogue_words()) {
    CHECK(to_text(parse_epilogue(word.word)) == word.word);
  }
}

TEST_CASE("A gate activates one of two columns") {
  CHECK(gates({Bias::kNone, Activation::kSwiglu}));
  CHECK(gates({Bias::kNone, Activation::kGeglu}));
  CHECK_FALSE(gates({Bias::kNone, Activation::kSilu}));
  CHECK(gate_of(Activation::kSwiglu) == Activation::kSilu);
  CHECK(gate_of(Activation::kGeglu) == Activation::kGelu);
  CHECK(gate_of(Activation::kRelu) == Activation::kRelu);
}

TEST_CASE("A bias has an element for each row or each column") {
  CHECK(bias_elements(Bias::kNone, 300, 200) == 0);
  CHECK(bias_elements(Bias::kPerRow, 300, 200) == 300);
  CHECK(bias_elements(Bias::kPerColumn, 300, 200) == 200);
}
