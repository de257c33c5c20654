// Tests that each misuse of the C interface is an error and never a crash (also under
// AddressSanitizer). Needs no GPU.
#include "library/cpu_test.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/catch.h"

using namespace tilecast;

namespace {

tilecast_problem square(int64_t side) {
  tilecast_problem problem = TILECAST_PROBLEM_INIT;
  problem.m = problem.n = problem.k = side;
  problem.type = TILECAST_FP16;
  return problem;
}

/// Options of a GPU whose kernels no GPU in these tests runs.
tilecast_options on_b200() {
  tilecast_options options = on_h200();
  options.gpu = "b200";
  options.cache_dir = "";
  return options;
}

alignas(16) char some_memory[32];

/// Why no kernel is forecast, which must be for `status`.
std::string refusal(const tilecast_problem& problem, tilecast_status status,
                    const tilecast_options& options = on_h200()) {
  CHECK(predict_one(problem, options) == status);
  return error();
}
/// Why a run is refused whose arguments `change` has changed.
std::string refused_run(const TestPlan& plan, auto change) {
  CHECK(plan.run(change) == TILECAST_INVALID_ARGUMENT);
  return error();
}

}  // namespace

TEST_CASE("A forecast needs no GPU if one is named, and reports the launch of a run") {
  const tilecast_problem problem = square(4096);
  const tilecast_options options = on_h200();
  std::vector<tilecast_forecast> rows(3);
  rows[0].struct_size = sizeof rows[0];
  size_t count = rows.size();
  REQUIRE(tilecast_predict(&problem, &options, rows.data(), &count) == TILECAST_OK);
  REQUIRE(count == 3);
  for (const tilecast_forecast& row : rows) {
    CHECK(std::strchr(row.config, ':') != nullptr);
    // 2 x 4096^3 = 137 GFLOP take at least 139 us at 989 TFLOP/s.
    CHECK(row.time_us > 139);
    CHECK(row.interval_low_us <= row.time_us);
    CHECK(row.interval_high_us >= row.time_us);
    CHECK(row.tflops == Approx(137438.953472 / row.time_us));
  }
  CHECK(rows[0].time_us <= rows[1].time_us);

  tilecast_options one = options;
  one.config = rows[1].config;
  tilecast_forecast alone = blank_forecast();
  count = 1;
  REQUIRE(tilecast_predict(&problem, &one, &alone, &count) == TILECAST_OK);
  CHECK(std::string(alone.config) == rows[1].config);
}

TEST_CASE("A plan for an absent GPU has a forecast and a workspace, and does not run") {
  const tilecast_problem problem = square(1024);
  const tilecast_options options = on_b200();
  tilecast_plan* plan = nullptr;
  REQUIRE(tilecast_plan_create(&problem, &options, &plan) == TILECAST_OK);
  tilecast_forecast forecast = blank_forecast();
  CHECK(tilecast_plan_forecast(plan, &forecast) == TILECAST_OK);
  CHECK(std::string(forecast.config).starts_with("tcgen05_"));
  size_t bytes = 1;
  CHECK(tilecast_plan_workspace(plan, &bytes) == TILECAST_OK);
  CHECK(bytes == 0);  // no Blackwell schedule splits K
  tilecast_arguments arguments = TILECAST_ARGUMENTS_INIT;
  arguments.a = arguments.b = arguments.c = some_memory;
  CHECK(tilecast_plan_run(plan, &arguments, nullptr) == TILECAST_NO_DEVICE);
  CHECK(!error().empty());
  tilecast_plan_destroy(plan);
  CHECK(tilecast_plan_run(plan, &arguments, nullptr) == TILECAST_INVALID_ARGUMENT);
  CHECK(error() == "the plan has already been destroyed");
  tilecast_plan_destroy(plan);
}

