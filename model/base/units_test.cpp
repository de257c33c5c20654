#include "model/base/units.h"

#include "model/base/integers.h"
#include "model/base/math.h"
#include "tests/catch.h"

namespace tilecast {
namespace {

TEST_CASE("Cycles and seconds convert through the clock, both ways") {
  const Hertz clock{1.5e9};
  CHECK(cycles_of(Seconds{2e-6}, clock).value == Approx(3000));  // 2 us x 1.5 GHz
  CHECK(time_of(Cycles{3000}, clock).value == Approx(2e-6));
}

TEST_CASE("A transfer takes bytes / rate") {
  CHECK(transfer_cycles(Bytes{49152}, BytesPerCycle{64}).value == 768);
  CHECK(transfer_time(Bytes{4.8e9}, BytesPerSecond{4.8e12}).value == Approx(1e-3));
  CHECK(compute_cycles(Flops{8192}, FlopsPerCycle{4096}).value == 2);
}

TEST_CASE("Quantities of one unit add, scale, and divide to a plain ratio") {
  CHECK((Bytes{3} + Bytes{4} - Bytes{2}).value == 5);
  CHECK((2 * Bytes{3} * 0.5).value == 3);
  CHECK(Bytes{9} / Bytes{4} == 2.25);
  CHECK(Cycles{1} < Cycles{2});
}

TEST_CASE("ceil_div rounds up any remainder and leaves exact quotients") {
  CHECK(ceil_div(8192, 128) == 64);
  CHECK(ceil_div(8193, 128) == 65);
  CHECK(ceil_div(0, 128) == 0);
  CHECK(ceil_div<i64>(1LL << 40, 3) == 366503875926);  // 2^40 / 3 = 366503875925.33
  CHECK(round_up(1025, 1024) == 2048);
  CHECK(round_up(1024, 1024) == 1024);
  CHECK(min_of(2, 3) == 2);
  CHECK(max_of(2, 3) == 3);
}

}  // namespace
}  // namespace tilecast
