#include "model/gemm/config/kernel_config_text.h"

#include <iterator>
#include <random>
#include <string>

#include "tests/catch.h"
#include "tests/error_message.h"

namespace tilecast {
namespace {

const std::string kGood =
    "warp_specialized:tile=128x256x64,stages=4,warpgroups=2x1,cluster=2x1,ctas=1,inflight=1,"
    "c_slots=2,producer=24,grid=resident,raster=grouped_m,group=8,walk=strided";

/// Returns the error for kGood with `from` replaced by `to`.
std::string complaint(const std::string& from, const std::string& to) {
  std::string text = kGood;
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  text.replace(at, from.size(), to);
  const std::string message = ERROR_MESSAGE(parse_kernel_config(text));
  const std::string prefix = "2 configuration '" + text + "': ";
  return message.starts_with(prefix) ? message.substr(prefix.size()) : message;
}

TEST_CASE("The canonical text lists every choice in a fixed order") {
  KernelConfig config = fixed_by_schedule(Schedule::kWarpSpecialized);
  config.tiling = {.block_m = 128,
                   .block_n = 256,
                   .block_k = 64,
                   .stages = 4,
                   .warpgroups_m = 2,
                   .warpgroups_n = 1,
                   .cluster_m = 2,
                   .cluster_n = 1,
                   .c_slots = 2};
  config.inflight = 1;
  config.producer_registers = 24;
  config.grid = Grid::kResident;
  config.raster = {RasterKind::kGroupedM, 8, Walk::kStrided};
  CHECK(to_text(config) == kGood);
  CHECK(parse_kernel_config(kGood) == config);
}

TEST_CASE("The text names a deferred store, and omits one at the tile's end") {
  const KernelConfig config = parse_kernel_config(kGood + ",store=deferred");
  CHECK(config.store == Store::kDeferred);
  CHECK(to_text(config) == kGood + ",store=deferred");
  CHECK(parse_kernel_config(kGood).store == Store::kAtTileEnd);
  CHECK(complaint("walk=strided", "walk=strided,store=late") ==
        "2 unknown store 'late': expected one of deferred");
  CHECK(complaint("walk=strided", "store=deferred,walk=strided") ==
        "expected walk=..., got 'store=deferred'");
  CHECK_THROWS_AS(
      parse_kernel_config("ping_pong:tile=64x256x64,stages=4,cluster=1x1,ctas=1,inflight=1,"
                          "c_slots=2,producer=40,raster=grouped_m,group=8,walk=strided,"
                          "store=deferred"),
      ConfigError);
}

TEST_CASE("The text names swapped operands, and omits operands in order") {
  const KernelConfig config = parse_kernel_config(kGood + ",operands=swapped");
  CHECK(config.operands == OperandOrder::kSwapped);
  CHECK(to_text(config) == kGood + ",operands=swapped");
  CHECK(parse_kernel_config(kGood).operands == OperandOrder::kInOrder);
  CHECK_THROWS_AS(parse_kernel_config("blocked:tile=128x128x128,warpgroups=1x1,ctas=2,c_slots=0,"
                                      "raster=grouped_m,group=8,operands=swapped"),
                  ConfigError);
}

TEST_CASE("A schedule's text has exactly the keys that it leaves open") {
  for (const std::string text :
       {"small_mma:tile=64x128x128,warpgroups=1x2,a=registers,instruction_n=32",
        "blocked:tile=128x128x128,warpgroups=1x1,ctas=2,c_slots=0,raster=grouped_m,group=8",
        "blocked_pipelined:tile=128x128x64,warpgroups=2x1,ctas=2,c_slots=0,raster=hilbert,group=1",
        "pipelined:tile=128x256x64,stages=3,warpgroups=2x1,ctas=1,inflight=2,c_slots=0,"
        "raster=grouped_n,group=4",
        "persistent:tile=128x256x64,stages=3,warpgroups=2x1,ctas=1,inflight=1,c_slots=4,"
        "raster=grouped_n,group=1,walk=chunked",
        "persistent_overlap:tile=128x256x64,stages=3,warpgroups=2x1,cluster=1x2,ctas=1,inflight=1,"
        "c_slots=0,raster=hilbert,group=1,walk=chunked",
        kGood.c_str(),
        "warp_specialized:tile=64x256x64,stages=4,warpgroups=1x2,cluster=1x1,ctas=1,inflight=0,"
        "c_slots=0,producer=40,grid=tiles,raster=grouped_m,group=8,walk=strided",
        "ping_pong:tile=64x256x64,stages=4,cluster=2x2,ctas=1,inflight=1,c_slots=2,producer=24,"
        "raster=grouped_m,group=8,walk=strided",
        "split_k:tile=64x128x64,stages=8,warpgroups=1x1,cluster=1x1,ctas=1,inflight=1,c_slots=2,"
        "producer=40,splits=4,reduction=spread,raster=grouped_m,group=8",
        "split_k_hybrid:tile=64x128x64,stages=8,warpgroups=1x1,cluster=1x1,ctas=1,inflight=1,"
        "c_slots=2,producer=40,splits=4,reduction=atomic,raster=grouped_m,group=8",
        "stream_k:tile=128x256x64,stages=4,warpgroups=2x1,cluster=2x1,ctas=1,inflight=1,c_slots=2,"
        "producer=40,min_k_blocks=8,reduction=turnstile,raster=hilbert,group=1",
        "stream_k_hybrid:tile=128x256x64,stages=4,warpgroups=2x1,cluster=2x1,ctas=1,inflight=1,"
        "c_slots=2,producer=40,min_k_blocks=4,reduction=atomic,raster=grouped_n,group=3"}) {
    CHECK(to_text(parse_kernel_config(text)) == text);
  }
}

TEST_CASE("A key that the schedule does not have is an error") {
  const auto refused = [](const std::string& text, const std::string& why) {
    CHECK(ERROR_MESSAGE(parse_kernel_config(text)) == "2 configuration '" + text + "': " + why);
  };
  refused("small_mma:tile=64x64x64,warpgroups=1x1,ctas=1,a=shared,instruction_n=64",
          "expected a=..., got 'ctas=1'");
  refused("small_mma:tile=64x64x64,warpgroups=1x1,a=shared,instruction_n=64,raster=grouped_m",
          "unexpected 'raster=grouped_m' at the end");
  refused("blocked:tile=64x64x64,stages=1,warpgroups=1x1,ctas=2,c_slots=0,raster=hilbert,group=1",
          "expected warpgroups=..., got 'stages=1'");
  refused(
      "blocked_pipelined:tile=64x64x64,warpgroups=1x1,ctas=2,inflight=1,c_slots=0,raster=hilbert,"
      "group=1",
      "expected c_slots=..., got 'inflight=1'");
  refused(
      "pipelined:tile=64x64x64,stages=4,warpgroups=1x1,cluster=1x1,ctas=1,inflight=1,c_slots=0,"
      "raster=grouped_m,group=8",
      "expected ctas=..., got 'cluster=1x1'");
  refused(
      "pipelined:tile=64x64x64,stages=4,warpgroups=1x1,ctas=1,inflight=1,c_slots=0,"
      "raster=grouped_m,group=8,walk=strided",
      "unexpected 'walk=strided' at the end");
  refused(
      "persistent:tile=64x64x64,stages=4,warpgroups=1x1,ctas=1,inflight=1,c_slots=2,grid=resident,"
      "raster=grouped_m,group=8,walk=strided",
      "expected raster=..., got 'grid=resident'");
  refused(
      "persistent_overlap:tile=64x64x64,stages=4,warpgroups=1x1,cluster=1x1,ctas=1,inflight=1,"
      "c_slots=2,producer=40,raster=grouped_m,group=8,walk=strided",
      "expected raster=..., got 'producer=40'");
  refused(
      "ping_pong:tile=64x64x64,stages=4,warpgroups=1x1,cluster=1x1,ctas=1,inflight=1,c_slots=2,"
      "producer=24,raster=grouped_m,group=8,walk=strided",
      "expected cluster=..., got 'warpgroups=1x1'");
  refused(
      "stream_k:tile=64x64x64,stages=4,warpgroups=1x1,cluster=1x1,ctas=1,inflight=1,c_slots=2,"
      "producer=40,splits=2,reduction=atomic,raster=grouped_m,group=8",
      "expected min_k_blocks=..., got 'splits=2'");
}

TEST_CASE("Random configurations of every schedule survive printing and parsing") {
  std::mt19937 random(20261120);
  const auto pick = [&random](int least, int most) {
    return std::uniform_int_distribution<int>(least, most)(random);
  };
  for (int i = 0; i < 8000; ++i) {
    const Schedule schedule = kWgmmaSchedules[i % std::size(kWgmmaSchedules)];
    KernelConfig config = fixed_by_schedule(schedule);
    Tiling& t = config.tiling;
    t.block_m = pick(1, 4096);
    t.block_n = pick(1, 4096);
    t.block_k = pick(1, 4096);
    if (schedule != Schedule::kPingPong) {
      t.warpgroups_m = pick(1, 8);
      t.warpgroups_n = pick(1, 8);
    }
    if (schedule == Schedule::kSmallMma) {
      config.a_source = static_cast<OperandSource>(pick(0, 1));
      config.instruction_n = pick(1, 300);
    } else {
      config.ctas_per_sm = pick(1, 32);
      t.c_slots = pick(0, 64);
      config.raster.kind = static_cast<RasterKind>(pick(0, 2));
      config.raster.group = config.raster.kind == RasterKind::kHilbert ? 1 : pick(1, 1 << 20);
    }
    if (schedule >= Schedule::kPipelined) {
      t.stages = pick(1, 99);
      config.inflight = pick(0, 2);
    }
    if (splits_equally(schedule)) {
      config.decomposition.splits = pick(1, 64);
    } else if (splits_k(schedule)) {
      config.decomposition.min_k_blocks = pick(1, 64);
    }
    if (splits_k(schedule)) {
      config.decomposition.reduction = static_cast<Reduction>(pick(0, 2));
    } else if (schedule >= Schedule::kPersistent) {
      config.raster.walk = static_cast<Walk>(pick(0, 1));
    }
    if (schedule >= Schedule::kPersistentOverlap) {
      t.cluster_m = pick(1, 16);
      t.cluster_n = pick(1, 16);
    }
    if (has_producer_warpgroup(schedule)) {
      config.producer_registers = pick(1, 240);
    }
    if (schedule == Schedule::kWarpSpecialized) {
      config.grid = static_cast<Grid>(pick(0, 1));
    }
    const KernelConfig parsed = parse_kernel_config(to_text(config));
    REQUIRE(parsed == config);
    REQUIRE(to_text(parsed) == to_text(config));
  }
}

TEST_CASE("The text of a tcgen05 schedule names its CTA group, accumulators and grid") {
  const std::string pair =
      "tcgen05_warp_specialized:tile=128x256x64,stages=6,warpgroups=1x1,cta_group=2,accumulators=2,"
      "ctas=1,inflight=1,c_slots=2,grid=takeover,raster=grouped_m,group=8,walk=strided";
  const KernelConfig config = parse_kernel_config(pair);
  CHECK(to_text(config) == pair);
  CHECK(cta_group(config.tiling) == 2);
  CHECK(cluster_size(config.tiling) == 2);
  CHECK(config.accumulators == 2);
  CHECK(config.grid == Grid::kTakeover);
  const std::string one =
      "tcgen05_pipelined:tile=128x128x64,stages=4,warpgroups=1x2,cta_group=1,ctas=2,inflight=0,"
      "c_slots=0,raster=grouped_m,group=64";
  CHECK(to_text(parse_kernel_config(one)) == one);
  CHECK(parse_kernel_config(one).accumulators == 1);
  for (const char* schedule : {"tcgen05_persistent", "tcgen05_persistent_overlap"}) {
    const std::string text = std::string(schedule) +
                             ":tile=128x192x128,stages=2,warpgroups=1x1,cta_group=2,ctas=1,"
                             "inflight=1,c_slots=3,raster=hilbert,group=1,walk=chunked";
    CHECK(to_text(parse_kernel_config(text)) == text);
    CHECK(parse_kernel_config(text).grid == Grid::kResident);
  }
}

TEST_CASE("A text that is not canonical is an error that names the expected value") {
  CHECK(complaint("warp_specialized:", "warp_specialized ") == "expected schedule:key=value,...");
  CHECK(complaint("warp_specialized", "warp_specialised") ==
        "2 unknown schedule 'warp_specialised': expected one of small_mma, blocked, "
        "blocked_pipelined, pipelined, persistent, persistent_overlap, warp_specialized, "
        "ping_pong, split_k, split_k_hybrid, stream_k, stream_k_hybrid, tcgen05_pipelined, "
        "tcgen05_persistent, tcgen05_persistent_overlap, tcgen05_warp_specialized, "
        "tcgen05_split_k, multistage, multistage_split_k; did you mean warp_specialized?");
  CHECK(complaint("tile=128x256x64", "tile=128x256") == "tile=128x256: expected MxNxK");
  CHECK(complaint("128x256x64", "128x256x64x1") == "tile=128x256x64x1: expected MxNxK");
  CHECK(complaint("128x256x64", "128x0x64") ==
        "tile=128x0x64: 0 is out of range, expected 1 to 2147483647");
  CHECK(complaint("128x256x64", "128x2147483648x64") ==
        "tile=128x2147483648x64: 2147483648 is out of range, expected 1 to 2147483647");
  CHECK(complaint("128x256x64", "99999999999999999999x256x64") ==
        "tile=99999999999999999999x256x64: 99999999999999999999 is out of range, expected 1 to "
        "2147483647");
  CHECK(complaint("128x256x64", "128x-256x64") == "tile=128x-256x64: expected MxNxK");
  CHECK(complaint("128x256x64", "128*256*64") == "tile=128*256*64: expected MxNxK");
  CHECK(complaint("stages=4", "stages=0") == "stages=0: expected an integer from 1 to 1048576");
  CHECK(complaint("stages=4", "stages=four") ==
        "stages=four: expected an integer from 1 to 1048576");
  CHECK(complaint("stages=4", "stages") == "expected stages=..., got 'stages'");
  CHECK(complaint("warpgroups=2x1", "warpgroups=2") == "warpgroups=2: expected MxN");
  CHECK(complaint("cluster=2x1", "cluster=2") == "cluster=2: expected MxN");
  CHECK(complaint("ctas=1", "ctas=1.0") == "ctas=1.0: expected an integer from 1 to 1048576");
  CHECK(complaint("inflight=1", "inflight=-1") ==
        "inflight=-1: expected an integer from 0 to 1048576");
  CHECK(complaint("raster=grouped_m", "raster=groupd_m") ==
        "2 unknown raster 'groupd_m': expected one of grouped_m, grouped_n, hilbert; did you "
        "mean grouped_m?");
  CHECK(complaint("raster=grouped_m", "raster=hilbert") == "raster=hilbert requires group=1");
  CHECK(complaint("walk=strided", "walk=chunks") ==
        "2 unknown walk 'chunks': expected one of strided, chunked; did you mean chunked?");
  CHECK(complaint("grid=resident", "grid=4") ==
        "2 unknown grid '4': expected one of tiles, resident");
  CHECK(complaint("producer=24", "producer=0") ==
        "producer=0: expected an integer from 1 to 1048576");
  CHECK(complaint("c_slots=2", "c_slots=-1") ==
        "c_slots=-1: expected an integer from 0 to 1048576");
  CHECK(complaint(",walk=strided", "") == "expected walk=... at the end");
  CHECK(complaint(",walk=strided", ",walk=strided,x=1") == "unexpected 'x=1' at the end");
  CHECK(complaint("stages=4,warpgroups=2x1", "warpgroups=2x1,stages=4") ==
        "expected stages=..., got 'warpgroups=2x1'");
  CHECK(complaint("group=8", "group=1048577") ==
        "group=1048577: expected an integer from 1 to 1048576");
  CHECK(complaint("stages=4", "stages=04").starts_with("expected the canonical form "));
  CHECK(complaint("inflight=1", "inflight=-0").starts_with("expected the canonical form "));
}

TEST_CASE("A shape is three dimensions within their ranges") {
  CHECK(parse_gemm_shape("8192x4096x64") == GemmShape{8192, 4096, 64});
  CHECK(parse_gemm_shape("8192X4096X64") == GemmShape{8192, 4096, 64});
  CHECK(parse_gemm_shape("1x2147483647x1") == GemmShape{1, 2147483647, 1});
  CHECK(to_text(GemmShape{8192, 4096, 64}) == "8192x4096x64");
  for (const std::string text : {"", "8192", "8192x8192", "1x1x0", "1x1x-8", "1x2147483648x1",
                                 "1x1x1x1", "1x1x", "axbxc", "1.5x1x1", " 1x1x1"}) {
    CHECK(ERROR_MESSAGE(parse_gemm_shape(text)) ==
          "2 shape '" + text +
              "': expected MxNxK, three integers, M and N from 1 to 16777216, K from 1 to "
              "2147483647, such as 4096x4096x4096");
  }
}

TEST_CASE("A batch is a number of GEMMs, and the operands they share") {
  CHECK(parse_batch("32") == Batch{32});
  CHECK(parse_batch("32:a") == Batch{32, true});
  CHECK(parse_batch("32:b") == Batch{32, false, true});
  CHECK(parse_batch("32:B") == Batch{32, false, true});
  CHECK(to_text(parse_batch("2147483647:ab")) == "2147483647:ab");
  for (const std::string text : {"", "0", "-1", "2147483648", "32:", "32:c", "32:ba", "a", ":a"}) {
    CHECK(ERROR_MESSAGE(parse_batch(text))
              .starts_with("2 batch '" + text + "': expected a number of GEMMs from 1 to "));
  }
}

TEST_CASE("Only known words are accepted for types and layouts") {
  CHECK(parse_element_type("bf16") == ElementType::kBf16);
  for (const char* word : {"e4m3", "fp8", "fp8_e4m3", "float8_e4m3fn", "FP8_E4M3"}) {
    CHECK(parse_element_type(word) == ElementType::kE4m3);
  }
  CHECK(parse_element_type("fp8_e5m2") == ElementType::kE5m2);
  CHECK(other_words(ElementType::kBf16) == std::vector<std::string>{"bfloat16"});
  CHECK(to_text(parse_layout("nn")) == "nn");
  CHECK(ERROR_MESSAGE(parse_element_type("fp61")) ==
        "2 unknown dtype 'fp61': expected fp16, bf16, e4m3 (or fp8), e5m2, or fp32 for copies and "
        "additions; did you mean fp16?");
  CHECK(ERROR_MESSAGE(parse_layout("tm")) ==
        "2 unknown layout 'tm': expected one of tn, nn, nt, tt; did you mean tn?");
}

}  // namespace
}  // namespace tilecast
