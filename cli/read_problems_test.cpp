#include "cli/read_problems.h"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "model/base/error.h"
#include "tests/catch.h"
#include "tests/error_message.h"

using namespace tilecast;

namespace {

std::vector<ListedProblem> read(const std::string& text, const Shard& shard = {}) {
  std::istringstream input(text);
  std::vector<ListedProblem> problems;
  read_problems(input, "list", {}, shard,
                [&](ListedProblem p) { problems.push_back(std::move(p)); });
  return problems;
}

/// Returns each problem, or why it is invalid.
std::vector<std::string> texts_of(const std::string& list, const ProblemDefaults& defaults = {}) {
  std::istringstream input(list);
  std::vector<std::string> texts;
  read_problems(input, "list", defaults, {}, [&](const ListedProblem& p) {
    texts.push_back(p.error.empty() ? to_text(p.problem) : p.error);
  });
  return texts;
}

}  // namespace

TEST_CASE("Problems of attention have named numbers, or a shape") {
  const std::string expected = "4x32:8x128x4096x64 bf16 causal bhsd";
  CHECK(texts_of(R"({"op":"attention","batch":4,"heads":32,"kv_heads":8,"queries":128,)"
                 R"("keys":4096,"head_dim":64,"dtype":"bf16","mask":"causal"})"
                 "\n") == std::vector{expected});
  CHECK(texts_of("op,batch,heads,kv_heads,queries,keys,head_dim,dtype,mask\n"
                 "attention,4,32,8,128,4096,64,bf16,causal\n") == std::vector{expected});
  CHECK(texts_of(R"({"op":"attention","shape":"4x32:8x128x4096x64","dtype":"bf16",)"
                 R"("mask":"causal"})"
                 "\n") == std::vector{expected});
  CHECK(texts_of(R"({"op":"attention","batch":4,"heads":32,"queries":128,"head_dim":64})"
                 "\n") == std::vector<std::string>{"keys: missing"});
}

TEST_CASE("Shapes, ranges, JSON and CSV are lists of problems") {
  CHECK(texts_of(" 512 256\t128 \n") == std::vector<std::string>{"512x256x128 fp16 tn"});
  const auto shapes = read("512x512x512\n\n1024x512:1024:256x64\r\n");
  REQUIRE(shapes.size() == 4);
  CHECK(to_text(shapes[3].problem) == "1024x1024x64 fp16 tn");
  CHECK(shapes[3].index == 4);
  CHECK(shapes[3].line == 3);
  const auto json = read(
      "{\"m\":512,\"n\":256,\"k\":128,\"dtype\":\"bf16\",\"regime\":\"sustained\"}\n"
      "{\"shape\":\"64x64x64\",\"layout\":\"nn\",\"epilogue\":\"silu\"}\n{\"op\":\"memcpy\",\"m\":"
      "4096}\n");
  REQUIRE(json.size() == 3);
  CHECK(to_text(json[0].problem) == "512x256x128 bf16 tn");
  CHECK(json[0].regime == Regime::kSustained);
  CHECK(to_text(json[1].problem) == "64x64x64 fp16 nn silu");
  CHECK(op_of(json[2].problem) == Op::kMemcpy);
  const auto fp8 = read("{\"shape\":\"64x64x64\",\"dtype\":\"e4m3\",\"dtype_c\":\"fp16\"}\n");
  REQUIRE(fp8.size() == 1);
  CHECK(to_text(fp8[0].problem) == "64x64x64 e4m3->fp16 tn");
  CHECK(read("{\"shape\":\"64x64x64\",\"dtype\":\"e4m3\",\"dtype_c\":\"e5m2\"}\n")[0].error ==
        "dtype_c 'e5m2': expected bf16, fp16, fp32 or e4m3");
  const auto exact = read(
      "{\"shape\":\"64x64x64\",\"dtype\":\"e4m3\",\"accumulate\":\"exact\"}\n"
      "{\"shape\":\"64x64x64\",\"dtype\":\"bf16\",\"accumulate\":\"exact\"}\n");
  REQUIRE(exact.size() == 2);
  CHECK(to_text(exact[0].problem) == "64x64x64 e4m3 tn exact");
  CHECK(exact[1].error == "accumulate 'exact': applies only to fp8 operands, not bf16");
  const auto csv = read("name,m,n,k,dtype\nfirst,8,16,32,bf16\n\"a, b\",8,16,64,\n");
  REQUIRE(csv.size() == 2);
  CHECK(to_text(csv[0].problem) == "8x16x32 bf16 tn");
  CHECK(to_text(csv[1].problem) == "8x16x64 fp16 tn");
}

