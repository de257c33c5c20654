// Tests that each misuse of the C interface of attention is an error and never a crash. Needs no
// GPU.
#include "library/cpu_test.h"

#include <limits>
#include <string>
#include <tilecast/tilecast.hpp>
#include <vector>

#include "tests/catch.h"

using tilecast::contains;
using tilecast::error;
using tilecast::on_h200;
using tilecast::TestPlan;

namespace {

constexpr int64_t kBillion = 1'000'000'000;

constexpr tilecast_strides at(int64_t batch, int64_t head, int64_t row) {
  return {batch, head, row};
}

tilecast_attention small() { return tilecast::attention(2, 8, 2, 96, 160, 64, TILECAST_BF16); }

tilecast_status predict_attention(const tilecast_attention& problem,
                                  const tilecast_options& options) {
  tilecast_forecast forecast = tilecast::blank_forecast();
  size_t count = 1;
  return tilecast_attention_predict(&problem, &options, &forecast, &count);
}

/// A configuration that needs no workspace, so that plans have none on any machine.
constexpr const char* kPlain =
    "attention_overlap:tile=128x128,stages=2,ctas=1,grid=tiles,order=static,splits=1,pack=no";

tilecast_options with_config(const char* config = kPlain) {
  tilecast_options options = on_h200();
  options.config = config;
  return options;
}

}  // namespace

TEST_CASE("Attention is forecast by kernels of attention, fastest first") {
  const tilecast_attention problem =
      tilecast::attention(4, 32, 8, 4096, 4096, 128, TILECAST_BF16, TILECAST_MASK_CAUSAL);
  const std::vector<tilecast_forecast> rows = tilecast::predict(problem, on_h200(), 3);
  REQUIRE(rows.size() == 3);
  for (const tilecast_forecast& row : rows) {
    CHECK(std::string(row.config).starts_with("attention_"));
    // 4 x 4 x 32 x 4096 x 4096 / 2 x 128 = 550 GFLOP take at least 556 us at 989 TFLOP/s.
    CHECK(row.time_us > 556);
    CHECK(row.extrapolated == 0);  // attention was measured on an H200
  }
  CHECK(rows[0].time_us <= rows[1].time_us);
  tilecast_options one = on_h200();
  one.config = rows[1].config;
  CHECK(std::string(tilecast::predict(problem, one).front().config) == rows[1].config);
}