TEST_CASE("Arguments of a run are checked before any is used") {
  const TestPlan plan(square(1024), on_b200());
  using Arguments = tilecast_arguments;
  const struct {
    void (*spoil)(Arguments&);
    const char* error;
  } cases[] = {
      {[](Arguments& a) { a.a = nullptr; }, "a is null"},
      {[](Arguments& a) { a.b = nullptr; }, "b is null"},
      {[](Arguments& a) { a.c = nullptr; }, "c is null"},
      {[](Arguments& a) { a.b = some_memory + 8; }, "b is not 16-byte aligned"},
      {[](Arguments& a) { a.beta = 1; },
       "alpha must be 1 and beta 0: the problem's epilogue is TILECAST_EPILOGUE_NONE"},
      {[](Arguments& a) { a.struct_size = 8; }, "arguments has a struct_size smaller"},
  };
  for (const auto& [spoil, text] : cases) {
    CHECK(plan.run(spoil) != TILECAST_OK);
    CHECK(error().substr(0, std::strlen(text)) == text);
  }
  CHECK(tilecast_plan_run(plan.get(), nullptr, nullptr) == TILECAST_INVALID_ARGUMENT);
  CHECK(error() == "arguments is null");
  CHECK(tilecast_plan_run(nullptr, nullptr, nullptr) == TILECAST_INVALID_ARGUMENT);
  CHECK(error() == "the plan is null");
  CHECK(tilecast_plan_workspace(plan.get(), nullptr) == TILECAST_INVALID_ARGUMENT);
  CHECK(tilecast_plan_forecast(plan.get(), nullptr) == TILECAST_INVALID_ARGUMENT);
  CHECK(tilecast_plan_clear_workspace(nullptr, some_memory, 16, nullptr) ==
        TILECAST_INVALID_ARGUMENT);
  tilecast_plan_destroy(nullptr);
}

TEST_CASE("Scales are required if the problem has them, and refused otherwise") {
  tilecast_problem problem = square(1024);
  problem.type = TILECAST_E4M3;
  const auto refused = [&](const char* a, const char* b) {
    return refused_run(TestPlan(problem, on_h200()), [&](tilecast_arguments& arguments) {
      arguments.scale_a = reinterpret_cast<const float*>(a);
      arguments.scale_b = reinterpret_cast<const float*>(b);
    });
  };
  const char* const scale = some_memory;
  CHECK(refused(scale, scale) == "scale_a or scale_b is given, but the problem has no scales");
  problem.scales = TILECAST_SCALES_PER_BLOCK;
  CHECK(refused(scale, nullptr) == "scale_a or scale_b is null");
  CHECK(refused(scale, scale + 2) == "scale_a or scale_b is not 4-byte aligned");
  CHECK(refused(scale + 4, scale) == "scale_a is not 16-byte aligned, as block scales must be");
  for (const int rows_apart : {1020, 1026}) {
    problem.ld_scale_a = rows_apart;
    CHECK(refusal(problem, TILECAST_INVALID_ARGUMENT) ==
          "ld_scale_a is " + std::to_string(rows_apart) +
              ": expected a multiple of 4, 1024 to 2147483647, or 0");
  }
  problem.ld_scale_a = 1024;
  CHECK(predict_one(problem, on_h200()) == TILECAST_OK);
  problem.scales = TILECAST_SCALES_PER_TENSOR;
  CHECK(refusal(problem, TILECAST_INVALID_ARGUMENT) ==
        "ld_scale_a is 1024: only block scales have rows");
  problem.scales = 4;
  CHECK(refusal(problem, TILECAST_INVALID_ARGUMENT) ==
        "scales is 4: expected a tilecast_scales, 0 to 3");
}

