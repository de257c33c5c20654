#include "model/ops/config_pattern.h"

#include <fmt/format.h>

#include "tests/catch.h"
#include "tests/error_message.h"

namespace tilecast {
namespace {

const std::string kWhole =
    "warp_specialized:tile=128x256x64,stages=4,warpgroups=2x1,cluster=2x1,ctas=1,inflight=1,"
    "c_slots=2,producer=40,grid=tiles,raster=grouped_m,group=8,walk=strided";
const std::string kShort = "ws1 128x256x64 s4 w2x1 c2x1 o1 i1 e2 m8";

std::string complaint(const std::string& text) { return ERROR_MESSAGE(ConfigPattern(text)); }

TEST_CASE("A pattern is complete if it leaves no key open, in any order and form", "[pattern]") {
  const AnyConfig config = parse_config(kWhole);
  CHECK(ConfigPattern(kWhole).whole() == config);
  CHECK(ConfigPattern(kShort).whole() == config);
  CHECK(ConfigPattern("WS1  128x256x64 s4 w2x1 c2x1 o1 i1 e2 m8").whole() == config);
  CHECK(ConfigPattern("ws:stages=4,tile=128x256x64,warpgroups=2x1,cluster=2x1,ctas=1,inflight=1,"
                      "c_slots=2,producer=40,grid=tiles,raster=grouped_m,group=8,walk=strided")
            .whole() == config);
  CHECK(ConfigPattern(kWhole + ",operands=swapped").whole() ==
        parse_config(kWhole + ",operands=swapped"));
  CHECK(!ConfigPattern(kWhole.substr(0, kWhole.rfind(','))).whole());
  CHECK(!ConfigPattern(kShort.substr(0, kShort.rfind(' '))).whole());
  CHECK(!ConfigPattern("ws").whole());
}

TEST_CASE("A pattern matches configurations that have all of its parts", "[pattern]") {
  const AnyConfig config = parse_config(kWhole);
  for (const std::string text :
       {"ws", "ws:", "warp_specialized", "ws1", "warp:tile=128x256x64", "ws 128x256x64",
        "ws1 s4 128x256x64", "ws:group=8,stages=4", "ws e2", "coop 128x256x64 2x1",
        "128x256 stages=4", "tile=128x256", "ws,128x256", "ws cluster=2x1"}) {
    CAPTURE(text);
    CHECK(ConfigPattern(text).matches(config));
  }
  for (const std::string text :
       {"ws:tile=128x256x6", "ws 128x256x6", "ws s3", "ws e2d", "ws:store=deferred",
        "ws:operands=swapped", "ws:stages=04", "ws s4 s3", "ws m8k", "coop 128x256x64 1x2",
        "128x256 stages=3", "tile=128x25", "tile=128x192"}) {
    CAPTURE(text);
    CHECK(!ConfigPattern(text).matches(config));
  }
  CHECK_THROWS_AS(ConfigPattern("wst"), ConfigError);  // only tcgen05 schedules have tile takeover
}

TEST_CASE("A tile alone leaves the schedule open, and its K may be missing", "[pattern]") {
  const AnyConfig ws = parse_config("ws 128x256x64 s4 w2x1 c2x1 o1 i1 e2 m8");
  const AnyConfig pp = parse_config("pp 128x192x64 s4 w1x1 c1x1 o1 i1 e2 m8");
  CHECK(ConfigPattern("128x256x64").schedules().empty());
  CHECK(ConfigPattern("128x256x64").matches(ws));
  CHECK(ConfigPattern("128x256 s4").matches(ws));
  CHECK_FALSE(ConfigPattern("128x256 s3").matches(ws));
  CHECK_FALSE(ConfigPattern("128x25").matches(ws));
  CHECK_FALSE(ConfigPattern("128x256x64").matches(pp));
  CHECK(ConfigPattern("pingpong 128x192").matches(pp));
}

TEST_CASE("If nothing matches, the first part without a match is named", "[pattern]") {
  const std::vector<KernelConfig> configs{
      std::get<KernelConfig>(parse_config(kShort)),
      std::get<KernelConfig>(parse_config("ws 128x256x64 s3 w2x1 c1x1 o1 i1 e2 n4")),
      std::get<KernelConfig>(parse_config("ws 128x128x64 s6 w2x1 c1x1 o1 i1 e2 m8"))};
  const auto why = [&](const std::string& text) {
    const ConfigPattern pattern(text);
    CHECK(pattern.matching(configs).empty());
    return pattern.why_none(configs);
  };
  CHECK(why("ws:stages=6,tile=128x256x64") ==
        "configuration 'ws:stages=6,tile=128x256x64': no candidate has tile=128x256x64 with "
        "stages=6; there is tile=128x128x64");
  CHECK(why("ws:tile=128x256x64,stages=9") ==
        "configuration 'ws:tile=128x256x64,stages=9': no candidate has stages=9 with "
        "tile=128x256x64; there is stages=4 or stages=3");
  std::vector<KernelConfig> tiles;
  for (const char* tile : {"64x256x64", "128x112x128", "128x176x64", "128x192x64", "128x256x64",
                           "192x128x64", "256x128x64", "64x64x64", "64x128x64"}) {
    tiles.push_back(
        std::get<KernelConfig>(parse_config(fmt::format("ws {} s4 w1x1 c1x1 o1 i1 e2 m8", tile))));
  }
  CHECK(ConfigPattern("ws 128x192x65")
            .why_none(tiles)
            .ends_with("; there is 128x192x64, 128x176x64, 128x256x64 or any of 6 more"));
  CHECK(contains(ConfigPattern("ws 128x190").why_none(tiles), "; there is 128x192x64, 128x176x64"));
  CHECK(why("ws m16") == "configuration 'ws m16': no candidate has m16; there is m8 or n4");
  CHECK(why("ws x7") == "configuration 'ws x7': no candidate has x7");
}

TEST_CASE("Unknown and duplicate keys of a schedule are errors", "[pattern]") {
  CHECK(complaint("bl:tile=64x64x64,stages=4") ==
        "2 configuration 'bl:tile=64x64x64,stages=4': blocked has no key 'stages': expected one of "
        "tile, warpgroups, ctas, c_slots, raster, group");
  CHECK(complaint("ws:stagse=4").ends_with("; did you mean stages?"));
  CHECK(complaint("ws:stages=4,stages=4").ends_with("stages is given twice"));
  CHECK(complaint("ws:stages").ends_with("expected stages=..., got 'stages'"));
  CHECK(complaint("ws:tile=1x1x1,")
            .ends_with("producer, grid, raster, group, walk, store, operands"));
  CHECK(complaint(" ") == "2 configuration ' ': expected a schedule");
  CHECK(complaint("128") ==
        "2 configuration '128': expected a schedule, such as pingpong, or a tile, such as 128x256");
  CHECK(complaint("foo 64x64x64").starts_with("2 unknown schedule 'foo': expected one of small"));
}

TEST_CASE("A schedule is found by its name, its abbreviation or a unique prefix", "[pattern]") {
  CHECK(schedule_named("Warp_Specialized") == AnySchedule(Schedule::kWarpSpecialized));
  CHECK(schedule_named("w") == AnySchedule(Schedule::kWarpSpecialized));
  CHECK(schedule_named("SK") == AnySchedule(Schedule::kStreamK));
  CHECK(schedule_named("split_k") == AnySchedule(Schedule::kSplitK));  // not split_k_hybrid
  CHECK(schedule_named("split-K") == AnySchedule(Schedule::kSplitK));
  CHECK(schedule_named("pingpong") == AnySchedule(Schedule::kPingPong));
  CHECK(schedule_named("Cooperative") == AnySchedule(Schedule::kWarpSpecialized));
  CHECK(schedule_named("eat") == AnySchedule(StreamSchedule::kElementwiseAddTma));
  CHECK(parse_schedule(Op::kMemcpy, "memcpy_t") == AnySchedule(StreamSchedule::kMemcpyTma));
  CHECK(ERROR_MESSAGE(schedule_named("pers")) ==
        "2 schedule 'pers' is ambiguous: expected one of persistent, persistent_overlap");
  CHECK(ERROR_MESSAGE(parse_schedule(Op::kGemm, "memcpy")) ==
        "2 schedule memcpy computes memcpy, not gemm");
  CHECK(ERROR_MESSAGE(parse_schedule(Op::kGemm, "x")).starts_with("2 unknown schedule"));
}

}  // namespace
}  // namespace tilecast
