#include "validate/compare/counter_file.h"

#include "tests/catch.h"
#include "tests/error_message.h"

namespace tilecast {
namespace {

const std::string kHeader = "m,n,k,dtype,layout,config,a__b,c__d\n";
const std::string kConfig =
    "blocked:tile=128x128x64,warpgroups=1x1,ctas=2,c_slots=0,raster=grouped_m,group=8";
constexpr GemmProblem kProblem{{512, 256, 128}, ElementType::kFp16, Layout::kTn};

std::string row(const std::string& n, const std::string& counts) {
  return "512," + n + ",128,fp16,tn,\"" + kConfig + "\"," + counts + "\n";
}

std::string complaint(const std::string& text) {
  return error_message([&] { CounterFile::parse(text, "c.csv"); });
}

TEST_CASE("A counter is found by problem, configuration and metric") {
  const CounterFile file = CounterFile::parse(kHeader + row("256", "7,0"), "c.csv");
  CHECK(file.value(kProblem, kConfig, "a__b") == 7.0);
  CHECK(file.value(kProblem, kConfig, "c__d") == 0.0);
}

TEST_CASE("What was not collected is nothing, not zero") {
  const CounterFile file = CounterFile::parse(kHeader + row("256", "7,"), "c.csv");
  CHECK(!file.value(kProblem, kConfig, "c__d").has_value());
  CHECK(!file.value(kProblem, kConfig, "e__f").has_value());
  CHECK(!file.value(kProblem, "another", "a__b").has_value());
  GemmProblem other = kProblem;
  other.shape.k = 64;
  CHECK(!file.value(other, kConfig, "a__b").has_value());
}

TEST_CASE("A broken counter file is refused with file, line and column") {
  CHECK(complaint("").starts_with("2 c.csv:1: expected a header line"));
  CHECK(complaint(kHeader + row("0", "1,2")).starts_with("2 c.csv:2: n: expected a whole number"));
  CHECK(complaint(kHeader + row("256", "1,x")).starts_with("2 c.csv:2: c__d: expected a number"));
  CHECK(complaint(kHeader + row("256", "1")).find("expected 8 fields") != std::string::npos);
  CHECK(complaint("m,n,k,dtype,layout,a__b\n1,1,1,fp16,tn,1\n")
            .starts_with("2 c.csv:1: config: column missing"));
  CHECK(complaint(kHeader + row("256", "1,2") + row("256", "1,2"))
            .starts_with("2 c.csv:3: config: expected each kernel once"));
}

TEST_CASE("The committed counters can be read") {
  const CounterFile file = CounterFile::read("validate/data/h200_sxm/counters/ncu_first_look.csv");
  // Each of the 32 * 32 tiles of 128x128 takes in 128 + 128 rows of 4096 elements of 2 bytes.
  CHECK(file.value({{4096, 4096, 4096}, ElementType::kFp16, Layout::kTn},
                   "pipelined:tile=128x128x64,stages=6,warpgroups=2x1,ctas=1,inflight=1,c_slots=2,"
                   "raster=grouped_m,group=8",
                   "l1tex__m_xbar2l1tex_read_bytes.sum") == 32.0 * 32 * 256 * 4096 * 2);
}

}  // namespace
}  // namespace tilecast
