#include "model/sim/chrome_trace.h"

#include "tests/catch.h"

using namespace tilecast;

TEST_CASE("A tile is three spans in microseconds, in the row of its warpgroup") {
  const TileSpan tile{.sm = 5,
                      .cta = 2,
                      .warpgroup = 1,
                      .tile_m = 3,
                      .tile_n = 4,
                      .begin = {1000000},
                      .first_operands = {1500000},
                      .multiplied = {9000000},
                      .stored = {9250000}};
  CHECK(chrome_trace({tile}) ==
        "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"
        "{\"name\":\"load 3,4\",\"cat\":\"load\",\"ph\":\"X\",\"ts\":1.000000,\"dur\":0.500000,"
        "\"pid\":5,\"tid\":17},\n"
        "{\"name\":\"multiply 3,4\",\"cat\":\"multiply\",\"ph\":\"X\",\"ts\":1.500000,"
        "\"dur\":7.500000,\"pid\":5,\"tid\":17},\n"
        "{\"name\":\"store 3,4\",\"cat\":\"store\",\"ph\":\"X\",\"ts\":9.000000,"
        "\"dur\":0.250000,\"pid\":5,\"tid\":17}\n]}\n");
}

TEST_CASE("No tiles make an empty list") {
  CHECK(chrome_trace({}) == "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n]}\n");
}
