#include "validate/plan/suite.h"

#include <set>

#include "model/base/error.h"
#include "model/gemm/config/kernel_config_text.h"
#include "tests/catch.h"
#include "tests/error_message.h"
#include "tests/h200.h"

using namespace tilecast;

namespace {

Suite suite_of(const std::string& text) { return parse_suite(parse_yaml(text, "suite.yaml")); }

SuitePoints expanded(const std::string& text) { return expand_suite(suite_of(text), h200()); }

std::vector<std::string> problems_of(const SuitePoints& suite) {
  std::vector<std::string> problems;
  for (const SuitePoint& point : suite.points) {
    problems.push_back(to_text(point.point.problem));
  }
  return problems;
}

std::string complaint(const std::string& text) { return ERROR_TEXT(suite_of(text)); }

}  // namespace

TEST_CASE("A range in any dimension expands to each step up to its end") {
  CHECK(expand_shapes("64x100:300:100x512") ==
        std::vector<std::string>{"64x100x512", "64x200x512", "64x300x512"});
  CHECK(expand_shapes("1:2:1x1:2:1x8").size() == 4);
  CHECK(expand_shapes("8x8x8:20:8").size() == 2);  // 8 and 16, since 24 exceeds 20
  CHECK(expand_shapes("8x8x8:20:8 ldb=24")[1] == "8x8x16 ldb=24");
  CHECK(expand_shapes("32:b*8x8x8:16:8")[1] == "32:b*8x8x16");
}

TEST_CASE("Heads and KV heads of attention are no range") {
  CHECK(op_of_shape("4x32:8x4096x4096x128") == Op::kAttention);
  CHECK(expand_shapes("4x32:8x4096x4096x128") == std::vector<std::string>{"4x32:8x4096x4096x128"});
  CHECK(expand_shapes("4x32:8x512:1024:512x4096x128") ==
        std::vector<std::string>{"4x32:8x512x4096x128", "4x32:8x1024x4096x128"});
}

TEST_CASE("A suite of attention has its masks, and cuDNN next to the kernels") {
  std::map<std::string, int> of_problem;
  for (const SuitePoint& point :
       expanded("ops: [attention]\nshapes: [\"1x8:2x64x128x64\"]\ndtypes: [bf16]\n"
                "masks: [full, causal]\nlse: [\"yes\"]\nlayouts: [bshd]\n"
                "configs: [cudnn:sdpa, best: 1]\n")
           .points) {
    CHECK(point.refusal == "");
    ++of_problem[to_text(point.point.problem)];
  }
  // One of each schedule except ping-pong, which needs two or more warpgroups, and cuDNN.
  CHECK(of_problem.size() == 2);
  CHECK(of_problem.begin()->first == "1x8:2x64x128x64 bf16 causal bshd lse");
  CHECK(of_problem.begin()->second >= 4);
}

TEST_CASE("A suite has a limit of shapes and of points") {
  CHECK(complaint("shapes: [1:250:1x1:200:1x64, 1:250:1x1:200:1x128, 8x8x8]\nconfigs: all\n") ==
        "suite.yaml:1: shapes[2]: expected at most 100,000 shapes in all");
  const Suite suite = suite_of("shapes: [512x512x512]\nconfigs: [best: 3]\n");
  const std::size_t count = expand_suite(suite, h200()).points.size();
  CHECK(expand_suite(suite, h200(), count).points.size() == count);
  CHECK(
      ERROR_TEXT(expand_suite(suite, h200(), count - 1)).starts_with("configs: expected at most "));
}

TEST_CASE("A malformed shape or range is an error") {
  for (const char* text : {"64x64x64x64", "64x64x0", "64x64x-8", "64x64x8:4:1", "64x64x8:16",
                           "axbxc", "64x64x1:100000000:1", "64x64x8:16:0"}) {
    CHECK_THROWS_AS(expand_shapes(text), ConfigError);
  }
}

