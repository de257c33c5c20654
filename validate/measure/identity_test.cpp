#include "validate/measure/identity.h"

#include <fmt/format.h>

#include "tests/catch.h"
#include "validate/record/example_measurement.h"

using namespace tilecast;

namespace {

Measurement row(int stages, int group, const std::string& cubin, const std::string& order,
                GemmShape shape = {4096, 4096, 4096}) {
  Measurement m = example_measurement(
      fmt::format("pipelined:tile=128x128x64,stages={},warpgroups=2x1,ctas=1,inflight=1,c_slots=0,"
                  "raster=grouped_m,group={}",
                  stages, group),
      Seconds{1e-4}, shape);
  m.cubin_hash = cubin;
  m.tile_checksum = order;
  m.ctas = 132;
  m.shared_memory = Bytes{1e5};
  return m;
}

}  // namespace

TEST_CASE("A configuration compiled to another one's code is wrong") {
  IdentityBook book;
  CHECK(book.check(row(4, 8, "aa", "t1")).reason.empty());
  CHECK(book.check(row(5, 8, "bb", "t1")).reason.empty());
  const IdentityFault fault = book.check(row(6, 8, "aa", "t1"));  // five stages, four stages' code
  CHECK(fault.status == Status::kWrong);
  CHECK(fault.reason.find("stages=4") != std::string::npos);
  // also on another problem, where nothing else is known
  CHECK(book.check(row(6, 8, "bb", "t9", {512, 512, 512})).status == Status::kWrong);
}

TEST_CASE("Two orders of tiles that come to the same on a problem are one configuration there") {
  IdentityBook book;
  CHECK(book.check(row(4, 8, "aa", "t1")).reason.empty());
  const IdentityFault fault = book.check(row(4, 16, "aa", "t1"));
  CHECK(fault.status == Status::kSkipped);
  CHECK(fault.reason.find("group=8 under another name") != std::string::npos);
  CHECK(book.check(row(4, 16, "aa", "t2")).reason.empty());  // another order of tiles
  CHECK(book.check(row(4, 32, "aa", "t1", {512, 512, 512})).reason.empty());  // another problem
  Measurement other_launch = row(4, 64, "aa", "t1");
  other_launch.ctas = 264;
  CHECK(book.check(other_launch).reason.empty());
}

TEST_CASE("Two ways of adding up parts of a tile are two configurations with the same code") {
  const auto split = [](const char* reduction) {
    Measurement m = row(4, 8, "aa", "t1");
    m.point.config = fmt::format(
        "split_k:tile=128x256x64,stages=4,warpgroups=2x1,cluster=1x1,ctas=1,inflight=1,c_slots=2,"
        "producer=40,splits=2,reduction={},raster=grouped_m,group=8",
        reduction);
    return m;
  };
  IdentityBook book;
  CHECK(book.check(split("atomic")).reason.empty());
  CHECK(book.check(split("turnstile")).reason.empty());  // chosen at launch, seen in no tile
}

TEST_CASE("The same configuration again is itself, and cuBLASLt has no code to compare") {
  IdentityBook book;
  CHECK(book.check(row(4, 8, "aa", "t1")).reason.empty());
  CHECK(book.check(row(4, 8, "aa", "t1")).reason.empty());
  Measurement cublas = example_measurement(std::string(kCublasltTop1), Seconds{1e-4});
  CHECK(book.check(cublas).reason.empty());
}