TEST_CASE("Leading dimensions follow a shape or are fields") {
  CHECK(texts_of("64x64x64:128:64 lda=136\n64x64x63 ldb=64 ldc=72\n") ==
        std::vector<std::string>{"64x64x64 fp16 tn lda=136", "64x64x128 fp16 tn lda=136",
                                 "64x64x63 fp16 tn ldb=64 ldc=72"});
  CHECK(texts_of("m,n,k,lda,ldb\n64,64,63,64,\n64,64,64,64,65\n") ==
        std::vector<std::string>{"64x64x63 fp16 tn lda=64", "64x64x64 fp16 tn ldb=65"});
  CHECK(texts_of("{\"shape\":\"64x64x64\",\"lda\":32}\n") ==
        std::vector<std::string>{"lda is 32: expected 64 to 274877906944, or 0"});
}

TEST_CASE("A problem's batch is in its shape, a separate field, or the default") {
  const auto with_default = [](const std::string& list) { return texts_of(list, {.batch = "4"}); };
  CHECK(with_default("64x64x64\n8:b*64x64x64\n64:128:64x64x64\n") ==
        std::vector<std::string>{"4*64x64x64 fp16 tn", "8:b*64x64x64 fp16 tn", "4*64x64x64 fp16 tn",
                                 "4*128x64x64 fp16 tn"});
  CHECK(with_default("shape,batch\n64x64x64,8\n64x64x64,\n") ==
        std::vector<std::string>{"8*64x64x64 fp16 tn", "4*64x64x64 fp16 tn"});
  CHECK(with_default("m,n,k,batch\n64,64,64,2\n64,64,64,1\n") ==
        std::vector<std::string>{"2*64x64x64 fp16 tn", "64x64x64 fp16 tn"});
  CHECK(with_default("{\"shape\":\"8*64x64x64\",\"batch\":4}\n") ==
        std::vector<std::string>{"batch '4': SHAPE '8*64x64x64' also gives a batch"});
  CHECK(with_default("{\"op\":\"memcpy\",\"m\":4096}\n") ==
        std::vector<std::string>{"a batch applies only to gemm, not to memcpy"});
}

TEST_CASE("A problem's groups are in its shape, or a field that replaces m") {
  const std::string groups = "[256,0,17]x64x128 fp16 tn";
  CHECK(texts_of("[256,0,17]x64x128\n"
                 "{\"shape\":\"[4*8]x64x128\"}\n"
                 "{\"m\":273,\"groups\":[256,0,17],\"n\":64,\"k\":128}\n"
                 "{\"shape\":\"64x64x64\",\"groups\":\"8,8\"}\n") ==
        std::vector<std::string>{
            groups, "[4*8]x64x128 fp16 tn", groups,
            "groups: expected the other two dimensions as m, n or k, not as shape"});
  CHECK(texts_of("m,n,k,groups\n273,64,128,\"256,0,17\"\n64,64,64,\n") ==
        std::vector<std::string>{groups, "64x64x64 fp16 tn"});
  const std::string along_k = "64x128x[256,0,17] fp16 nt";
  CHECK(texts_of(
            "64x128x[256,0,17]\n"
            "{\"m\":64,\"n\":128,\"groups\":[256,0,17],\"groups_along\":\"k\",\"layout\":\"nt\"}\n"
            "{\"m\":64,\"n\":128,\"k\":273,\"groups\":\"k:256,0,17\",\"layout\":\"nt\"}\n"
            "{\"m\":64,\"n\":128,\"k\":272,\"groups\":\"k:256,0,17\"}\n"
            "{\"m\":64,\"n\":128,\"groups\":\"8,8\",\"groups_along\":\"n\"}\n"
            "{\"m\":64,\"n\":128,\"k\":64,\"groups_along\":\"k\"}\n") ==
        std::vector<std::string>{"64x128x[256,0,17] fp16 tn", along_k, along_k,
                                 "k: expected 273, the rows of all groups, got 272",
                                 "groups_along: expected m or k, got n",
                                 "groups_along: requires groups"});
}