TEST_CASE("The number of dimensions determines a shape's op") {
  CHECK(op_of_shape("64x100x8 lda=16") == Op::kGemm);
  CHECK(op_of_shape("32:b*[64,3]x100x8") == Op::kGemm);
  CHECK(op_of_shape("64x100") == Op::kElementwiseAdd);
  CHECK(op_of_shape("8589934592") == Op::kMemcpy);
}

TEST_CASE("In a suite of several ops each shape gets the configurations of its op") {
  const std::string texts =
      "configs: [cudart:memcpy_async, "
      "'memcpy_cpasync:block=1x4096,warps=8,vector=16,ctas=8,layout=plain,order=blocks,hint=none', "
      "'elementwise_add:block=8x256,warps=8,vector=16,ctas=4,view=flat,order=blocks,hint=none']\n";
  const SuitePoints suite = expanded(
      "shapes: [1048576, 1024x1024]\nops: [memcpy, elementwise_add]\ndtypes: [fp32, bf16]\n" +
      texts);
  CHECK(suite.points.size() == 6);  // two types: two copies and one addition each
  for (const SuitePoint& point : suite.points) {
    CHECK(point.refusal == "");
    CHECK((op_of(point.point.problem) == Op::kElementwiseAdd) ==
          point.point.config.starts_with("elementwise_add:"));
  }
  CHECK(contains(complaint("shapes: [1024x1024]\nops: [memcpy]\n" + texts), "elementwise_add"));
}

TEST_CASE("With 16-bit operands C has their type, or a type that is not 16 bits wide") {
  const std::string rest = "schedules: [pipelined]\nconfigs: [best: 1]\nshapes: [512x512x512]\n";
  CHECK(problems_of(expanded(rest + "dtypes: [fp16, e4m3]\ndtypes_c: [bf16, fp16]\n")) ==
        std::vector<std::string>{"512x512x512 fp16 tn", "512x512x512 e4m3 tn",
                                 "512x512x512 e4m3->fp16 tn"});
  CHECK(problems_of(expanded(rest + "dtypes: [fp16]\ndtypes_c: [bf16, fp32]\n")) ==
        std::vector<std::string>{"512x512x512 fp16 tn", "512x512x512 fp16->fp32 tn"});
  CHECK(contains(complaint("shapes: [512x512x512]\ndtypes_c: [e5m2]\nconfigs: [best: 1]\n"),
                 "dtype_c 'e5m2': expected bf16, fp16, fp32 or e4m3"));
}

TEST_CASE("Fast and exact accumulation are separate problems if there is a choice") {
  const std::vector<std::string> problems = problems_of(expanded(
      "shapes: [512x512x512]\ndtypes: [fp16, e4m3]\naccumulate: [fast, exact]\n"
      "epilogues: [none, scale_row, scale_block]\nschedules: [ping_pong]\nconfigs: [best: 1]\n"));
  CHECK(problems == std::vector<std::string>{
                        "512x512x512 fp16 tn", "512x512x512 e4m3 tn", "512x512x512 e4m3 tn exact",
                        "512x512x512 e4m3 tn scale_row", "512x512x512 e4m3 tn exact scale_row",
                        "512x512x512 e4m3 tn scale_block"});
}

TEST_CASE("Best and random apply to each schedule, and cuBLASLt adds two") {
  const SuitePoints suite = expanded(
      "shapes: [1024x1024x1024]\nschedules: [pipelined, warp_specialized]\n"
      "configs: [{best: 3}, {random: 2, seed: 7}]\ncublaslt: true\n");
  CHECK(suite.points.size() == 12);  // 2 x (3 + 2) + 2
  std::set<std::string> texts;
  int pipelined = 0;
  for (const SuitePoint& point : suite.points) {
    texts.insert(point.point.config);
    pipelined += point.point.config.starts_with("pipelined:") ? 1 : 0;
    CHECK(point.refusal.empty());
  }
  CHECK(texts.size() == 12);
  CHECK(pipelined == 5);
  CHECK(texts.contains("cublaslt:top1"));
  CHECK(texts.contains("cublaslt:best"));
}

