#include "model/base/chrome_trace.h"

#include "tests/catch.h"

using namespace tilecast;

TEST_CASE("A tile is three spans in microseconds, in the row of its warpgroup") {
  // The only CTA on its SM is number 0; row 0 is the producer's, so warpgroup 1 is in row 2.
  const TileSpan tile{.sm = 5,
                      .cta = 137,
                      .warpgroup = 1,
                      .tile_m = 3,
                      .tile_n = 4,
                      .begin = {1000000},
                      .first_operands = {1500000},
                      .multiplied = {9000000},
                      .stored = {9250000}};
  CHECK(chrome_trace({tile}) ==
        R"({"displayTimeUnit":"ns","traceEvents":[
{"name":"process_name","ph":"M","pid":5,"args":{"name":"SM 5"}},
{"name":"process_sort_index","ph":"M","pid":5,"args":{"sort_index":5}},
{"name":"thread_name","ph":"M","pid":5,"tid":2,"args":{"name":"CTA 0 warpgroup 1"}},
{"name":"thread_sort_index","ph":"M","pid":5,"tid":2,"args":{"sort_index":2}},
{"name":"load 3,4","cat":"load","ph":"X","ts":1.000000,"dur":0.500000,"pid":5,"tid":2},
{"name":"multiply 3,4","cat":"multiply","ph":"X","ts":1.500000,"dur":7.500000,"pid":5,"tid":2},
{"name":"store 3,4","cat":"store","ph":"X","ts":9.000000,"dur":0.250000,"pid":5,"tid":2}
]}
)");
}

TEST_CASE("A producer's tile is two spans in the first row of its CTA") {
  // Two CTAs run on SM 2 and 134 is the second, so its rows start at 8. Numbering restarts on SM 3.
  const TileSpan other{.sm = 2, .cta = 2, .warpgroup = 0};
  const TileSpan producer{.sm = 2,
                          .cta = 134,
                          .warpgroup = 2,
                          .tile_m = 1,
                          .tile_n = 0,
                          .begin = {0},
                          .first_operands = {250000},
                          .stored = {1000000},
                          .role = TileRole::kLoads};
  const TileSpan next_sm{.sm = 3, .cta = 3, .warpgroup = 0};
  const std::string json = chrome_trace({producer, other, next_sm});
  const auto holds = [&](const char* text) { return contains(json, text); };
  CHECK(holds(R"("tid":8,"args":{"name":"CTA 1 producer"}})"));
  CHECK(holds(R"("pid":3,"tid":1,"args":{"name":"CTA 0 warpgroup 0"}})"));
  CHECK(holds(R"("pid":2,"tid":1,"args":{"name":"CTA 0 warpgroup 0"}})"));
  CHECK(holds(
      R"({"name":"wait 1,0","cat":"wait","ph":"X","ts":0.000000,"dur":0.250000,"pid":2,"tid":8})"));
  CHECK(holds(
      R"({"name":"issue 1,0","cat":"issue","ph":"X","ts":0.250000,"dur":0.750000,"pid":2,"tid":8})"));
  CHECK(!holds("store 1,0"));
}

TEST_CASE("A piece of a split tile also awaits and reduces, and stores C if it ends K") {
  TileSpan piece{.sm = 0,
                 .cta = 0,
                 .warpgroup = 0,
                 .tile_m = 1,
                 .tile_n = 2,
                 .begin = {0},
                 .first_operands = {1000000},
                 .multiplied = {2000000},
                 .stored = {5000000},
                 .k_begin = 3,
                 .k_end = 8,
                 .reduction = TileSpan::Reduction{.waited = {3000000}, .reduced = {4500000}}};
  const auto holds = [&](const char* text) { return contains(chrome_trace({piece}), text); };
  CHECK(holds(R"("await 1,2","cat":"await","ph":"X","ts":2.000000,"dur":1.000000,)"));
  CHECK(holds(R"("reduce 1,2","cat":"reduce","ph":"X","ts":3.000000,"dur":1.500000,)"));
  CHECK(holds(R"("ts":4.500000,"dur":0.500000,"pid":0,"tid":1,"args":{"k_begin":3,"k_end":8}})"));
  piece.reduction->reduced = piece.stored;
  CHECK(!holds("store"));
}

TEST_CASE("Without tiles the list is empty") {
  CHECK(chrome_trace({}) == "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n]}\n");
}
