#include "validate/measure/gemm/identity.h"

#include <fmt/format.h>

#include "tests/catch.h"
#include "validate/record/example_measurement.h"

using namespace tilecast;

namespace {

Measurement row(int stages, int group, const std::string& order,
                GemmShape shape = {4096, 4096, 4096}) {
  Measurement m = example_measurement(
      fmt::format("pipelined:tile=128x128x64,stages={},warpgroups=2x1,ctas=1,inflight=1,c_slots=0,"
                  "raster=grouped_m,group={}",
                  stages, group),
      Seconds{1e-4}, shape);
  m.tile_checksum = order;
  m.ctas = 132;
  m.shared_memory = Bytes{1e5};
  return m;
}

}  // namespace

TEST_CASE("Two tile orders that coincide on a problem are one configuration there") {
  IdentityBook book;
  CHECK(book.repeated(row(4, 8, "t1")).empty());
  CHECK(contains(book.repeated(row(4, 16, "t1")), "group=8 on this problem: same code"));
  CHECK(book.repeated(row(4, 16, "t2")).empty());                   // another order of tiles
  CHECK(book.repeated(row(4, 32, "t1", {512, 512, 512})).empty());  // another problem
  Measurement other_launch = row(4, 64, "t1");
  other_launch.ctas = 264;
  CHECK(book.repeated(other_launch).empty());
}

TEST_CASE("Two reductions with the same code are two configurations") {
  const auto split = [](const char* reduction) {
    Measurement m = row(4, 8, "t1");
    m.point.config = fmt::format(
        "split_k:tile=128x256x64,stages=4,warpgroups=2x1,cluster=1x1,ctas=1,inflight=1,c_slots=2,"
        "producer=40,splits=2,reduction={},raster=grouped_m,group=8",
        reduction);
    return m;
  };
  IdentityBook book;
  CHECK(book.repeated(split("atomic")).empty());
  CHECK(book.repeated(split("turnstile")).empty());  // chosen at launch, not visible in any tile
}

TEST_CASE("A repeated configuration is not a duplicate, and cuBLASLt has no code to compare") {
  IdentityBook book;
  CHECK(book.repeated(row(4, 8, "t1")).empty());
  CHECK(book.repeated(row(4, 8, "t1")).empty());
  Measurement cublas = example_measurement(std::string(kCublasltTop1), Seconds{1e-4});
  CHECK(book.repeated(cublas).empty());
}