TEST_CASE("A byte-order mark is ignored, and an unreadable list is an error") {
  const auto marked = read(
      "\xEF\xBB\xBF"
      "64x64x64\n");
  REQUIRE(marked.size() == 1);
  CHECK(to_text(marked[0].problem) == "64x64x64 fp16 tn");
  std::ifstream folder(std::filesystem::temp_directory_path());
  CHECK(ERROR_MESSAGE(read_problems(folder, "list", {}, {}, [](const ListedProblem&) {})) ==
        "6 list: expected a file, got a folder");
}

TEST_CASE("A JSON list holds objects of tilecast and of CUTLASS's heuristics") {
  const auto list = read(
      " [{\"m\": 8, \"n\": 16, \"k\": 32},\n {\"m\": 8, \"n\": 16, \"k\": 32, \"layout\": "
      "\"tnn\",\n"
      "  \"dtype_a\": \"bf16\", \"dtype_b\": \"bf16\", \"dtype_d\": \"bf16\"},\n"
      " {\"shape\": \"64x64x64:128:64\"}, 5]\n");
  REQUIRE(list.size() == 5);
  CHECK(to_text(list[0].problem) == "8x16x32 fp16 tn");
  CHECK(to_text(list[1].problem) == "16x8x32 bf16 tn");
  CHECK(to_text(list[3].problem) == "64x64x128 fp16 tn");
  CHECK(list[3].line == 3);
  CHECK(list[4].error == "expected a JSON object");
  // The error names the line of the bracket after the comma, the third.
  for (const char* wrong : {"[{\"m\": 8}", "# one\n[{\"shape\": \"8x8x8\"},\n]\n"}) {
    const std::string message = ERROR_MESSAGE(read(wrong));
    CAPTURE(message);
    CHECK(message.starts_with(wrong[0] == '#' ? "2 list:3: expected a JSON list of problems - "
                                              : "2 list:1: expected a JSON list of problems - "));
    CHECK(contains(message, "unexpected"));
  }
  CHECK(ERROR_MESSAGE(read("[{\"m\": 1e400}]")) == "2 list: contains a number that is too large");
  const auto lines = read("{\"m\":1e400,\"n\":8,\"k\":8}\n64x64x64\n");
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].error == "contains a number that is too large");
  CHECK(lines[1].error.empty());
}

TEST_CASE("A list without a problem is an error, a shard without one is not") {
  for (const char* none : {"", "\n\n", "[]", "m,n,k\n", "# nothing yet\n"}) {
    CHECK(ERROR_MESSAGE(read(none)) == "2 list: contains no problem");
  }
  CHECK(read("8x8x8\n", {2, 2}).empty());
}

TEST_CASE("Lines that begin with # are comments, and lines keep their numbers") {
  const auto shapes = read("# layers\n8x8x8\n#16x8x8\n\n32x8x8\n");
  REQUIRE(shapes.size() == 2);
  CHECK(to_text(shapes[1].problem) == "32x8x8 fp16 tn");
  CHECK(shapes[1].line == 5);
  const auto csv =
      read("# tilecast plan 1, gpu h200_sxm\nnumber,expected_us,m,n,k\n1,20,8,16,32\n");
  REQUIRE(csv.size() == 1);
  CHECK(to_text(csv[0].problem) == "8x16x32 fp16 tn");
}

TEST_CASE("Unknown and duplicate columns and keys are errors") {
  CHECK(ERROR_MESSAGE(read("m,n,k,dtyp\n8,8,8,bf16\n"))
            .starts_with("2 list:1: dtyp: unknown column; did you mean dtype?; expected any of "));
  CHECK(ERROR_MESSAGE(read("\nm,n,k,m\n8,8,8,9\n")) == "2 list:2: m: duplicate column");
  // Field names are accepted in any case, and measurements' additional columns are accepted.
  const auto csv =
      read("M,N,K,DType,verified,time_us_median,dram__bytes_read.sum\n8,16,32,bf16,1,5,9\n");
  REQUIRE(csv.size() == 1);
  CHECK(to_text(csv[0].problem) == "8x16x32 bf16 tn");
  const auto json = read(
      "{\"M\":8,\"n\":16,\"K\":32}\n{\"m\":8,\"m\":9,\"n\":8,\"k\":8}\n"
      "{\"m\":8,\"M\":9,\"n\":8,\"k\":8}\n");
  REQUIRE(json.size() == 3);
  CHECK(to_text(json[0].problem) == "8x16x32 fp16 tn");
  CHECK(json[1].error == "m: given twice");
  CHECK(json[2].error == "m: given twice");
  CHECK(ERROR_MESSAGE(read("[{\"m\":8,\"m\":9,\"n\":8,\"k\":8}]")) == "2 list: m: given twice");
}