TEST_CASE("Groups are forecast from expected rows, and invalid ones are refused") {
  static constexpr int64_t kRows[] = {1000, 8, 8, 8}, kShort[] = {1, 1, 1, 1},
                           kWrong[] = {-1, 1025, 0, 0};
  tilecast_problem grouped = square(1024);
  grouped.groups = 4;
  const double even_us = forecast_us(grouped, on_h200());
  grouped.expected_rows = kRows;
  CHECK(forecast_us(grouped, on_h200()) != even_us);
  using Problem = tilecast_problem;
  constexpr tilecast_status kInvalid = TILECAST_INVALID_ARGUMENT,
                            kUnsupported = TILECAST_UNSUPPORTED;
  const struct {
    void (*change)(Problem&);
    tilecast_status status;
    const char* error;
  } cases[] = {
      {[](Problem& p) { p.expected_rows = kShort; }, kInvalid,
       "expected_rows sums to 4: expected m = 1024"},
      {[](Problem& p) { p.expected_rows = kWrong; }, kInvalid,
       "expected_rows[0] is -1: expected 0 to 1024"},
      {[](Problem& p) { p.expected_rows = kShort, p.group_capacity = 256; }, TILECAST_OK, ""},
      {[](Problem& p) { p.expected_rows = kShort, p.group_capacity = 255; }, kInvalid,
       "m is 1024: expected groups * group_capacity"},
      {[](Problem& p) { p.expected_rows = nullptr, p.batch = 2; }, kUnsupported,
       "groups require a single GEMM with contiguous matrices"},
      {[](Problem& p) { p.bias = TILECAST_BIAS_PER_COLUMN; }, kUnsupported,
       "epilogue bias_n: grouped kernels"},
      {[](Problem& p) { p.group_side = TILECAST_GROUPS_ALONG_K; }, kUnsupported,
       "layout tn: groups along K require A"},
      {[](Problem& p) { p.group_side = TILECAST_GROUPS_ALONG_K, p.layout = TILECAST_NT; },
       TILECAST_OK, ""},
      {[](Problem& p) {
         p.group_side = TILECAST_GROUPS_ALONG_K, p.layout = TILECAST_NT, p.expected_rows = kShort;
       },
       kInvalid, "expected_rows sums to 4: expected k = 1024"},
      {[](Problem& p) {
         p.group_side = TILECAST_GROUPS_ALONG_K, p.layout = TILECAST_NT, p.group_capacity = 256;
       },
       kUnsupported, "group_capacity must be 0 for groups along K"},
      {[](Problem& p) { p.group_side = 2; }, kInvalid,
       "group_side is 2: expected a tilecast_group_side, 0 without groups"},
      {[](Problem& p) { p.groups = 0, p.expected_rows = nullptr, p.group_capacity = 256; },
       kInvalid, "group_capacity and expected_rows require groups, but groups is 0"},
  };
  for (const auto& [change, status, text] : cases) {
    tilecast_problem problem = grouped;
    change(problem);
    const std::string why = refusal(problem, status);
    CHECK((status == TILECAST_OK || why.starts_with(text)));
  }
}

TEST_CASE("A bias is required if the problem has one, and refused otherwise") {
  tilecast_problem problem = square(1024);
  problem.bias = TILECAST_BIAS_PER_COLUMN;
  problem.activation = TILECAST_GELU;
  const tilecast_problem none = square(1024);
  CHECK(forecast_us(problem, on_h200()) > forecast_us(none, on_h200()) * 0.99);
  const auto refused = [](const tilecast_problem& of, const void* bias) {
    return refused_run(TestPlan(of, on_h200()), [&](tilecast_arguments& a) { a.bias = bias; });
  };
  CHECK(refused(problem, nullptr) == "bias is null");
  CHECK(refused(problem, some_memory + 2) == "bias is not 4-byte aligned");
  CHECK(refused(none, some_memory) == "bias is given, but the problem has none");

  problem.bias = 3;
  CHECK(refusal(problem, TILECAST_INVALID_ARGUMENT) ==
        "bias is 3: expected a tilecast_bias, 0 to 2");
  problem.bias = TILECAST_BIAS_NONE;
  problem.activation = -1;
  CHECK(refusal(problem, TILECAST_INVALID_ARGUMENT) ==
        "activation is -1: expected a tilecast_activation, 0 to 6");
  problem.activation = TILECAST_SILU;
  problem.scales = TILECAST_SCALES_PER_ROW;
  CHECK(refusal(problem, TILECAST_UNSUPPORTED) ==
        "epilogue scale_row+silu: scales require fp8 operands, not fp16");
  problem.scales = TILECAST_SCALES_NONE;
  CHECK(refusal(problem, TILECAST_UNSUPPORTED, on_b200())
            .starts_with("Blackwell kernels support a single GEMM of fp16 or bf16"));
  // Fields beyond the end of an older caller's struct are zero.
  problem.struct_size = 80;
  CHECK(predict_one(problem, on_b200()) == TILECAST_OK);
}