TEST_CASE("An invalid or unsupported attention is refused with the field's name") {
  using Attention = tilecast_attention;
  constexpr tilecast_status kInvalid = TILECAST_INVALID_ARGUMENT;
  constexpr tilecast_status kUnsupported = TILECAST_UNSUPPORTED;
  const struct {
    void (*spoil)(Attention&);
    tilecast_status status;
    const char* error;
  } cases[] = {
      {[](Attention& a) { a.batch = 0; }, kInvalid, "batch is 0: expected 1 to 16777216"},
      {[](Attention& a) { a.heads = -8; }, kInvalid, "heads is -8"},
      {[](Attention& a) { a.kv_heads = 0; }, kInvalid, "kv_heads is 0"},
      {[](Attention& a) { a.queries = kBillion; }, kInvalid, "queries is"},
      {[](Attention& a) { a.keys = std::numeric_limits<int64_t>::min(); }, kInvalid,
       "keys is -9223372036854775808"},
      {[](Attention& a) { a.kv_heads = 3; }, kUnsupported,
       "the number of heads is not a multiple of the number of KV heads"},
      {[](Attention& a) { a.head_dim = 96; }, kUnsupported,
       "expected a head dimension of 64, 128 or 256"},
      {[](Attention& a) { a.type = TILECAST_E4M3; }, kUnsupported, "type is 3"},
      {[](Attention& a) { a.type = TILECAST_FP32; }, kInvalid, "type is 5"},
      {[](Attention& a) { a.mask = 2; }, kInvalid, "mask is 2"},
      {[](Attention& a) { a.layout = -1; }, kInvalid, "layout is -1"},
      {[](Attention& a) { a.lse = 2; }, kInvalid, "lse is 2: expected 0 or 1"},
      // Products of these counts overflow 32 and 64 bits.
      {[](Attention& a) { a.batch = a.heads = a.kv_heads = a.queries = a.keys = int64_t{1} << 24; },
       kUnsupported, "more than 2^30 tiles"},
      {[](Attention& a) { a.kv_heads = a.heads = 1 << 14, a.keys = 1 << 24; }, kUnsupported,
       "more than 2^40 bytes"},
      {[](Attention& a) { a.struct_size = 8; }, kInvalid, "problem has a struct_size smaller"},
      // Strides.
      {[](Attention& a) { a.k = at(2 * 160 * 64, 0, 64); }, kInvalid,
       "k.head is 0: expected 64 to 274877906944; expanded tensors are not supported"},
      {[](Attention& a) { a.q = at(0, 96 * 64, 64); }, kInvalid, "q.batch is 0"},
      {[](Attention& a) { a.v = at(2 * 160 * 64, 160 * 64, -64); }, kInvalid,
       "v.row is -64: expected 64 to"},
      {[](Attention& a) { a.v = at(2 * 160 * 64, 160 * 64, 63); }, kInvalid, "v.row is 63"},
      {[](Attention& a) { a.q = at(8 * 96 * 68, 96 * 68, 68); }, kUnsupported,
       "q.row is 68: expected a multiple of 8 elements, 16 bytes"},
      {[](Attention& a) { a.q = at(int64_t{1} << 62, 96 * 64, 64); }, kInvalid,
       "q.batch is 4611686018427387904: expected 64 to"},
      {[](Attention& a) { a.batch = 1 << 10, a.q = at(int64_t{1} << 38, 96 * 64, 64); }, kInvalid,
       "the strides of q span more than 2^47 bytes"},
      // Heads of O begin inside the rows of other heads.
      {[](Attention& a) { a.o = at(8 * 96 * 64, 95 * 64, 64); }, kInvalid,
       "o.head is 6080: expected at least 6144, so that the ranges of different heads do not "
       "overlap"},
      {[](Attention& a) { a.o = at(8 * 96 * 64 - 64, 96 * 64, 64); }, kInvalid, "o.batch is"},
  };
  const tilecast_options options = on_h200();
  for (const auto& [spoil, status, text] : cases) {
    INFO(text);
    tilecast_attention problem = small();
    spoil(problem);
    CHECK(predict_attention(problem, options) == status);
    tilecast_plan* plan = reinterpret_cast<tilecast_plan*>(&problem);
    CHECK(tilecast_attention_plan_create(&problem, &options, &plan) == status);
    CHECK(plan == nullptr);
    CHECK(contains(error(), text));
  }
}

TEST_CASE("Inputs of attention may overlap, and strides of dimensions of length 1 do not count") {
  tilecast_attention windows = small();  // overlapping windows of one sequence of keys
  windows.k = windows.v = {64, 170 * 64, 64};
  CHECK(predict_attention(windows, on_h200()) == TILECAST_OK);
  tilecast_attention one = small();
  one.batch = 1;
  one.q = one.o = {1, 64, 8 * 64};  // layout [b,s,h,d]
  CHECK(predict_attention(one, on_h200()) == TILECAST_OK);
}

TEST_CASE("Options that attention does not have are refused") {
  tilecast_options options = on_h200();
  options.programmatic = 1;
  CHECK(predict_attention(small(), options) == TILECAST_UNSUPPORTED);
  CHECK(error() == "options.programmatic is not supported for attention");
  options = on_h200();
  options.config = "pipelined:tile=64x64x64";
  CHECK(predict_attention(small(), options) == TILECAST_INVALID_ARGUMENT);
  options = on_h200();
  options.gpu = "b200";
  CHECK(predict_attention(small(), options) == TILECAST_UNSUPPORTED);
  CHECK(error().starts_with("attention kernels require wgmma, which"));
}

