#include "validate/compare/ladder_table.h"

#include "tests/catch.h"
#include "tests/error_message.h"
#include "validate/compare/example_points.h"

namespace tilecast {
namespace {

GpuSpec example_gpu() {
  GpuSpec gpu{};
  gpu.name = "h200_sxm";
  gpu.product = "NVIDIA H200";
  gpu.sm.count = 132;
  gpu.wgmma = WgmmaSpec{};
  gpu.wgmma->flops_per_sm = FlopsPerCycle{4096};
  return gpu;
}

/// Two rungs, the second compared with the first.
Ladder example_ladder() {
  const LadderCounter read{"DRAM read", "GB", 1e9, "dram__read"};
  Ladder ladder;
  ladder.rungs.push_back({"one", example_config(1), std::nullopt, {}});
  ladder.rungs.push_back({"two", example_config(2), 0, {read}});
  return ladder;
}

Measurement sustained_row(i32 stages, Seconds time, Watts power) {
  Measurement row = example_row(stages, time);
  row.point.regime = Regime::kSustained;
  row.power = power;
  return row;
}

std::string tables(const std::vector<Measurement>& rows, const CounterFile& counters = {}) {
  return ladder_tables(example_gpu(), example_ladder(), {example_file(rows)}, counters);
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("A rung's row holds both regimes, its energy and the changes against another rung") {
  const CounterFile counters = CounterFile::parse(
      "m,n,k,dtype,layout,config,dram__read\n4096,4096,4096,fp16,tn,\"" +
          to_text(example_config(1)) + "\",3000000000\n4096,4096,4096,fp16,tn,\"" +
          to_text(example_config(2)) + "\",1560000000\n",
      "c.csv");
  const std::string text = tables({example_row(1, Seconds{250e-6}), example_row(2, Seconds{200e-6}),
                                   sustained_row(1, Seconds{300e-6}, Watts{600}),
                                   sustained_row(2, Seconds{250e-6}, Watts{550})},
                                  counters);
  // 2 * 4096^3 = 0.137439 * 10^12 operations; 132 * 4096 a cycle would take 254200 cycles.
  // 250 us at 1.5 GHz are 375000 cycles, 254200 / 375000 = 67.8 %, 549.8 TFLOPS.
  // 600 W * 300 us = 0.18 J, / 0.137439 = 1.310.
  CHECK(holds(text,
              "| 1 | one | `pi 128x128x64 s1 w2x1 c1x1 o1 i1 e2 m8` |  | 375.0 |  | 1.500 | 550 "
              "| 67.8 % | 458 | 1.500 | 1.310 |  |  |\n"));
  // 300000 cycles, a fifth less; 550 W * 250 us = 0.1375 J, 23.6 % less than 0.18 J.
  CHECK(holds(text,
              "| 2 | two | `ws 128x128x64 s2 w2x1 c1x1 o1 i1 e2 m8` | 1 | 300.0 | -20.0 % | 1.500 "
              "| 687 | 84.7 % | 550 | 1.500 | 1.000 | -23.6 % | DRAM read 3.00 → 1.56 GB |\n"));
}

TEST_CASE("What was not measured is an empty cell, and nothing is compared with it") {
  const std::string text = tables({example_row(2, Seconds{200e-6})});
  CHECK(holds(text, "s1 w2x1 c1x1 o1 i1 e2 m8` |  |  |  |  |  |  |  |  |  |  |  |\n"));
  CHECK(holds(text, "| 1 | 300.0 |  | 1.500 | 687 | 84.7 % |  |  |  |  |  |\n"));
}

TEST_CASE("A row that is wrong, or not of the usual inputs, is not shown") {
  Measurement wrong = example_row(1, Seconds{100e-6});
  wrong.verified = false;
  Measurement zeros = example_row(1, Seconds{100e-6});
  zeros.point.inputs = Inputs::kZeros;
  const std::string text = tables({wrong, zeros, example_row(2, Seconds{200e-6})});
  CHECK(!holds(text, "150.0"));  // kcycles of 100 us
}

TEST_CASE("A worse rung has a positive change") {
  CHECK(holds(tables({example_row(1, Seconds{200e-6}), example_row(2, Seconds{250e-6})}),
              "| 375.0 | +25.0 % |"));
}

TEST_CASE("Each problem has a table, with cuBLASLt below its rungs where it was measured") {
  const GemmShape short_k{4096, 4096, 512};
  const std::string text =
      tables({example_row(1, Seconds{250e-6}), example_cublaslt_row(kCublasltTop1, Seconds{200e-6}),
              example_row(1, Seconds{40e-6}, short_k)});
  const std::size_t first = text.find("**4096x4096x4096 fp16 tn**");
  const std::size_t second = text.find("**4096x4096x512 fp16 tn**");
  REQUIRE(second != std::string::npos);
  CHECK(first < second);
  const std::size_t baseline = text.find("| | cuBLASLt top-1 | | | 300.0 |  | 1.500 | 687 |");
  REQUIRE(baseline != std::string::npos);
  CHECK(baseline < second);
  CHECK(text.find("cuBLASLt", baseline + 10) == std::string::npos);
}

TEST_CASE("Rows of another GPU and rows without a rung are refused") {
  Measurement other = example_row(1, Seconds{1e-4});
  other.context.gpu = "h100_sxm";
  CHECK(error_message([&] { tables({other}); }) ==
        "2 x.csv:2: gpu: expected a row measured on h200_sxm or NVIDIA H200, got 'h100_sxm'");
  CHECK(error_message([] { tables({example_row(3, Seconds{1e-4})}); }) ==
        "2 x.csv: expected a verified row of at least one rung");
}

}  // namespace
}  // namespace tilecast
