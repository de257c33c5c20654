#include "reports/quantities.h"

#include "model/spec/load_gpu.h"
#include "tests/catch.h"
#include "validate/record/example_measurement.h"

using namespace tilecast;

namespace {

AnyProblem gemm(i64 m, i64 n, i64 k) {
  return GemmProblem{{m, n, k}, ElementType::kFp16, Layout::kTn};
}

}  // namespace

TEST_CASE("A shape's class comes from its sides alone, on both sides of each edge") {
  CHECK(shape_class(gemm(64, 4096, 4096)) == "decode");
  CHECK(shape_class(gemm(128, 8192, 8192)) == "large");
  CHECK(shape_class(gemm(128, 4096, 4096)) == "small");   // 4.3 G operations, 1536^3 has 7.2 G
  CHECK(shape_class(gemm(1536, 1536, 1536)) == "small");  // the largest of them
  CHECK(shape_class(gemm(1600, 1536, 1536)) == "large");
  CHECK(shape_class(gemm(1000, 2048, 2048)) == "ragged");
  CHECK(shape_class(gemm(4096, 4096, 8192)) == "long K");
  CHECK(shape_class(gemm(4096, 4096, 8128)) == "large");
  CHECK(shape_class(gemm(8192, 8192, 1024)) == "short K");
  CHECK(shape_class(gemm(8192, 8192, 1088)) == "large");
  CHECK(shape_class(StreamProblem{1, 4096, ElementType::kFp32, Op::kMemcpy}) == "memory");
}

TEST_CASE("The fewest bytes read every input once and write the result once") {
  // (128 x 64 + 64 x 256 + 128 x 256) x 2 B
  CHECK(least_bytes(gemm(128, 256, 64)) == 2.0 * (8192 + 16384 + 32768));
  CHECK(least_bytes(StreamProblem{2, 8, ElementType::kFp32}) == 3.0 * 16 * 4);
  CHECK(least_bytes(StreamProblem{1, 8, ElementType::kFp32, Op::kMemcpy}) == 2.0 * 8 * 4);
}

TEST_CASE("Energy is told of sustained rows with a power alone, at the cap with the cap's") {
  const GpuSpec gpu = load_gpu("h200_sxm", false).spec;
  Measurement row = example_measurement("x", Seconds{1e-3}, {1000, 1000, 500});  // 10^9 operations
  row.sm_clock = gpu.clock->tensor_plateau;
  CHECK(!joules_per_tflop(gpu, row));
  row.point.regime = Regime::kSustained;
  CHECK(!joules_per_tflop(gpu, row));
  row.power = Watts{600};
  CHECK(*joules_per_tflop(gpu, row) == Approx(600));  // 0.6 J for 10^9
  row.sm_clock = gpu.clock->tensor_plateau * 0.7;
  CHECK(*joules_per_tflop(gpu, row) == Approx(gpu.power->sustained_limit.value));
}

TEST_CASE(
    "Speeds of additions count every byte once, in units of 2^40, those of GEMMs operations") {
  const AnyProblem add = parse_problem(Op::kElementwiseAdd, "1024x1024", ElementType::kFp32, {});
  // 3 matrices of 4 MiB in 12 us: 12 x 2^20 / 12e-6 / 2^40
  CHECK(*in_unit(FigureUnit::kTebibytesPerSecond, add, Seconds{12e-6}) ==
        Approx(1.0 / 1048576 / 1e-6));
  const AnyProblem small = gemm(1000, 1000, 500);
  CHECK(*in_unit(FigureUnit::kTflops, small, Seconds{1e-6}) == Approx(1000));  // 10^9 in 1 us
  CHECK(!in_unit(FigureUnit::kHitPercent, small, Seconds{1e-6}));
}