TEST_CASE("A missing, misaligned or too small workspace is refused") {
  tilecast_options options = on_h200();
  options.config =
      "split_k:tile=128x128x64,stages=4,warpgroups=2x1,cluster=1x1,ctas=1,inflight=1,c_slots=2,"
      "producer=40,splits=2,reduction=turnstile,raster=grouped_m,group=8";
  const TestPlan plan(square(1024), options);
  const size_t bytes = plan.workspace_bytes();
  // Two locks per tile, rounded up to 256 bytes; then 64 tiles of 128 x 128 fp32 sums.
  CHECK(bytes == 64 * 2 * 4 + 64 * 128 * 128 * 4);
  const auto with = [](char* workspace, size_t size) {
    return [=](tilecast_arguments& a) { a.workspace = workspace, a.workspace_bytes = size; };
  };
  CHECK(refused_run(plan, with(nullptr, 0)).starts_with("the workspace is null"));
  CHECK(refused_run(plan, with(some_memory + 8, bytes))
            .starts_with("the workspace is not 16-byte aligned"));
  CHECK(plan.run(with(some_memory, bytes - 1)) == TILECAST_WORKSPACE_TOO_SMALL);
  CHECK(tilecast_plan_clear_workspace(plan.get(), some_memory, bytes - 1, nullptr) ==
        TILECAST_WORKSPACE_TOO_SMALL);
}

TEST_CASE("An invalid or unsupported problem is refused with the field's name") {
  using Problem = tilecast_problem;
  constexpr tilecast_status kInvalid = TILECAST_INVALID_ARGUMENT;
  constexpr tilecast_status kUnsupported = TILECAST_UNSUPPORTED;
  const struct {
    void (*spoil)(Problem&);
    tilecast_status status;
    const char* error;
  } cases[] = {
      {[](Problem& p) { p.m = 0; }, kInvalid, "m is 0: expected 1 to 2147483647"},
      {[](Problem& p) { p.n = -1; }, kInvalid, "n is -1"},
      {[](Problem& p) { p.type = 0; }, kInvalid, "type is 0"},
      {[](Problem& p) { p.type = TILECAST_FP32; }, kInvalid,
       "type is 5: expected a tilecast_type, 1 to 4"},
      {[](Problem& p) { p.layout = 4; }, kInvalid, "layout is 4"},
      {[](Problem& p) { p.batch = -1; }, kInvalid, "batch is -1"},
      {[](Problem& p) { p.batch = 2, p.stride_c = TILECAST_SHARED; }, kInvalid,
       "stride_c is TILECAST_SHARED"},
      {[](Problem& p) { p.batch = 2, p.stride_a = 1; }, kInvalid, "stride_a is 1: expected "},
      {[](Problem& p) { p.type_c = TILECAST_BF16; }, kUnsupported, "type_c is 2"},
      {[](Problem& p) { p.type_c = 7; }, kInvalid, "type_c is 7"},
      {[](Problem& p) { p.type = TILECAST_E4M3, p.type_c = TILECAST_E5M2; }, kUnsupported,
       "expected bf16, fp16, fp32 or e4m3"},
      {[](Problem& p) { p.type = TILECAST_E4M3, p.layout = TILECAST_NN; }, kUnsupported, "K-major"},
      {[](Problem& p) { p.residual = 2; }, kInvalid, "residual is 2"},
      {[](Problem& p) { p.ld_residual = 2048; }, kInvalid,
       "ld_residual or stride_residual is given, but residual is 0"},
      {[](Problem& p) { p.residual = 1, p.ld_residual = 1000; }, kInvalid,
       "ld_residual is 1000: expected 1024 to "},
      {[](Problem& p) { p.scale_c = 1; }, kUnsupported, "scale_c requires fp8 output"},
      {[](Problem& p) { p.activation = TILECAST_SWIGLU, p.epilogue = TILECAST_EPILOGUE_SCALED; },
       kUnsupported, "alpha and beta are not supported with fp8 output or a gate"},
      {[](Problem& p) { p.epilogue = 9; }, kInvalid, "epilogue is 9"},
      {[](Problem& p) { p.lda = 1016; }, kInvalid, "lda is 1016"},
      {[](Problem& p) { p.ldc = 1023; }, kInvalid, "ldc is 1023"},
      {[](Problem& p) { p.ldc = 1025; }, kUnsupported, "ldc is 1025"},
      {[](Problem& p) { p.n = 1023, p.ldc = 1024; }, kUnsupported, "ldc is 1024"},
      {[](Problem& p) { p.ldc = 2048, p.epilogue = TILECAST_EPILOGUE_SCALED; }, kUnsupported,
       "ldc is 2048"},
  };
  const tilecast_options options = on_h200();
  for (const auto& [spoil, status, text] : cases) {
    INFO(text);
    tilecast_problem problem = square(1024);
    spoil(problem);
    CHECK(predict_one(problem, options) == status);
    tilecast_plan* plan = reinterpret_cast<tilecast_plan*>(&problem);
    CHECK(tilecast_plan_create(&problem, &options, &plan) == status);
    CHECK(plan == nullptr);
    CHECK(contains(error(), text));
  }
}

