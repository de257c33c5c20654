#include "validate/compare/data_split.h"

#include "model/base/file.h"
#include "model/gemm/problem/group_rows.h"
#include "model/ops/problem_fields.h"
#include "tests/catch.h"
#include "tests/error_message.h"
#include "tests/temporary_folder.h"

namespace tilecast {
namespace {

const std::string kText =
    "rule: every third\njudge: [512x512x512, 64x128x256 nn bf16]\nunfitted_tiles: [128x192]\n";

DataSplit split_of(const std::string& text) {
  return DataSplit::parse(parse_yaml(text, "split.yaml"));
}

std::string complaint(const std::string& text) { return ERROR_TEXT(split_of(text)); }

Point point(GemmShape shape, const std::string& tile, Layout layout = Layout::kTn,
            ElementType dtype = ElementType::kFp16) {
  Point made;
  made.problem = GemmProblem{shape, dtype, layout};
  made.config = "blocked:tile=" + tile + ",warpgroups=2x1,ctas=1,c_slots=0,raster=hilbert,group=1";
  return made;
}

TEST_CASE("A test problem is held out with every tile, a held-out tile on all other problems") {
  const DataSplit split = split_of(kText);
  CHECK(split.part_of(point({512, 512, 512}, "128x128x64")) == DataPart::kJudge);
  CHECK(split.part_of(point({512, 512, 512}, "128x192x64")) == DataPart::kJudge);
  CHECK(split.part_of(point({64, 128, 256}, "128x128x64")) == DataPart::kFit);
  CHECK(split.part_of(point({64, 128, 256}, "128x128x64", Layout::kNn, ElementType::kBf16)) ==
        DataPart::kJudge);
  CHECK(split.part_of(point({1024, 512, 512}, "128x192x128")) == DataPart::kTiles);
  CHECK(split.part_of(point({1024, 512, 512}, "192x128x128")) == DataPart::kFit);
  Point baseline = point({1024, 512, 512}, "128x128x64");
  baseline.config = std::string(kCublasltTop1);
  CHECK(split.part_of(baseline) == DataPart::kFit);
}

TEST_CASE("Batches and groups are separate problems") {
  const DataSplit split =
      split_of("rule: x\njudge: [8*64x128x256, \"[64,0,32]x128x256\"]\nunfitted_tiles: []\n");
  Point one = point({64, 128, 256}, "64x128x64");
  CHECK(split.part_of(one) == DataPart::kFit);
  std::get<GemmProblem>(one.problem).batch.products = 8;
  CHECK(split.part_of(one) == DataPart::kJudge);
  CHECK(split.part_of(point({96, 128, 256}, "64x128x64")) == DataPart::kFit);
  Point groups = point({0, 128, 256}, "64x128x64");
  groups.problem = in_groups(std::get<GemmProblem>(groups.problem), {64, 0, 32});
  CHECK(split.part_of(groups) == DataPart::kJudge);
  groups.problem = in_groups(std::get<GemmProblem>(groups.problem), {64, 32});
  CHECK(split.part_of(groups) == DataPart::kFit);
}

TEST_CASE("A split of attention holds out its problems and keeps no rows of other ops") {
  const std::string text = "4x32:8x4096x4096x128 bf16 causal bhsd";
  const DataSplit split = split_of("rule: x\njudge: [\"" + text + "\"]\nunfitted_tiles: []\n");
  Point held;
  held.problem = problem_of(Op::kAttention, "4x32:8x4096x4096x128", ElementType::kBf16, {},
                            {{"mask", "causal"}});
  held.config =
      "attention_single:tile=64x64,stages=2,ctas=1,grid=tiles,order=static,splits=1,pack=no";
  CHECK(to_text(held.problem) == text);
  CHECK(split.part_of(held) == DataPart::kJudge);
  Point fitted = held;
  std::get<AttentionProblem>(fitted.problem).keys = 8192;
  CHECK(split.part_of(fitted) == DataPart::kFit);
  std::vector<MeasurementFile> files(1);
  for (const Point& one : {held, fitted, point({64, 64, 64}, "64x64x64")}) {
    files[0].rows.emplace_back().measurement.point = one;
  }
  keep_part(split, DataPart::kFit, files);
  REQUIRE(files[0].rows.size() == 1);
  CHECK(files[0].rows[0].measurement.point == fitted);
}

TEST_CASE("A problem of another op may omit and reorder words, and must use all of them") {
  const auto judged = [](const std::string& item) {
    return split_of("rule: x\njudge: [\"" + item + "\"]\nunfitted_tiles: []\n");
  };
  Point point;
  point.config =
      "attention_single:tile=64x64,stages=2,ctas=1,grid=tiles,order=static,splits=1,pack=no";
  point.problem = problem_of(Op::kAttention, "4x32:8x4096x4096x128", ElementType::kBf16, {},
                             {{"mask", "causal"}, {"lse", "yes"}});
  for (const char* item : {"4x32:8x4096x4096x128 lse causal bf16",
                           "4x32:8x4096x4096x128 bf16 attention causal bhsd lse"}) {
    CHECK(judged(item).part_of(point) == DataPart::kJudge);
  }
  point.problem = problem_of(Op::kAttention, "4x32:8x4096x4096x128", ElementType::kBf16);
  CHECK(judged("4x32:8x4096x4096x128 bf16 attention").part_of(point) == DataPart::kJudge);
  CHECK(judged("4096x4096 fp32 elementwise_add").has_op(Op::kElementwiseAdd));
  const auto refusal = [](const std::string& item) {
    return complaint("rule: x\njudge: [\"" + item + "\"]\nunfitted_tiles: []\n");
  };
  CHECK(contains(refusal("4x32:8x4096x4096x128 bf16"), "'4x32:8x4096x4096x128 attention'"));
  CHECK(contains(refusal("512x512 bf16"),
                 "expected a GEMM's MxNxK, or '512x512 elementwise_add', got "
                 "'512x512 bf16'"));
  for (const char* word : {"tn", "causal full", "gelu", "4", "memcpy", "yes yes"}) {
    CHECK(refusal("4x32:8x4096x4096x128 bf16 " + std::string(word)).find("split.yaml:2: ") == 0);
  }
}

TEST_CASE("A split without test problems keeps GEMMs alone") {
  const DataSplit split = split_of("rule: x\njudge: []\nunfitted_tiles: [128x192]\n");
  CHECK(split.has_op(Op::kGemm));
  CHECK_FALSE(split.has_op(Op::kAttention));
  CHECK_FALSE(split.has_op(Op::kMemcpy));
}

TEST_CASE("Several files hold out the union of their test problems") {
  const TemporaryFolder folder;
  write_file(folder / "a.yaml", "rule: x\njudge: [64x64x64]\nunfitted_tiles: []\n");
  write_file(folder / "b.yaml", "rule: x\njudge: [32x32x32]\nunfitted_tiles: [128x192]\n");
  const DataSplit both =
      DataSplit::load({(folder / "a.yaml").string(), (folder / "b.yaml").string()});
  CHECK(both.part_of(point({64, 64, 64}, "64x64x64")) == DataPart::kJudge);
  CHECK(both.part_of(point({32, 32, 32}, "64x64x64")) == DataPart::kJudge);
  CHECK(both.part_of(point({64, 32, 32}, "128x192x64")) == DataPart::kTiles);
  CHECK(both.part_of(point({64, 32, 32}, "64x64x64")) == DataPart::kFit);
}

TEST_CASE("An invalid problem or tile is an error that names its line") {
  CHECK(complaint("rule: x\njudge: [512x512]\nunfitted_tiles: []\n").find("split.yaml:2: ") == 0);
  CHECK(complaint("rule: x\njudge: []\nunfitted_tiles: [128]\n").find("split.yaml:3: ") == 0);
  CHECK(contains(complaint("judge: []\nunfitted_tiles: []\n"), "rule"));
}

}  // namespace
}  // namespace tilecast
