#include "kernels/jit/ptxas_log.h"

#include <string>

#include "model/base/error.h"
#include "tests/catch.h"

namespace tilecast {
namespace {

// Output of NVRTC 13.0.
const std::string kFunction =
    "ptxas info    : 0 bytes gmem\n"
    "ptxas info    : Compiling entry function 'k' for 'sm_90a'\n"
    "ptxas info    : Function properties for k\n";
const std::string kNoStack =
    "ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n";
const std::string kUsed168 =
    "ptxas info    : Used 168 registers, used 3 barriers\n"
    "ptxas info    : Compile time = 4.368 ms\n";

std::string log_with_note(const std::string& note) {
  return "ptxas info    : " + note + "\n" + kFunction + kNoStack + kUsed168;
}

}  // namespace

TEST_CASE("Registers, stack and spills are read from ptxas' lines") {
  const PtxasReport report = parse_ptxas_log(
      kFunction +
      "ptxas         .     2512 bytes stack frame, 4068 bytes spill stores, 4156 bytes spill "
      "loads\n"
      "ptxas info    : Used 32 registers, used 0 barriers, 2512 bytes cumulative stack size\n");
  CHECK(report.registers == 32);
  CHECK(report.stack_frame == Bytes{2512});
  CHECK(report.spill_stores == Bytes{4068});
  CHECK(report.spill_loads == Bytes{4156});
  CHECK(rejection(report) == "spills: 4068 bytes stored, 4156 bytes loaded");
}

TEST_CASE("The older form of the lines, with constant memory, is read as well") {
  const PtxasReport report = parse_ptxas_log(
      "ptxas info    : Function properties for k\n"
      "    16 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 90 registers, 16 bytes cumulative stack size, 532 bytes cmem[0]\n");
  CHECK(report.registers == 90);
  CHECK(rejection(report) == "stack frame of 16 bytes");
}

TEST_CASE("A clean kernel is accepted") {
  const PtxasReport report = parse_ptxas_log(kFunction + kNoStack + kUsed168);
  CHECK(report.registers == 168);
  CHECK(report.notes.empty());
  CHECK(rejection(report).empty());
}

TEST_CASE("Only notes that mean lost asynchrony reject a kernel") {
  for (const std::string code : {"C7508", "C7510", "C7511", "C7514", "C7517", "C7519"}) {
    CHECK(rejection(parse_ptxas_log(log_with_note("(" + code + ") serialized"))) ==
          code + ": serialized");
  }
  for (const std::string code : {"C7507", "C7509", "C7520", "C0001"}) {
    const PtxasReport report = parse_ptxas_log(log_with_note("(" + code + ") something"));
    CHECK(report.notes == std::vector<std::string>{code + ": something"});
    CHECK(rejection(report).empty());
  }
}

TEST_CASE("A note that repeats is kept once") {
  const std::string note = "ptxas info    : (C7517) warpgroup.wait is injected in function 'k'\n";
  CHECK(parse_ptxas_log(note + note + kFunction + kNoStack + kUsed168).notes.size() == 1);
}

TEST_CASE("A log without registers or stack is an error, not a clean kernel") {
  CHECK_THROWS_AS(parse_ptxas_log(""), Error);
  CHECK_THROWS_AS(parse_ptxas_log(kFunction + kNoStack), Error);
  CHECK_THROWS_AS(parse_ptxas_log(kFunction + kUsed168), Error);
}

}  // namespace tilecast