TEST_CASE("A workspace includes copies of operands with unaligned rows") {
  const auto bytes_of = [](auto change) {
    tilecast_problem problem = square(1024);
    change(problem);
    tilecast_options options = on_h200();
    options.config =
        "warp_specialized:tile=128x128x64,stages=4,warpgroups=2x1,cluster=1x1,ctas=1,inflight=1,"
        "c_slots=2,producer=40,grid=resident,raster=grouped_m,group=8,walk=strided";
    return TestPlan(problem, options).workspace_bytes();
  };
  CHECK(bytes_of([](tilecast_problem&) {}) == 0);
  CHECK(bytes_of([](tilecast_problem& p) { p.lda = p.ldb = p.ldc = 1032; }) == 0);
  CHECK(bytes_of([](tilecast_problem& p) { p.ldb = 1028; }) == 1024 * 1024 * 2);
  CHECK(bytes_of([](tilecast_problem& p) { p.k = 1023; }) == 2 * 1024 * 1024 * 2);
  // In layout nn rows of B run along N. 1021 elements become 1024, a multiple of 16 bytes.
  CHECK(bytes_of([](tilecast_problem& p) { p.layout = TILECAST_NN, p.n = 1021; }) ==
        1024 * 1024 * 2);
}

TEST_CASE("Options are checked, and a GPU without kernels is refused") {
  using Options = tilecast_options;
  const struct {
    void (*spoil)(Options&);
    tilecast_status status;
    const char* error;
  } cases[] = {
      {[](Options& o) { o.gpu = "h900"; }, TILECAST_INVALID_ARGUMENT, "unknown GPU 'h900'"},
      {[](Options& o) { o.gpu = ""; }, TILECAST_INVALID_ARGUMENT, "options.gpu is empty"},
      {[](Options& o) { o.gpu = "hipparchus"; }, TILECAST_UNSUPPORTED, "hipparchus"},
      {[](Options& o) { o.config = "blocked:tile=1"; }, TILECAST_INVALID_ARGUMENT, ""},
      {[](Options& o) { o.regime = 2; }, TILECAST_INVALID_ARGUMENT, "regime is 2"},
      {[](Options& o) { o.threads = -1; }, TILECAST_INVALID_ARGUMENT, "options.threads is -1"},
      {[](Options& o) { o.programmatic = 2; }, TILECAST_INVALID_ARGUMENT, "options.programmatic"},
      {[](Options& o) { o.check_groups = 2; }, TILECAST_INVALID_ARGUMENT, "options.check_groups"},
      {[](Options& o) { o.config_dir = "/nonexistent"; }, TILECAST_FILE_ERROR, ""},
  };
  for (const auto& [spoil, status, text] : cases) {
    INFO(text);
    tilecast_options options = on_h200();
    spoil(options);
    CHECK(predict_one(square(1024), options) == status);
    CHECK(error() != "");
    CHECK(contains(error(), text));
  }
}

TEST_CASE("A struct of another version is accepted if its unknown fields are zero") {
  const tilecast_options options = on_h200();
  struct Later {  // a struct of a future library
    tilecast_problem problem;
    int64_t added;
  } later{square(1024), 0};
  later.problem.struct_size = sizeof later;
  CHECK(predict_one(later.problem, options) == TILECAST_OK);
  later.added = 1;
  CHECK(predict_one(later.problem, options) == TILECAST_INVALID_ARGUMENT);
  CHECK(error() == "problem has fields set that only a newer libtilecast supports");

  tilecast_problem earlier = square(1024);
  earlier.struct_size = 79;  // the first version has 80 bytes
  CHECK(predict_one(earlier, options) == TILECAST_INVALID_ARGUMENT);
  earlier.struct_size = size_t{1} << 40;
  CHECK(predict_one(earlier, options) == TILECAST_INVALID_ARGUMENT);

  size_t count = 1;
  const tilecast_problem problem = square(1024);
  CHECK(tilecast_predict(&problem, &options, nullptr, &count) == TILECAST_INVALID_ARGUMENT);
  tilecast_forecast forecast{};  // struct_size is not set
  CHECK(tilecast_predict(&problem, &options, &forecast, &count) == TILECAST_INVALID_ARGUMENT);
  CHECK(tilecast_predict(nullptr, &options, &forecast, &count) == TILECAST_INVALID_ARGUMENT);
  CHECK(tilecast_predict(&problem, &options, &forecast, nullptr) == TILECAST_INVALID_ARGUMENT);
  CHECK(tilecast_plan_create(&problem, &options, nullptr) == TILECAST_INVALID_ARGUMENT);
}