TEST_CASE("Arguments of attention are checked before any is used") {
  const tilecast_attention problem = tilecast::attention(1, 1, 1, 64, 64, 64, TILECAST_FP16);
  const TestPlan plan(problem, with_config());
  constexpr size_t kTensor = 64 * 64 * 2;
  alignas(16) static char memory[4 * kTensor + 64];
  const auto status = [&](auto spoil) {
    tilecast_attention_arguments arguments = TILECAST_ATTENTION_ARGUMENTS_INIT;
    arguments.q = memory;
    arguments.k = memory + kTensor;
    arguments.v = memory + 2 * kTensor;
    arguments.o = memory + 3 * kTensor;
    spoil(arguments);
    return tilecast_attention_run(plan.get(), &arguments, nullptr);
  };
  const auto refused = [&](auto spoil) {
    CHECK(status(spoil) == TILECAST_INVALID_ARGUMENT);
    return error();
  };
  using Arguments = tilecast_attention_arguments;
  CHECK(refused([](Arguments& a) { a.q = nullptr; }) == "q is null");
  CHECK(refused([](Arguments& a) { a.v = nullptr; }) == "v is null");
  CHECK(refused([](Arguments& a) { a.o = nullptr; }) == "o is null");
  CHECK(refused([](Arguments& a) { a.k = memory + 8; }) == "k is not 16-byte aligned");
  CHECK(refused([](Arguments& a) { a.o = memory + 3 * kTensor + 2; }) ==
        "o is not 16-byte aligned");
  CHECK(refused([](Arguments& a) { a.lse = reinterpret_cast<float*>(memory); }) ==
        "lse is given, but the problem has none");
  for (const float scale : {-1.0F, std::nanf(""), std::numeric_limits<float>::infinity()}) {
    CHECK(refused([&](Arguments& a) { a.scale = scale; }).starts_with("scale must be above 0"));
  }
  CHECK(refused([](Arguments& a) { a.reserved = 1; }) == "reserved must be 0");
  // O has 8192 bytes: O in place of another tensor, and O whose first or last 16 bytes overlap one.
  CHECK(refused([](Arguments& a) { a.o = memory; }) ==
        "the range of o overlaps or interleaves with that of q, k or v");
  CHECK(refused([](Arguments& a) { a.o = memory + 3 * kTensor - 16; }) ==
        "the range of o overlaps or interleaves with that of q, k or v");
  CHECK(refused([](Arguments& a) {
          a.k = a.v = memory;
          a.o = memory + 2 * kTensor;
          a.q = memory + 3 * kTensor - 16;
        }) == "the range of o overlaps or interleaves with that of q, k or v");
  CHECK(
      refused([](Arguments& a) { a.struct_size = 0; }).starts_with("arguments has a struct_size"));
  CHECK(tilecast_attention_run(plan.get(), nullptr, nullptr) == TILECAST_INVALID_ARGUMENT);
  CHECK(tilecast_attention_run(nullptr, nullptr, nullptr) == TILECAST_INVALID_ARGUMENT);
  CHECK(error() == "the plan is null");
}

TEST_CASE("Rows of O between those of K are refused, though no element is in both") {
  tilecast_attention problem = tilecast::attention(1, 1, 1, 64, 64, 64, TILECAST_FP16);
  problem.k = problem.o = {64 * 2 * 64, 64 * 2 * 64, 2 * 64};
  const TestPlan plan(problem, with_config());
  alignas(16) static char memory[4 * 64 * 64 * 2];
  tilecast_attention_arguments arguments = TILECAST_ATTENTION_ARGUMENTS_INIT;
  arguments.q = arguments.v = memory + 2 * 64 * 64 * 2;
  arguments.k = memory;
  arguments.o = memory + 64 * 2;
  CHECK(tilecast_attention_run(plan.get(), &arguments, nullptr) == TILECAST_INVALID_ARGUMENT);
  CHECK(error() == "the range of o overlaps or interleaves with that of q, k or v");
}

TEST_CASE("A plan is run by the function of its operation") {
  const TestPlan attention(small(), with_config());
  tilecast_arguments arguments = TILECAST_ARGUMENTS_INIT;
  CHECK(tilecast_plan_run(attention.get(), &arguments, nullptr) == TILECAST_INVALID_ARGUMENT);
  CHECK(error().starts_with("the plan is for another operation"));
  tilecast_options options = on_h200();
  options.gpu = "b200";
  const tilecast::Plan gemm(tilecast::problem(256, 256, 256, TILECAST_FP16), options);
  tilecast_attention_arguments of_attention = TILECAST_ATTENTION_ARGUMENTS_INIT;
  CHECK(tilecast_attention_run(gemm.get(), &of_attention, nullptr) == TILECAST_INVALID_ARGUMENT);
  CHECK(error().starts_with("the plan is for another operation"));
}

