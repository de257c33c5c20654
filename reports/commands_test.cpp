#include "reports/commands.h"

#include "model/tile/kernel_config_text.h"
#include "reports/example_report.h"
#include "tests/catch.h"

using namespace tilecast;

namespace {

ReportInput input() { return example_input({example_row(4, Seconds{180e-6})}); }

const AnyProblem kBf16 = GemmProblem{{64, 128, 256}, ElementType::kBf16, Layout::kNn};

}  // namespace

TEST_CASE("A prediction is asked for with what is not the usual alone") {
  const std::string config = to_text(example_config(4));
  CHECK(predict_command(input(), asked_of(example_row(4, Seconds{180e-6}))) ==
        "./tilecast predict 4096x4096x4096 --gpu h200_sxm --config " + config);
  CHECK(predict_command(input(), {kBf16, config, Regime::kSustained, Inputs::kZeros}, " --top 1") ==
        "./tilecast predict 64x128x256 --dtype bf16 --layout nn --gpu h200_sxm --regime sustained "
        "--inputs zeros --config " +
            config + " --top 1");
}

TEST_CASE("A copy is not a GEMM: its op is named") {
  const AnyProblem add = parse_problem(Op::kElementwiseAdd, "8x16", ElementType::kFp32, {});
  CHECK(predict_command_on("gb200", {add, "c"}) ==
        "./tilecast predict 8x16 --op elementwise_add --dtype fp32 --gpu gb200 --config c");
}

TEST_CASE("Measuring names what L2 holds, which a prediction does not know") {
  Asked asked{kBf16, "cublaslt:top1"};
  CHECK(measure_command(asked) ==
        "./tilecast measure 64x128x256 --dtype bf16 --layout nn --config cublaslt:top1 --out CSV");
  asked.l2_state = L2State::kWarm;
  CHECK(measure_command(asked).find(" --l2 warm ") != std::string::npos);
}