TEST_CASE("Dimensions are those of the op, and m is the rows of all groups") {
  CHECK(texts_of("{\"m\":128,\"n\":128}\n{\"n\":128,\"k\":8}\n{\"op\":\"memcpy\",\"m\":8,\"k\":8}\n"
                 "{\"m\":4,\"groups\":[1,2],\"n\":8,\"k\":8}\n"
                 "{\"groups\":[1,2],\"n\":8,\"k\":8}\n") ==
        std::vector<std::string>{"k: missing", "m: missing", "k: not a dimension of memcpy",
                                 "m: expected 3, the rows of all groups, got 4",
                                 "[1,2]x8x8 fp16 tn"});
}

TEST_CASE("An invalid problem keeps its place and has a reason") {
  const auto problems = read("64x64x64\n64x0x64\n{\"m\":1,\n{\"mm\":1}\n64xx64\n8x8x8\n");
  REQUIRE(problems.size() == 6);
  CHECK(problems[0].error.empty());
  for (std::size_t i = 1; i < 5; ++i) {
    CHECK_FALSE(problems[i].error.empty());
  }
  CHECK(contains(problems[3].error, "mm: unknown"));
  CHECK(problems[5].error.empty());
  CHECK(problems[5].index == 6);
}

TEST_CASE("A first line that is no CSV header is one failed problem; a header may be quoted") {
  const auto problems = read("128x\"8\n64x64x64\n");
  REQUIRE(problems.size() == 2);
  CHECK_FALSE(problems[0].error.empty());
  CHECK(problems[1].error.empty());
  const auto quoted = read("\"m\",\"n\",\"k\"\n64,64,64\n");
  REQUIRE(quoted.size() == 1);
  CHECK(quoted[0].error.empty());
}

TEST_CASE("Tables written by pandas and by spreadsheets are read") {
  // Accepts an unnamed index column, padding around fields, torch dtype names, and a trailing row
  // of commas.
  const auto problems = read(",m, n, k ,dtype\n0,64,32, 16 ,torch.bfloat16\n,,,,\n ,\t, , ,\n");
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].error.empty());
  CHECK(to_text(problems[0].problem) == "64x32x16 bf16 tn");
  CHECK(texts_of("{\"name\":\"layer 3\",\"m\":8,\"n\":8,\"k\":8}\n") ==
        std::vector<std::string>{"8x8x8 fp16 tn"});
}

TEST_CASE("Layouts NN and TT are refused with their meanings here and in BLAS") {
  const auto problems = read("m,n,k,layout\n8,8,8,NN\n8,8,8,nn\n8,8,8,TN\n");
  REQUIRE(problems.size() == 3);
  CHECK(problems[0].error ==
        "layout 'NN': expected tilecast's name in lower case: nn for A [M,K] and B [K,N], which "
        "BLAS calls TT, or tt for A [K,M] and B [N,K], which BLAS calls NN");
  CHECK(to_text(problems[1].problem) == "8x8x8 fp16 nn");
  CHECK(to_text(problems[2].problem) == "8x8x8 fp16 tn");  // the same layout in BLAS notation
}

TEST_CASE("Shards take turns, and each problem is in one of them") {
  std::string text;
  for (int i = 1; i <= 10; ++i) {
    text += std::to_string(8 * i) + "x64x64\n";
  }
  std::size_t all = 0;
  for (const i64 shard : {1, 2, 3}) {
    const auto problems = read(text, {shard, 3});
    all += problems.size();
    for (const ListedProblem& p : problems) {
      CHECK(static_cast<i64>(p.index % 3) == shard % 3);
    }
  }
  CHECK(all == 10);
}
