// Measures memory-bound points on the device as the benchmark harness does.
#include "validate/measure/stream/stream_lab.h"

#include "tests/catch.h"
#include "tests/gpu.h"
#include "validate/measure/laboratory.h"

namespace tilecast {
namespace {

Measurement measured(Laboratory& laboratory, const StreamProblem& problem,
                     const std::string& config, Regime regime = Regime::kBurst) {
  const Point point{.problem = problem, .config = config, .regime = regime};
  INFO(config);
  return laboratory.measure(point);
}

}  // namespace

TEST_CASE("A memory-bound kernel is checked and timed, within DRAM's peak rate", "[gpu]") {
  gpu_or_skip();
  Laboratory laboratory;
  // 3 x 4096 x 4096 x 4 B = 201 MB take 42 us at 4.8 TB/s; no kernel takes four times that.
  const StreamProblem add{4096, 4096, ElementType::kFp32};
  for (const char* config :
       {"elementwise_add:block=8x256,warps=8,vector=16,ctas=4,view=flat,order=blocks,hint=none",
        "elementwise_add_tma:block=16x256,stages=3,warps=8,ctas=2,layout=plain,view=flat,"
        "order=strided,hint=none"}) {
    const Measurement row = measured(laboratory, add, config);
    CHECK(row.reason == "");
    REQUIRE(row.status == Status::kOk);
    CHECK(row.verified);
    CHECK(row.time->median > Seconds{42e-6});
    CHECK(row.time->median < Seconds{168e-6});
    CHECK(row.sm_clock.has_value());
  }
}

TEST_CASE("The runtime's copy is timed by CUPTI's records, in both regimes", "[gpu]") {
  gpu_or_skip();
  Laboratory laboratory;
  const StreamProblem copy{1, i64{1} << 26, ElementType::kFp32, Op::kMemcpy};  // 2 x 268 MB
  for (const Regime regime : {Regime::kBurst, Regime::kSustained}) {
    const Measurement row = measured(laboratory, copy, std::string(kRuntimeCopy), regime);
    CHECK(row.reason == "");
    REQUIRE(row.status == Status::kOk);
    CHECK(row.time->median > Seconds{112e-6});
    CHECK(row.time->median < Seconds{450e-6});
  }
}

TEST_CASE("A memory-bound configuration that cannot run on the problem is skipped", "[gpu]") {
  gpu_or_skip();
  Laboratory laboratory;
  // Rows of 404 bytes are not a multiple of 16-byte vectors.
  const Measurement row = measured(
      laboratory, {1000, 101, ElementType::kFp32},
      "elementwise_add:block=8x256,warps=8,vector=16,ctas=4,view=matrix,order=blocks,hint=none");
  CHECK(row.status == Status::kSkipped);
  CHECK(row.reason != "");
}

}  // namespace tilecast