TEST_CASE("A log-sum-exp is required if the problem has one, and overlaps nothing") {
  tilecast_attention problem = tilecast::attention(1, 1, 1, 64, 64, 64, TILECAST_FP16);
  problem.lse = 1;
  const TestPlan plan(problem, with_config());
  alignas(16) static char memory[4 * 8192 + 64];
  tilecast_attention_arguments arguments = TILECAST_ATTENTION_ARGUMENTS_INIT;
  arguments.q = memory;
  arguments.k = arguments.v = memory + 8192;
  arguments.o = memory + 2 * 8192;
  const auto refused = [&](char* lse) {
    arguments.lse = reinterpret_cast<float*>(lse);
    CHECK(tilecast_attention_run(plan.get(), &arguments, nullptr) == TILECAST_INVALID_ARGUMENT);
    return error();
  };
  CHECK(refused(nullptr) == "lse is null");
  CHECK(refused(memory + 3 * 8192 + 2) == "lse is not 4-byte aligned");
  // lse has 64 numbers, the last of which overlaps O's first.
  CHECK(refused(memory + 2 * 8192 - 63 * 4) ==
        "the range of lse overlaps or interleaves with that of q, k, v or o");
  CHECK(refused(memory + 3 * 8192 - 4) ==
        "the range of lse overlaps or interleaves with that of q, k, v or o");
}

TEST_CASE("Splits and drawn tiles of attention need a workspace") {
  const tilecast_attention problem = tilecast::attention(1, 8, 1, 1, 8192, 128, TILECAST_BF16);
  const TestPlan split(problem, with_config("attention_specialized:tile=64x128,stages=2,ctas=1,"
                                            "grid=resident,order=dynamic,splits=4,pack=yes"));
  const size_t bytes = split.workspace_bytes();
  // Two counters of draws and one for the only tile are rounded up to 256 bytes; then 4 splits of 8
  // rows with 128 sums and a log-sum-exp each.
  CHECK(bytes == 256 + 4 * 8 * (128 + 1) * 4);
  alignas(16) static char memory[64];
  CHECK(tilecast_plan_clear_workspace(split.get(), memory, bytes - 1, nullptr) ==
        TILECAST_WORKSPACE_TOO_SMALL);
  CHECK(tilecast_plan_clear_workspace(split.get(), nullptr, bytes, nullptr) ==
        TILECAST_INVALID_ARGUMENT);

  const TestPlan plain(problem, with_config());
  CHECK(plain.workspace_bytes() == 0);
  tilecast_forecast forecast = tilecast::blank_forecast();
  CHECK(tilecast_plan_forecast(plain.get(), &forecast) == TILECAST_OK);
  CHECK(std::string(forecast.config) == kPlain);
}

TEST_CASE("Tuning of attention needs a file, arguments and no configuration") {
  const tilecast_attention problem = small();
  tilecast_attention_arguments arguments = TILECAST_ATTENTION_ARGUMENTS_INIT;
  tilecast_tuning tuning = TILECAST_TUNING_INIT;
  tilecast_options options = on_h200();
  tilecast_plan* plan = nullptr;
  const auto tune = [&](const tilecast_attention_arguments* given) {
    return tilecast_attention_plan_tune(&problem, &options, &tuning, given, nullptr, &plan,
                                        nullptr);
  };
  CHECK(tune(&arguments) == TILECAST_INVALID_ARGUMENT);
  CHECK(error() == "tuning.file is empty: expected a path for the results");
  tuning.file = "/nonexistent/folder/tuned.jsonl";
  CHECK(tune(nullptr) == TILECAST_INVALID_ARGUMENT);
  CHECK(error() == "arguments is null");
  options.config = kPlain;
  CHECK(tune(&arguments) == TILECAST_INVALID_ARGUMENT);
  CHECK(error() == "options.config is given, but tuning chooses one");
  CHECK(plan == nullptr);
}
