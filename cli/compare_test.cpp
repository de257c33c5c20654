// Tests compare as a user runs it.

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/table.h"
#include "model/base/file.h"
#include "model/base/text.h"
#include "tests/captured_run.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"

namespace tilecast {
namespace {

using Json = nlohmann::json;

CapturedRun compare(std::vector<std::string> more) {
  more.insert(more.begin(), "compare");
  return run_captured(run_compare, more);
}

TEST_CASE("compare fits a terminal, gives a verdict and says where cuBLASLt's time comes from") {
  const CapturedRun run = compare({"4096x4096x4096", "--dtype", "bf16"});
  REQUIRE(run.exit_code == 0);
  const std::vector<std::string_view> lines = split(run.out, '\n');
  CHECK(lines.size() <= 25);
  CHECK(std::ranges::all_of(lines, [](std::string_view line) { return line.size() <= 80; }));
  for (const char* part : {"cuBLASLt, ", "bound: tensor cores", "bound: DRAM", "bound: launch",
                           "no kernel can beat"}) {
    CAPTURE(part);
    CHECK(contains(run.out, part));
  }
}

TEST_CASE("A problem that was measured is answered by the measurement, a neighbour by a forecast") {
  const auto source = [](const std::string& shape) {
    const CapturedRun run = compare({shape, "--dtype", "bf16", "--format", "json"});
    return Json::parse(run.out)["cublaslt"];
  };
  CHECK(source("4096x4096x4096")["source"] == "measured");
  const Json neighbour = source("4096x4096x4224");
  CHECK(neighbour["source"] == "forecast");
  CHECK(neighbour["interval_us"][0] < neighbour["time_us"]);
  CHECK(neighbour["time_us"] < neighbour["interval_us"][1]);
}

TEST_CASE("compare and predict have one pick and one DRAM bound") {
  const std::vector<std::string> asked{"16x4096x4096", "--gpu", "4090"};
  const auto run = [&](const char* command, auto function, std::vector<std::string> more) {
    more.insert(more.begin(), asked.begin(), asked.end());
    more.insert(more.begin(), command);
    return run_captured(function, more).out;
  };
  const Json ours = Json::parse(run("compare", run_compare, {"--format", "json"}));
  const Json best = Json::parse(run("predict", run_predict, {"--format", "json"}))["ranking"][0];
  CHECK(ours["ours"]["config"] == best["config"]);
  CHECK(ours["ours"]["time_us"] == best["time_us"]);
  CHECK(contains(run("predict", run_predict, {}),
                 fmt::format("takes {:.2f} us", ours["roofs_us"]["DRAM"].get<double>())));
}

TEST_CASE("The bound of tensor cores counts the rows of groups, not those of tiles") {
  const Json answer = Json::parse(
      compare({"4096x4096", "--groups", "97,31", "--dtype", "bf16", "--format", "json"}).out);
  // 2 x 128 x 4096 x 4096 FLOPs at 4,096 per cycle on each of 132 SMs.
  const double clock_mhz = answer["ours"]["sm_clock_mhz"];
  CHECK(answer["roofs_us"]["tensor cores"].get<double>() ==
        Approx(7943.8 / clock_mhz).epsilon(1e-4));
}

TEST_CASE("compare lists many problems, and says which have no prediction") {
  const TemporaryFolder folder;
  write_file(folder / "problems", "512x512x512\n0x4x4\n");
  const CapturedRun run = compare({"--problems", (folder / "problems").string()});
  CHECK(run.exit_code == 5);
  // Legend, titles, a row, an error in two lines, and the last line end.
  CHECK(split(run.out, '\n').size() == 6);
  CHECK(contains(run.out, "line 2: "));
  CHECK(contains(run.err, "1 of 2 problems have no prediction"));
}

TEST_CASE("On GPUs without library measurements, compare shows the pick and the roofline bounds") {
  const CapturedRun run = compare({"4096x4096x4096", "--gpu", "b200"});
  REQUIRE(run.exit_code == 0);
  CHECK(contains(run.out, "cuBLASLt's time is not known"));
  CHECK(contains(run.out, "only on Hopper GPUs"));
  const CapturedRun grouped = compare({"[64,64]x64x128"});
  CHECK(contains(grouped.out, "\ncuBLASLt has no grouped GEMMs.\n"));
}

TEST_CASE("The bound by DRAM reads the operands and writes the result once") {
  const Json answer = Json::parse(compare({"4096x4096x4096", "--format", "json"}).out);
  CHECK(answer["roofs_us"]["DRAM"].get<double>() < 22.5);  // 101 MB at 4.6 TB/s
  CHECK(answer["roofs_us"]["DRAM"].get<double>() > 3 * 2 * 4096 * 4096 / 4.8e6);
}

TEST_CASE("The ratio that compare prints is that of the printed times, with copies of operands") {
  const std::vector<std::string> shape{"1x4096x4095"};
  const Json answer = Json::parse(compare({shape[0], "--format", "json"}).out);
  const double ratio = answer["cublaslt"]["over_ours"];
  CHECK(contains(compare(shape).out, fmt::format("{:.3f} x tilecast's\n", ratio)));
}

TEST_CASE("compare says perhaps if intervals overlap, or if no measured problem is similar") {
  const std::string unlike = compare({"1x1x1"}).out;
  for (const char* part : {"cuBLASLt is perhaps 1.", " times as fast as tilecast's pick: ",
                           "No measured problem resembles this one", "extrapolated: K is 1 (",
                           "tilecast's pick is bound by launch and end; ", "<0.01"}) {
    CAPTURE(part);
    CHECK(contains(unlike, part));
  }
  // Odd rows of C: cuBLASLt's forecast is 1077 to 1904 us, and the pick is extrapolated.
  CHECK(
      contains(compare({"2048x50257x768", "--dtype", "bf16"}).out, "tilecast's pick is perhaps "));
  // A forecast for cuBLASLt has at least as wide an interval as tilecast's pick.
  const Json answer = Json::parse(compare({"4096x4096x4224", "--format", "json"}).out);
  const auto width = [&](const char* whose) {
    const Json& one = answer[whose];
    return one["interval_us"][1].get<double>() / one["interval_us"][0].get<double>();
  };
  CHECK(width("cublaslt") >= width("ours"));
}

TEST_CASE("Rows of compare's list fit a terminal and give the faster one's speedup") {
  const TemporaryFolder folder;
  write_file(folder / "problems",
             "1x1x1\n100000x8192x8 lda=16 ldb=128 ldc=16384\n1x1x1 no such word is known there, "
             "nor will one ever be\n");
  const std::string out = compare({"--problems", (folder / "problems").string()}).out;
  CHECK(std::ranges::all_of(split(out, '\n'), [](auto line) { return line.size() <= 80; }));
  CHECK(contains(out, " ~~"));
  CHECK(contains(out, "  cuBLASLt 1."));
}

TEST_CASE("compare gives cuDNN's time of attention") {
  const auto answer = [](const std::string& shape) {
    return compare({"--op", "attention", shape, "--dtype", "bf16", "--format", "json"}).out;
  };
  const std::string out =
      compare({"--op", "attention", "4x32:8x4096x4096x128", "--dtype", "bf16", "--causal"}).out;
  CHECK(contains(out, "cuDNN, forecast"));
  CHECK(!contains(out, "cuBLASLt"));
  const Json forecast = Json::parse(answer("4x32:8x4096x4096x128"))["cudnn"];
  CHECK(forecast["source"] == "forecast");
  CHECK(forecast["over_ours"] > 0.9);
  CHECK(forecast["over_ours"] < 1.4);
  CHECK(contains(compare({"--op", "memcpy", "4096"}).err, "only gemm and attention, not memcpy"));
}

TEST_CASE("compare refuses other operations, and needs one of SHAPE and --problems") {
  CHECK(compare({"64x64x64", "--problems", "x"}).exit_code == 2);
  CHECK(compare({}).exit_code == 2);
}

TEST_CASE("Several shapes are compared as a list of them is") {
  const TemporaryFolder folder;
  write_file(folder / "problems", "64x64x64\n64x128x64\n");
  CHECK(compare({"64x64x64", "64x128x64", "--dtype", "bf16"}).out ==
        compare({"--problems", (folder / "problems").string(), "--dtype", "bf16"}).out);
  CHECK(contains(compare({"64x64x64", "64x128x64", "--lda", "64"}).err,
                 "--lda cannot be combined with several shapes"));
  CHECK(compare({"64x64x64", "pingpong"}).exit_code == 2);
}

}  // namespace
}  // namespace tilecast