TEST_CASE("Given configurations are ranked in their order") {
  const tilecast_problem problem = square(4096);
  tilecast_options options = on_h200();
  const char* configs[] = {"warp_specialized:tile=64x64x64", "warp_specialized",
                           "tile=128x248x64,stages=7"};
  double times[3];
  REQUIRE(tilecast_rank(&problem, &options, configs, 3, times) == TILECAST_OK);
  CHECK(times[0] > 1.5 * times[1]);
  CHECK(times[1] == Approx(forecast_us(problem, options)).epsilon(0.05));
  CHECK(std::isinf(times[2]));

  configs[1] = "warp_specialised";
  CHECK(tilecast_rank(&problem, &options, configs, 3, times) == TILECAST_INVALID_ARGUMENT);
  CHECK(contains(error(), "configs[1]: unknown schedule 'warp_specialised'"));
  configs[1] = "attention_ping_pong";
  CHECK(tilecast_rank(&problem, &options, configs, 3, times) == TILECAST_INVALID_ARGUMENT);
  configs[1] = nullptr;
  CHECK(tilecast_rank(&problem, &options, configs, 3, times) == TILECAST_INVALID_ARGUMENT);
  CHECK(error() == "configs[1] is null");
  CHECK(tilecast_rank(&problem, &options, nullptr, 3, times) == TILECAST_INVALID_ARGUMENT);
  CHECK(tilecast_rank(&problem, &options, configs, 3, nullptr) == TILECAST_INVALID_ARGUMENT);
  CHECK(tilecast_rank(&problem, &options, configs, 0, times) == TILECAST_INVALID_ARGUMENT);
  options.config = "warp_specialized";
  CHECK(tilecast_rank(&problem, &options, configs, 1, times) == TILECAST_INVALID_ARGUMENT);
}

TEST_CASE("A larger output struct gets its forecast, and zeros beyond it") {
  struct Later {  // a struct of a future library
    tilecast_forecast forecast;
    unsigned char added[64];
  };
  const tilecast_problem problem = square(1024);
  const tilecast_options options = on_b200();
  const auto is_written = [](const Later& later) {
    CHECK(later.forecast.struct_size == sizeof later);
    CHECK(later.forecast.time_us > 0);
    CHECK(std::ranges::all_of(later.added, [](unsigned char byte) { return byte == 0; }));
  };
  Later rows[2];
  std::memset(static_cast<void*>(rows), 0xff, sizeof rows);
  rows[0].forecast.struct_size = sizeof rows[0];
  size_t count = 2;
  REQUIRE(tilecast_predict(&problem, &options, &rows[0].forecast, &count) == TILECAST_OK);
  REQUIRE(count == 2);
  is_written(rows[0]);
  is_written(rows[1]);

  std::memset(static_cast<void*>(rows), 0xff, sizeof rows);
  rows[0].forecast.struct_size = sizeof rows[0];
  CHECK(tilecast_plan_forecast(TestPlan(problem, options).get(), &rows[0].forecast) == TILECAST_OK);
  is_written(rows[0]);
  CHECK(rows[1].added[0] == 0xff);
}

