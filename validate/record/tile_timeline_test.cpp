#include "validate/record/tile_timeline.h"

#include <nlohmann/json.hpp>

#include "model/base/chrome_trace.h"
#include "model/base/error.h"
#include "tests/catch.h"
#include "tests/error_message.h"

using namespace tilecast;

namespace {

/// A piece of a tile, and its producer's part.
std::vector<TileRecord> example() {
  return {{.sm = 7,
           .cta = 3,
           .place = 0,
           .warpgroup = 1,
           .role = TileRole::kMultiplies,
           .tile_m = 2,
           .tile_n = 5,
           .k_begin = 16,
           .k_end = 64,
           .begin = 1000,
           .first_operands = 1800,
           .multiplied = 19000,
           .stored = 20000,
           .reduction = TileRecord::Reduction{.waited = 19200, .reduced = 19700},
           .sm_cycles = 19100},
          {.sm = 7,
           .cta = 3,
           .place = 0,
           .warpgroup = 2,
           .role = TileRole::kLoads,
           .tile_m = 2,
           .tile_n = 5,
           .k_begin = 16,
           .k_end = 64,
           .begin = 900,
           .first_operands = 910,
           .multiplied = 17000,
           .stored = 17000,
           .sm_cycles = 16200}};
}

constexpr const char* kText =
    "sm,cta,place,role,tile_m,tile_n,k_begin,k_end,begin,first_data,main_loop_end,wait_end,"
    "reduction_end,end,sm_cycles\n"
    "7,3,0,warpgroup1,2,5,16,64,1000,1800,19000,19200,19700,20000,19100\n"
    "7,3,0,producer2,2,5,16,64,900,910,,,,17000,16200\n";

}  // namespace

TEST_CASE("A timeline is read") { CHECK(parse_tile_timeline(kText, "t.csv") == example()); }

TEST_CASE("An invalid field of a timeline is named with its line and column") {
  const auto message = [](std::string text, const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
    return ERROR_MESSAGE(parse_tile_timeline(text, "t.csv"));
  };
  CHECK(message(kText, "warpgroup1", "warp1") ==
        "2 t.csv:2: role: expected producer or warpgroup followed by a number from 0 to 7, got "
        "'warp1'");
  CHECK(message(kText, "19000", "") ==
        "2 t.csv:2: main_loop_end: expected an integer, 0 or more, got ''");
  CHECK(message(kText, "19200,19700", "19200,") ==
        "2 t.csv:2: reduction_end: expected an integer, 0 or more, got ''");
  CHECK(message(kText, "900,", "900,,") ==
        "2 t.csv:3: expected 15 fields as in the header, got 16");
  CHECK_THROWS_AS(parse_tile_timeline("sm,cta\n", "t.csv"), ConfigError);
  CHECK_THROWS_AS(parse_tile_timeline(std::string(kText) + "7,3", "t.csv"), ConfigError);
}

TEST_CASE("The trace of a measured timeline is JSON with every span, in microseconds") {
  // At 2 GHz 1000 cycles are 0.5 us: load at 0.5 us for 0.4 us, multiply at 0.9 for 8.6, then await
  // at 9.5 for 0.1, reduce for 0.25, store for 0.15; the producer waits at 0.45 us for 0.005.
  const nlohmann::json trace =
      nlohmann::json::parse(chrome_trace(tile_spans(example(), Hertz{2e9})));
  std::map<std::string, nlohmann::json> spans;
  std::size_t names = 0;
  for (const nlohmann::json& event : trace.at("traceEvents")) {
    if (event.at("ph") == "X") {
      spans[event.at("name")] = event;
    } else {
      ++names;
    }
  }
  CHECK(spans.size() == 7);
  CHECK(names == 2 + 2 * 2);  // name and sort order for the SM and for each of two rows
  CHECK(spans.at("load 2,5").at("ts").get<double>() == Approx(0.5));
  CHECK(spans.at("multiply 2,5").at("dur").get<double>() == Approx(8.6));
  CHECK(spans.at("await 2,5").at("ts").get<double>() == Approx(9.5));
  CHECK(spans.at("reduce 2,5").at("dur").get<double>() == Approx(0.25));
  CHECK(spans.at("store 2,5").at("ts").get<double>() == Approx(9.85));
  CHECK(spans.at("store 2,5").at("args").at("k_begin") == 16);
  CHECK(spans.at("wait 2,5").at("dur").get<double>() == Approx(0.005));
  CHECK(spans.at("issue 2,5").at("tid") != spans.at("load 2,5").at("tid"));
}
