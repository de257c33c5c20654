#include "model/gemm/problem/group_text.h"

#include "model/gemm/problem/problem_text.h"
#include "model/ops/any_op.h"
#include "tests/catch.h"
#include "tests/error_message.h"

namespace tilecast {
namespace {

std::string read(std::string_view shape) { return shape_text(gemm_of_shape(shape)); }

}  // namespace

TEST_CASE("Groups replace M in a shape, with equal neighbours abbreviated") {
  CHECK(read("[256,0,17]x4096x7168") == "[256,0,17]x4096x7168");
  CHECK(read("[8192,8192,8192,8192]X4096X7168") == "[4*8192]x4096x7168");
  CHECK(read("[2*0,1*5,2*0]x8x8") == "[2*0,5,2*0]x8x8");
  const AnyProblem problem = gemm_of_shape("[256,0,17]x4096x7168");
  const GemmProblem& gemm = std::get<GemmProblem>(problem);
  CHECK(gemm.shape == GemmShape{273, 4096, 7168});
  CHECK(gemm.groups == GroupRows::of({256, 0, 17}));
  CHECK(gemm.batch == Batch{});
}

TEST_CASE("Groups along K replace K") {
  CHECK(read("4096x7168x[256,0,17]") == "4096x7168x[256,0,17]");
  CHECK(read("64X32X[8192,8192]") == "64x32x[2*8192]");
  const AnyProblem problem = gemm_of_shape("4096x7168x[256,0,17]");
  const GemmProblem& gemm = std::get<GemmProblem>(problem);
  CHECK(gemm.shape == GemmShape{4096, 7168, 273});
  CHECK(gemm.groups == GroupRows::of({256, 0, 17}, 0, GroupSide::kK));
  CHECK(to_text(*gemm.groups) == "k:256,0,17");
  CHECK(parse_group_rows("k:2*5") == GroupRows::of({5, 5}, 0, GroupSide::kK));
  CHECK(parse_group_rows("2*5") != GroupRows::of({5, 5}, 0, GroupSide::kK));
  for (const char* const shape :
       {"4096x[256]x7168", "4096x[256]", "x[256]", "4096x7168x[256", "4096x7168x256]",
        "4096x7168[256]", "4096x7168x[256]x1", "4096x7168x[5/8]", "8*4096x7168x[256]"}) {
    INFO(shape);
    CHECK(ERROR_MESSAGE(read(shape)) != "");
  }
}

TEST_CASE("Masked groups state their capacity") {
  CHECK(read("[5,0,64/128]x4096x7168") == "[5,0,64/128]x4096x7168");
  CHECK(read("[64,64/64]x8x8") == "[2*64/64]x8x8");
  CHECK(parse_group_rows("5,0,64/128") == GroupRows::of({5, 0, 64}, 128));
  CHECK(ERROR_MESSAGE(read("[5,65/64]x8x8")) ==
        "2 groups: expected at most 64 rows per group, the capacity, got 65");
}

TEST_CASE("Invalid groups are an error in one line") {
  for (const char* const rows :
       {"", "0", "0,0", "-1,5", "256,,17", "a", "2*", "*2", "0*5", "1,2,", "2147483647,1", "5/",
        "5/0", "5/-1", "5/5/5", "5,5/1073741824", "2*1073741824", "1048577*1", "9999999999"}) {
    INFO(rows);
    CHECK(
        ERROR_MESSAGE(parse_group_rows(rows))
            .starts_with("2 groups '" + std::string(rows) + "': expected the rows of each group"));
  }
  for (const char* const shape : {"[256,17]", "[256,17]x", "[256,17", "[256]4096x7168",
                                  "[256]x4096", "[256]x4096x7168x2", "32*[256]x4096x7168"}) {
    INFO(shape);
    CHECK(ERROR_MESSAGE(read(shape)) != "");
  }
  // The message quotes the input and not an equivalent GEMM.
  CHECK(ERROR_MESSAGE(read("[1,2]x8")) ==
        "2 shape '[1,2]x8': expected groups as [256,0,17]x4096x7168: rows of each group, then N "
        "and K; or "
        "along K as 4096x7168x[256,0,17]");
  CHECK(ERROR_MESSAGE(read("2*[1,2]x8x8")) ==
        "2 shape '2*[1,2]x8x8': a batch of groups is not supported");
}

}  // namespace tilecast
