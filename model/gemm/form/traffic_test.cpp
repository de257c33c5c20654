#include "model/gemm/form/traffic.h"

#include "tests/catch.h"
#include "tests/gemm_config.h"

namespace tilecast {
namespace {

constexpr L2Spec kLargeL2{.capacity = {1e9}, .usable_fraction = 1};
constexpr L2Spec kNoL2{.capacity = {1}, .usable_fraction = 1};

KernelConfig config(const char* cluster, const char* raster) {
  return gemm_config(
      std::string("warp_specialized:tile=128x256x64,stages=4,warpgroups=2x1,cluster=") + cluster +
      ",ctas=1,inflight=1,c_slots=2,producer=24,grid=resident,raster=" + raster);
}

GemmTraffic gemm_traffic(const L2Spec& l2, const GemmProblem& of, const KernelConfig& config,
                         i32 concurrent) {
  return TrafficMemo(l2, of).traffic(config, concurrent);
}

TEST_CASE("Each tile reads its rows of A and its columns of B once") {
  // 512x512x64 in 4 x 2 tiles reads A (65536 B) twice and B (65536 B) four times.
  const GemmTraffic t = gemm_traffic(kLargeL2, fp16(512, 512, 64),
                                     config("1x1", "grouped_m,group=1,walk=strided"), 132);
  CHECK(t.l2_to_sm.value == 2 * 65536 + 4 * 65536);
  CHECK(t.sm_intake.value == t.l2_to_sm.value);
  CHECK(t.dram_write.value == 512 * 512 * 2);
}

TEST_CASE("A multicast leaves L2 once and arrives at every CTA of the cluster") {
  // Two CTAs along m share B: it leaves L2 for 2 cluster rows instead of 4 tile rows.
  const GemmTraffic t = gemm_traffic(kLargeL2, fp16(512, 512, 64),
                                     config("2x1", "grouped_m,group=1,walk=strided"), 66);
  CHECK(t.l2_to_sm.value == 2 * 65536 + 2 * 65536);
  CHECK(t.sm_intake.value == 2 * 65536 + 4 * 65536);
}

TEST_CASE("Out-of-bounds rows and columns are not read") {
  // 130 x 300 in 2 x 2 tiles: still m * k of A twice and n * k of B twice.
  const GemmTraffic t = gemm_traffic(kLargeL2, fp16(130, 300, 64),
                                     config("1x1", "grouped_m,group=1,walk=strided"), 132);
  CHECK(t.l2_to_sm.value == Approx(2 * 130 * 128 + 2 * 300 * 128));
}

TEST_CASE("With everything in L2 each matrix is read from DRAM once") {
  const GemmTraffic t = gemm_traffic(kLargeL2, fp16(1024, 2048, 256),
                                     config("1x1", "grouped_m,group=1,walk=strided"), 4);
  CHECK(t.dram_read.value == Approx((1024 + 2048) * 512));
}

TEST_CASE("With no L2 a row-major wave rereads B and a square wave rereads both less") {
  // 4 x 4 tiles of 128x256, 4 workers, K = 64: a panel of A is 16 KiB, one of B 32 KiB. In row
  // order each of 4 waves reads 1 panel of A and 4 of B: 4 x 16 + 16 x 32 KiB.
  const GemmProblem p = fp16(512, 1024, 64);
  CHECK(
      gemm_traffic(kNoL2, p, config("1x1", "grouped_m,group=1,walk=strided"), 4).dram_read.value ==
      Approx((4 * 16 + 16 * 32) * 1024));
  // With swizzle groups of two rows, each wave reads 2 panels of A and 2 of B: 8 x 16 + 8 x 32 KiB.
  CHECK(
      gemm_traffic(kNoL2, p, config("1x1", "grouped_m,group=2,walk=strided"), 4).dram_read.value ==
      Approx((8 * 16 + 8 * 32) * 1024));
}

TEST_CASE("A chunked wave touches one tile of every chunk") {
  // 4 chunks of one tile column each: wave w reads panel w of A and all 4 panels of B. Without L2
  // nothing is reused: 4 x 16 + 16 x 32 KiB.
  const GemmProblem p = fp16(512, 1024, 64);
  CHECK(
      gemm_traffic(kNoL2, p, config("1x1", "grouped_n,group=1,walk=chunked"), 4).dram_read.value ==
      Approx((4 * 16 + 16 * 32) * 1024));
}

TEST_CASE("Sharers are the workers of a wave that need the same panel") {
  // 4 x 4 tiles, 4 workers. In square waves of 2 x 2, each panel of A is needed by two workers, and
  // so is each panel of B. In waves of one tile row, all four need the same panel of A and
  // different panels of B.
  const GemmProblem p = fp16(512, 1024, 64);
  const GemmTraffic square =
      gemm_traffic(kNoL2, p, config("1x1", "grouped_m,group=2,walk=strided"), 4);
  CHECK(square.a_sharers == Approx(2));
  CHECK(square.b_sharers == Approx(2));
  const GemmTraffic row =
      gemm_traffic(kNoL2, p, config("1x1", "grouped_m,group=1,walk=strided"), 4);
  CHECK(row.a_sharers == Approx(4));
  CHECK(row.b_sharers == Approx(1));
}

TEST_CASE("No tile order has less traffic than least_traffic, in any field") {
  constexpr L2Spec kHopperL2{.capacity = {60e6}, .usable_fraction = 0.7};
  for (const GemmProblem& p : {fp16(8192, 8192, 8192), fp16(8192, 8192, 16384),
                               fp16(16, 28672, 8192), fp16(777, 2000, 3080)}) {
    for (const char* cluster : {"1x1", "2x1", "2x2"}) {
      for (const char* raster :
           {"grouped_m,group=1,walk=strided", "grouped_m,group=8,walk=strided",
            "grouped_n,group=4,walk=strided", "hilbert,group=1,walk=strided",
            "grouped_n,group=1,walk=chunked", "hilbert,group=1,walk=chunked"}) {
        const KernelConfig c = config(cluster, raster);
        const GemmTraffic least = least_traffic(kHopperL2, p, c, 132);
        const GemmTraffic t = gemm_traffic(kHopperL2, p, c, 132);
        CHECK(least.dram_read <= t.dram_read);
        CHECK(least.a_sharers >= t.a_sharers);
        CHECK(least.b_sharers >= t.b_sharers);
        CHECK(least.a_missing <= t.a_missing);
        CHECK(least.b_missing <= t.b_missing);
        CHECK(least.l2_to_sm == t.l2_to_sm);
        CHECK(least.sm_intake == t.sm_intake);
        CHECK(least.dram_write == t.dram_write);
      }
    }
  }
}

TEST_CASE("The least DRAM reads: each matrix once, plus lines evicted by the smallest patches") {
  // 64 x 32 tiles of 128x256, panels of A 2 MiB and of B 4 MiB. A wave of 128 reads at least 2
  // sqrt(128 x 2 x 4) = 64 MiB. With 40 MiB usable, 2 - 64 / 40 = 0.4 of that stays, so each of 16
  // waves reads 0.6 x 64 MiB. With 64 MiB usable all of it stays.
  const GemmProblem p = fp16(8192, 8192, 8192);
  const KernelConfig c = config("1x1", "grouped_m,group=8,walk=strided");
  constexpr double kMebi = 1024.0 * 1024;
  L2Spec l2{.capacity = {40 * kMebi}, .usable_fraction = 1};
  CHECK(least_traffic(l2, p, c, 128).dram_read.value == Approx(16 * 0.6 * 64 * kMebi));
  l2.capacity = {64 * kMebi};
  CHECK(least_traffic(l2, p, c, 128).dram_read.value == Approx(2 * 128 * kMebi));
}

TEST_CASE("The memo returns the same as the function") {
  const GemmProblem p = fp16(4096, 4096, 512);
  TrafficMemo memo(kLargeL2, p);
  for (const char* raster : {"grouped_m,group=4,walk=strided", "grouped_n,group=4,walk=strided",
                             "grouped_n,group=1,walk=chunked"}) {
    for (const char* cluster : {"1x1", "2x1"}) {
      for (int again = 0; again < 2; ++again) {
        const GemmTraffic expected = gemm_traffic(kLargeL2, p, config(cluster, raster), 66);
        const GemmTraffic got = memo.traffic(config(cluster, raster), 66);
        CHECK(got.dram_read.value == expected.dram_read.value);
        CHECK(got.l2_to_sm.value == expected.l2_to_sm.value);
      }
    }
  }
}

}  // namespace
}  // namespace tilecast
