#include "model/ops/short_config_text.h"

#include "model/gemm/config/kernel_config_text.h"
#include "model/ops/short_legend.h"
#include "tests/catch.h"

namespace tilecast {
namespace {

/// Converts a short form to the canonical string; "" if it is not complete.
std::string full(std::string_view text) {
  const std::optional<AnyConfig> config = parse_short_config(text);
  return config ? to_text(*config) : "";
}

TEST_CASE("The short text of a configuration equals the long one", "[short_config]") {
  const auto same = [](std::string_view brief, std::string_view whole) {
    CHECK(full(brief) == whole);
    CHECK(short_text(parse_config(whole)) == brief);
    CHECK(to_text(parse_config(brief)) == whole);
  };
  same("ws 128x256x64 s4 w2x1 c2x1 o1 i1 e2d m16",
       "warp_specialized:tile=128x256x64,stages=4,warpgroups=2x1,cluster=2x1,ctas=1,inflight=1,"
       "c_slots=2,producer=40,grid=resident,raster=grouped_m,group=16,walk=strided,store=deferred");
  // With three consumers the producer has 32 registers.
  same("ws1 192x48x64 s7 w3x1 c1x2 o1 i1 e0 n8",
       "warp_specialized:tile=192x48x64,stages=7,warpgroups=3x1,cluster=1x2,ctas=1,inflight=1,"
       "c_slots=0,producer=32,grid=tiles,raster=grouped_n,group=8,walk=strided");
  same("pp 128x128x64 s5 w1x1 c1x1 o1 i1 e4 hk r24",
       "ping_pong:tile=128x128x64,stages=5,cluster=1x1,ctas=1,inflight=1,c_slots=4,producer=24,"
       "raster=hilbert,group=1,walk=chunked");
  same("skh 128x256x64 s4 w2x1 c1x1 o1 i1 e2 m8 k8+a",
       "stream_k_hybrid:tile=128x256x64,stages=4,warpgroups=2x1,cluster=1x1,ctas=1,inflight=1,"
       "c_slots=2,producer=40,min_k_blocks=8,reduction=atomic,raster=grouped_m,group=8");
  same("sp 64x128x64 s8 w1x1 c1x1 o1 i1 e2 n8 k16s",
       "split_k:tile=64x128x64,stages=8,warpgroups=1x1,cluster=1x1,ctas=1,inflight=1,c_slots=2,"
       "producer=40,splits=16,reduction=spread,raster=grouped_n,group=8");
  same("bl 128x128x128 s1 w1x1 c1x1 o2 i0 e0 m8",
       "blocked:tile=128x128x128,warpgroups=1x1,ctas=2,c_slots=0,raster=grouped_m,group=8");
  same("pi 64x72x64 s8 w1x1 c1x1 o1 i1 e2 m8 x",
       "pipelined:tile=64x72x64,stages=8,warpgroups=1x1,ctas=1,inflight=1,c_slots=2,"
       "raster=grouped_m,group=8,operands=swapped");
  same("sm 64x128x128 s1 w1x2 c1x1 o1 i0 e0 m1 rs in32",
       "small_mma:tile=64x128x128,warpgroups=1x2,a=registers,instruction_n=32");
  same("t5wst 128x256x64 s6 w1x1 c2x1 o1 i1 e2 m8 a2",
       "tcgen05_warp_specialized:tile=128x256x64,stages=6,warpgroups=1x1,cta_group=2,"
       "accumulators=2,ctas=1,inflight=1,c_slots=2,grid=takeover,raster=grouped_m,group=8,"
       "walk=strided");
  same("eaw 64x128 s3 w8 o1 pl mx bands he",
       "elementwise_add_tma_warp_specialized:block=64x128,stages=3,warps=8,ctas=1,layout=plain,"
       "view=matrix,order=bands,hint=evict_first");
  same("mcc 1x8192 w4 v16 o4 pl blocks hn",
       "memcpy_cpasync:block=1x8192,warps=4,vector=16,ctas=4,layout=plain,order=blocks,hint=none");
}

TEST_CASE("A short text that is incomplete, or that its schedule does not support, is rejected",
          "[short_config]") {
  REQUIRE(!full("pi 64x32x128 s4 w1x1 c1x1 o1 i1 e0 m8").empty());
  for (const char* text :
       {"", "pi", "pi 64x32x128 s4 w1x1 c1x1 o1 i1 e0",  // lacks the tile order
        "pi 64x32x128 s4 w1x1 c2x1 o1 i1 e0 m8",         // has no clusters
        "pi1 64x32x128 s4 w1x1 c1x1 o1 i1 e0 m8",        // always one CTA per tile
        "pi 64x32x128 s4 w1x1 c1x1 o1 i1 e0d m8",        // cannot defer
        "pi 64x32x128 s4 w1x1 c1x1 o1 i1 e0 m8k",        // has no walk
        "pi 64x32x128 w1x1 s4 c1x1 o1 i1 e0 m8",         // has another order of words
        "pi 64x32x128 s04 w1x1 c1x1 o1 i1 e0 m8", "pi 64x32 s4 w1x1 c1x1 o1 i1 e0 m8",
        "pi 64x32x128 s4 w1x1 c1x1 o1 i1 e0 m8 m8", "pi 64x32x128 s4 w99999x99999 c1x1 o1 i1 e0 m8",
        "pipelined 64x32x128 s4 w1x1 c1x1 o1 i1 e0 m8", "xx 64x32x128"}) {
    CAPTURE(text);
    CHECK(full(text) == "");
  }
}

}  // namespace
TEST_CASE("A legend names the schedules and the letters of short texts, each once") {
  const AnyConfig config = *parse_short_config("pi 128x128x64 s6 w2x1 c1x1 o1 i1 e2 m8");
  CHECK(short_legend({config, config}) ==
        "pi pipelined; s stages, w warpgroups, c cluster, o ctas, i inflight, e c_slots, m "
        "grouped_m");
  CHECK(short_legend({*parse_short_config("ws1 64x128x64 s4 w1x1 c1x1 o1 i1 e2d m8k")})
            .ends_with("e c_slots, ..d store=deferred, m grouped_m, ..k walk=chunked"));
}

}  // namespace tilecast
