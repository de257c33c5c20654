#include "cli/output_parts.h"

#include <limits>
#include <nlohmann/json.hpp>

#include "model/base/text.h"
#include "model/gemm/problem/problem_text.h"
#include "tests/catch.h"
#include "tests/comma_locale.h"

namespace tilecast {

TEST_CASE("A number is rounded to significant digits") {
  CHECK(rounded(176.8734, 6) == 176.873);
  CHECK(rounded(123456.7, 3) == 123000);
  CHECK(rounded(std::numeric_limits<double>::infinity(), 3) ==
        std::numeric_limits<double>::infinity());
}

TEST_CASE("Numbers are read and written alike where the locale has a decimal comma") {
  const CommaLocale locale;
  CHECK(rounded(176.8734, 6) == 176.873);  // 176 where strtod reads it
  CHECK(micro_text(Seconds{2.791e-6}) == "2.79");
  CHECK(parse_number("2.79") == 2.79);
  CHECK_FALSE(parse_number("2,79"));
  CHECK(nlohmann::json::parse("[2.79]").dump() == "[2.79]");
}

TEST_CASE("A problem's title has strides, and counts groups") {
  const auto title = [](const char* text) { return problem_title(parse_gemm_problem(text)); };
  CHECK(title("4096x1024x512 fp16 tn") ==
        "GEMM 4096 x 1024 x 512, fp16, tn: A [M,K] (512,1), B [N,K] (512,1)");
  CHECK(title("4096x1024x512 fp16 nt lda=8192") ==
        "GEMM 4096 x 1024 x 512, fp16, nt: A [K,M] (8192,1), B [K,N] (1024,1)");
  CHECK(title("[256,0,17]x1024x512 bf16 tn") ==
        "Grouped GEMM: 3 groups, 0 to 256 rows, N 1024, K 512, bf16, tn: A [M,K] (512,1), B [N,K] "
        "(512,1)");
  CHECK(without_groups("[1,2,3,4,5,6,7,8,9]x1024x512 bf16 tn") == "[9 groups]x1024x512 bf16 tn");
  CHECK(without_groups("[5*128,1,2*0,300,4]x1024x512 bf16") == "[10 groups]x1024x512 bf16");
  CHECK(without_groups("1024x512x64 bf16 tn") == "1024x512x64 bf16 tn");
}

}  // namespace tilecast
