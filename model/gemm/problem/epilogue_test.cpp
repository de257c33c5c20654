#include "model/gemm/problem/epilogue.h"

#include "model/base/error.h"
#include "tests/catch.h"
#include "tests/error_message.h"

using namespace tilecast;

TEST_CASE("An epilogue's text lists its steps in order, and is parsed back") {
  CHECK(to_text(Epilogue{}) == "none");
  CHECK(to_text(Epilogue{step<BiasN>(), step<Gelu>()}) == "bias_n+gelu");
  CHECK(to_text(Epilogue{step<BiasM>()}) == "bias_m");
  CHECK(to_text(parse_epilogue("Bias_N+GELU")) == "bias_n+gelu");
  CHECK(to_text(parse_epilogue("None")) == "none");
  CHECK(to_text(Epilogue{step<GeluTanh>()}) == "gelu_tanh");
  CHECK(to_text(parse_epilogue("Scale_Row+bias_n+gelu")) == "scale_row+bias_n+gelu");
  CHECK(to_text(parse_epilogue("bias_n+Residual")) == "bias_n+residual");
  CHECK(to_text(parse_epilogue("scale_tensor+silu+residual+amax+scale_c")) ==
        "scale_tensor+silu+residual+amax+scale_c");
  const auto or_none = [](OutputKind kind) {
    std::vector<OutputStep> steps = steps_of(kind);
    steps.push_back({});
    return steps;
  };
  for (const OutputStep bias : or_none(OutputKind::kBias)) {
    for (const OutputStep activation : or_none(OutputKind::kActivate)) {
      for (const OutputStep scales : or_none(OutputKind::kScale)) {
        const Epilogue epilogue{bias, activation, scales};
        CHECK(parse_epilogue(to_text(epilogue)) == epilogue);
        CHECK(Epilogue::of_number(epilogue.number()) == epilogue);
        CHECK(fuses(epilogue) == (to_text(epilogue) != "none"));
      }
    }
  }
}

TEST_CASE("The error for an invalid epilogue lists the known steps") {
  for (const char* text :
       {"", "nothing", "bias", "gelu+bias_n", "bias_n+bias_m", "bias_n+bias_n", "bias_n+scale_row",
        "scale_row+scale_block", "scale", "relu+gelu", "bias_n+", "+gelu", "bias_n+none",
        "bias_n gelu", "residual+gelu", "scale_c+amax", "swiglu+gelu", "residual+residual"}) {
    INFO(text);
    CHECK_THROWS_AS(parse_epilogue(text), ConfigError);
  }
  CHECK(ERROR_MESSAGE(parse_epilogue("bias_n+gelo")) ==
        "2 epilogue 'bias_n+gelo': expected one of none, " + words_of(OutputKind::kScale) +
            ", bias_m, bias_n, " + words_of(OutputKind::kActivate) + ", " +
            words_of(OutputKind::kLoad) +
            ", amax, scale_c, or several of them in this order, such as bias_n+gelu; did you mean "
            "gelu?");
}

TEST_CASE("Every word is listed, and is a valid epilogue") {
  CHECK(words_of(OutputKind::kScale) == "scale_tensor, scale_row, scale_block");
  for (const StepRow& step : output_steps()) {
    CHECK(to_text(parse_epilogue(step.word)) == step.word);
  }
}

TEST_CASE("The error for steps in another order gives the order") {
  CHECK(ERROR_MESSAGE(parse_epilogue("gelu+bias_n")) ==
        "2 epilogue 'gelu+bias_n': expected one step of a kind, in the order bias_n+gelu");
  CHECK(ERROR_MESSAGE(parse_epilogue("residual+silu+gelu")) ==
        "2 epilogue 'residual+silu+gelu': expected one step of a kind, in the order gelu+residual");
  CHECK(ERROR_MESSAGE(parse_epilogue("bias+gelu")) ==
        "2 epilogue 'bias+gelu': expected bias_n, one value per column as nn.Linear's, or bias_m, "
        "one per row");
}

TEST_CASE("A gate activates one of each two columns") {
  CHECK(gates({step<Swiglu>()}));
  CHECK(gates({step<Geglu>()}));
  CHECK_FALSE(gates({step<Silu>()}));
}

TEST_CASE("A bias has one element per row or per column") {
  CHECK(bias_elements({}, 300, 200) == 0);
  CHECK(bias_elements({step<BiasM>(), step<Gelu>()}, 300, 200) == 300);
  CHECK(bias_elements({step<BiasN>()}, 300, 200) == 200);
}
