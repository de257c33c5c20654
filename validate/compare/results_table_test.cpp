#include "validate/compare/results_table.h"

#include "model/base/file.h"
#include "model/base/text.h"
#include "model/tile/short_config_text.h"
#include "tests/catch.h"
#include "validate/compare/example_points.h"

namespace tilecast {
namespace {

std::string marker_error(const std::string& text) {
  try {
    replace_between_markers(text, "R.md", "new\n");
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

TEST_CASE("A row holds the predicted best, the measured best and cuBLASLt") {
  const std::string table =
      results_table(join_example({example_row(1, Seconds{250e-6}), example_row(2, Seconds{220e-6}),
                                  example_cublaslt_row(kCublasltTop1, Seconds{210e-6})},
                                 {{1, Seconds{9e-6}}, {2, Seconds{1234e-6}}}));
  // 2 * 4096^3 operations in 220 us are 624.7 TFLOPS; no cublaslt:best, so nothing there.
  CHECK(table.find(
            "| 4096x4096x4096 | burst | `pi 128x128x64 s1 w2x1 c1x1 o1 i1 e2 m8` | 9.00 | 250.0 "
            "| `ws 128x128x64 s2 w2x1 c1x1 o1 i1 e2 m8` | 220.0 | 625 | 210.0 |  |\n") !=
        std::string::npos);
}

TEST_CASE("What is not the usual case is said in the row") {
  Measurement row = example_row(1, Seconds{1e-3});
  row.point.problem.dtype = ElementType::kBf16;
  row.point.problem.layout = Layout::kNn;
  row.point.regime = Regime::kSustained;
  row.point.inputs = Inputs::kZeros;
  row.point.l2_state = L2State::kWarm;
  CHECK(results_table(join_example({row}, {{1, Seconds{1e-3}}}))
            .find("| 4096x4096x4096 bf16 nn | sustained, zeros, warm |") != std::string::npos);
}

TEST_CASE("Every configuration on the committed page is one that --config takes") {
  const std::string page = read_file("docs/dev/results.md");
  std::size_t rows = 0;
  for (const std::string_view line : split(page, '\n')) {
    if (line.find("| burst |") == std::string_view::npos &&
        line.find("| sustained |") == std::string_view::npos) {
      continue;
    }
    const std::vector<std::string_view> parts = split(line, '`');  // every other one is a text
    REQUIRE(parts.size() == 5);
    for (const std::string_view text : {parts[1], parts[3]}) {
      CAPTURE(text);
      CHECK(short_text(parse_config(text)) == text);
    }
    ++rows;
  }
  CHECK(rows >= 90);
}

TEST_CASE("Only what stands between the markers is replaced") {
  CHECK(replace_between_markers("a\n<!-- results:begin -->\nold\n<!-- results:end -->\nb\n", "R.md",
                                "new\n") ==
        "a\n<!-- results:begin -->\nnew\n<!-- results:end -->\nb\n");
}

TEST_CASE("Markers missing, doubled or the wrong way round are refused") {
  const std::string begin = "<!-- results:begin -->\n", end = "<!-- results:end -->\n";
  CHECK(marker_error("text\n") == "R.md: expected exactly one line '<!-- results:begin -->'");
  CHECK(marker_error(begin) == "R.md: expected exactly one line '<!-- results:end -->'");
  CHECK(marker_error(begin + begin + end).find("exactly one") != std::string::npos);
  CHECK(marker_error(end + begin).find("behind the line") != std::string::npos);
}

}  // namespace
}  // namespace tilecast