TEST_CASE("Each epilogue of a suite is a separate problem") {
  CHECK(problems_of(expanded("shapes: [512x512x512]\nepilogues: [none, bias_n+gelu]\nconfigs:\n"
                             "  - best: 1\nschedules: [ping_pong]\n")) ==
        std::vector<std::string>{"512x512x512 fp16 tn", "512x512x512 fp16 tn bias_n+gelu"});
}

TEST_CASE("Expanding a suite is deterministic") {
  const std::string text =
      "shapes: [512x512x512]\nregimes: [burst, sustained]\nconfigs: {random: 4, seed: 3}\n";
  const SuitePoints once = expanded(text), twice = expanded(text);
  REQUIRE(once.points.size() == twice.points.size());
  for (std::size_t i = 0; i < once.points.size(); ++i) {
    CHECK(once.points[i].point == twice.points[i].point);
  }
}

TEST_CASE("A configuration that cannot run on a shape is listed with the reason") {
  const std::string too_much_memory =
      "pipelined:tile=256x256x64,stages=8,warpgroups=2x1,ctas=1,inflight=0,c_slots=2,"
      "raster=grouped_m,group=1";  // 8 stages of 64 KiB are 512 KiB
  const SuitePoints suite =
      expanded("shapes: [512x512x512]\nconfigs: ['" + too_much_memory + "']\n");
  REQUIRE(suite.points.size() == 1);
  CHECK_FALSE(suite.points[0].refusal.empty());
}

TEST_CASE("A problem that no kernel solves is omitted with a note") {
  const SuitePoints suite =
      expanded("shapes: [512x512x512 ldc=513, 512x512x512]\ncublaslt: true\n");
  CHECK(suite.points.size() == 2);
  REQUIRE(suite.notes.size() == 1);
  CHECK(contains(suite.notes[0], "512x512x512 fp16 tn ldc=513"));
}

TEST_CASE("An invalid suite is an error that names file, line and key") {
  CHECK(contains(complaint("configs: all\n"), "shapes"));
  CHECK(contains(complaint("shapes: [8x8x8]\n"), "cublaslt"));
  CHECK(contains(complaint("shapes: [8x8x8]\nconfgs: all\n"), "did you mean configs"));
  CHECK(contains(complaint("shapes:\n  - 8x8x8\n  - 8x8\nconfigs: all\n"), "suite.yaml:3"));
  CHECK_FALSE(complaint("shapes: [8x8x8]\nconfigs: {best: 2, random: 2}\n").empty());
  CHECK_FALSE(complaint("shapes: [8x8x8]\nconfigs: {random: 2}\n").empty());
  CHECK_FALSE(complaint("shapes: [8x8x8]\nconfigs: {best: 0}\n").empty());
  CHECK(contains(complaint("shapes: [8x8x8]\nconfigs: all\ncounters: fll\n"), "did you mean full"));
  CHECK_FALSE(complaint("shapes: [8x8x8]\nconfigs: all\nops: [memcpy]\n").empty());
  CHECK_FALSE(complaint("shapes: [8x8x8]\nconfigs: all\nregimes: [cold]\n").empty());
  CHECK_FALSE(complaint("shapes: [8x8x8]\nconfigs: ['pipelined:tile=1']\n").empty());
}

TEST_CASE("The committed suites load and expand to legal points") {
  for (const char* name : {"smoke", "h200_ladder", "h200_reference_schedules",
                           "h200_reference_statements", "h200_reference_small_mma"}) {
    const Suite suite = load_suite(std::string("validate/suites/") + name + ".yaml");
    const SuitePoints all = expand_suite(suite, h200());
    CHECK(all.notes.empty());
    CHECK(all.points.size() >= suite.shapes.size() * 4);
    for (const SuitePoint& point : all.points) {
      CHECK(point.refusal.empty());
    }
  }
}