TEST_CASE(
    "Configurations whose pieces wait for each other are forecast on request, and never planned") {
  tilecast_problem problem = square(1024);
  tilecast_options options = on_h200();
  options.cache_dir = "";
  options.config =
      "split_k:tile=128x128x64,stages=4,warpgroups=2x1,cluster=1x1,ctas=1,inflight=1,c_slots=2,"
      "producer=40,splits=2,reduction=spread,raster=grouped_m,group=8";
  CHECK(predict_one(problem, options) == TILECAST_OK);
  tilecast_plan* plan = nullptr;
  CHECK(tilecast_plan_create(&problem, &options, &plan) == TILECAST_UNSUPPORTED);
  CHECK(plan == nullptr);
  CHECK(contains(error(), "reduction=spread"));

  // With few tiles and a long K, some of these configurations are among the fastest.
  problem.m = 128;
  problem.n = 512;
  problem.k = 65536;
  options.config = nullptr;
  std::vector<tilecast_forecast> rows(200);
  rows[0].struct_size = sizeof rows[0];
  size_t count = rows.size();
  REQUIRE(tilecast_predict(&problem, &options, rows.data(), &count) == TILECAST_OK);
  CHECK(count == rows.size());
  for (size_t i = 0; i < count; ++i) {
    CHECK(!contains(std::string(rows[i].config), "reduction=spread"));
  }
}

TEST_CASE("Each thread has its own error text") {
  CHECK(tilecast_plan_workspace(nullptr, nullptr) == TILECAST_INVALID_ARGUMENT);
  std::string before, after;
  std::thread([&] {
    before = error();
    (void)predict_one(square(0), on_h200());
    after = error();
  }).join();
  CHECK(before.empty());
  CHECK(after == "m is 0: expected 1 to 2147483647");
  CHECK(error() == "the plan is null");
}

TEST_CASE("Versions and statuses have names") {
  CHECK(tilecast_version() == TILECAST_VERSION);
  CHECK(std::string(tilecast_status_name(TILECAST_OK)) == "TILECAST_OK");
  CHECK(std::string(tilecast_status_name(TILECAST_INTERNAL_ERROR)) == "TILECAST_INTERNAL_ERROR");
  CHECK(std::string(tilecast_status_name(99)) == "unknown status");
}

TEST_CASE("Tuning without a device, without a file or with an invalid number is an error") {
  const tilecast_problem problem = square(256);
  const tilecast_options options = on_h200();
  const std::string folder = std::filesystem::temp_directory_path().string();
  const std::string file = folder + "/tilecast_misuse_tuned.jsonl";
  tilecast_arguments arguments = TILECAST_ARGUMENTS_INIT;
  tilecast_tuning tuning = TILECAST_TUNING_INIT;
  tilecast_plan* plan = nullptr;
  const auto tune = [&] {
    return tilecast_plan_tune(&problem, &options, &tuning, &arguments, nullptr, &plan, nullptr);
  };
  CHECK(tune() == TILECAST_INVALID_ARGUMENT);
  CHECK(error() == "tuning.file is empty: expected a path for the results");
  tuning.file = file.c_str();
  tuning.candidates = 65;
  CHECK(tune() == TILECAST_INVALID_ARGUMENT);
  CHECK(error() == "tuning.candidates is 65: expected 0 to 64");
  tuning.candidates = 2;
  tuning.again = 2;
  CHECK(tune() == TILECAST_INVALID_ARGUMENT);
  tuning.again = 0;
  CHECK(tilecast_plan_tune(&problem, &options, nullptr, &arguments, nullptr, &plan, nullptr) ==
        TILECAST_INVALID_ARGUMENT);
  CHECK(tilecast_plan_tune(&problem, &options, &tuning, nullptr, nullptr, &plan, nullptr) ==
        TILECAST_INVALID_ARGUMENT);
  CHECK(tilecast_plan_tune(&problem, &options, &tuning, &arguments, nullptr, nullptr, nullptr) ==
        TILECAST_INVALID_ARGUMENT);
  tilecast_options fixed = options;
  fixed.config = "pipelined:tile=64x64x64";
  CHECK(tilecast_plan_tune(&problem, &fixed, &tuning, &arguments, nullptr, &plan, nullptr) ==
        TILECAST_INVALID_ARGUMENT);
  tuning.file = folder.c_str();
  CHECK(tune() == TILECAST_FILE_ERROR);
  for (const char* line :
       {"mine", "{}", R"({"candidates": []})",
        R"({"candidates": [{"config": "x", "forecast_us": 1, "measured_us": 1}]})",
        R"({"candidates": [{"config": 7, "forecast_us": 1, "measured_us": 1}]})"}) {
    std::ofstream(file) << "\n" << line;
    tuning.file = file.c_str();
    CHECK(tune() == TILECAST_INVALID_ARGUMENT);
    CHECK(error().starts_with(file + ":2: expected a line written by tuning: "));
  }
  CHECK(plan == nullptr);
  std::filesystem::remove(file);
}
