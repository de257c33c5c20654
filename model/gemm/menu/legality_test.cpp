#include "model/gemm/menu/legality.h"

#include <string>

#include "model/gemm/problem/group_rows.h"
#include "model/gemm/rules/compiler_rejections.h"
#include "model/spec/load_gpu.h"
#include "tests/catch.h"
#include "tests/gemm_config.h"
#include "tests/h200.h"

namespace tilecast {
namespace {

Refusal check(const std::string& text, Layout layout = Layout::kTn) {
  return check_legal(h200(), fp16(4096, 4096, 4096, layout), gemm_config(text));
}

constexpr const char* kGroups = ",raster=grouped_m,group=8";

Refusal pipelined(const std::string& tile, Layout layout = Layout::kTn) {
  return check("pipelined:" + tile + ",ctas=1,inflight=1,c_slots=2" + kGroups, layout);
}

Refusal specialized(const std::string& tile, const std::string& cluster = "1x1",
                    Layout layout = Layout::kTn) {
  return check("warp_specialized:" + tile + ",cluster=" + cluster +
                   ",ctas=1,inflight=1,c_slots=2,producer=24,grid=resident" + kGroups +
                   ",walk=strided",
               layout);
}

TEST_CASE("A tile consists of whole wgmmas per warpgroup and whole swizzle rows") {
  CHECK(pipelined("tile=128x256x64,stages=4,warpgroups=2x1") == Refusal::kNone);
  CHECK(pipelined("tile=96x256x64,stages=4,warpgroups=1x1") == Refusal::kWgmmaShape);
  CHECK(pipelined("tile=64x256x64,stages=4,warpgroups=2x1") == Refusal::kWgmmaShape);
  CHECK(pipelined("tile=64x256x64,stages=4,warpgroups=1x2") == Refusal::kNone);
  CHECK(pipelined("tile=64x144x64,stages=4,warpgroups=1x1") == Refusal::kNone);
  CHECK(pipelined("tile=64x144x64,stages=4,warpgroups=1x2") == Refusal::kNone);  // 72 columns each
  CHECK(pipelined("tile=64x136x64,stages=4,warpgroups=1x1") == Refusal::kNone);
  CHECK(pipelined("tile=64x132x64,stages=4,warpgroups=1x1") == Refusal::kWgmmaShape);
  CHECK(pipelined("tile=128x128x32,stages=4,warpgroups=2x1") == Refusal::kNone);
  CHECK(pipelined("tile=128x128x16,stages=4,warpgroups=2x1") == Refusal::kWgmmaShape);
  CHECK(pipelined("tile=128x128x96,stages=3,warpgroups=2x1") == Refusal::kWgmmaShape);
}

TEST_CASE(
    "An odd multiple of eight columns requires one wgmma, layout tn, a ring and whole slabs") {
  CHECK(pipelined("tile=64x24x64,stages=4,warpgroups=1x1") == Refusal::kNone);
  CHECK(pipelined("tile=64x8x64,stages=4,warpgroups=1x1") == Refusal::kWgmmaShape);
  CHECK(pipelined("tile=64x248x64,stages=4,warpgroups=1x1") == Refusal::kNone);
  CHECK(pipelined("tile=64x264x64,stages=4,warpgroups=1x1") == Refusal::kWgmmaShape);
  CHECK(pipelined("tile=128x168x64,stages=4,warpgroups=2x1", Layout::kNn) == Refusal::kWgmmaShape);
  CHECK(pipelined("tile=128x168x32,stages=4,warpgroups=2x1") == Refusal::kWgmmaShape);
  CHECK(check(std::string("blocked:tile=128x168x64,warpgroups=2x1,ctas=1,c_slots=1") + kGroups) ==
        Refusal::kWgmmaShape);
  CHECK(specialized("tile=128x168x64,stages=4,warpgroups=2x1", "1x2") == Refusal::kNone);
  // CTAs that share B load 84 or 42 rows each, which are not whole swizzle atoms.
  CHECK(specialized("tile=128x168x64,stages=4,warpgroups=2x1", "2x1") == Refusal::kNone);
  CHECK(specialized("tile=128x168x64,stages=4,warpgroups=2x1", "4x1") == Refusal::kNone);
  CHECK(specialized("tile=64x336x64,stages=3,warpgroups=1x2", "2x1") == Refusal::kNone);
}

TEST_CASE("Registers and shared memory are refused one step beyond what fits") {
  CHECK(pipelined("tile=128x256x64,stages=5,warpgroups=2x1") == Refusal::kSharedMemory);
  CHECK(pipelined("tile=128x256x64,stages=4,warpgroups=1x1") == Refusal::kRegisters);
  // 65536 / 128 threads / 2 CTAs, at most 255 registers: one warpgroup has room for 192
  // accumulators plus 42, but not for 216.
  CHECK(pipelined("tile=128x192x64,stages=4,warpgroups=1x1") == Refusal::kNone);
  CHECK(pipelined("tile=128x224x64,stages=4,warpgroups=1x1") == Refusal::kRegisters);
  CHECK(check(std::string("pipelined:tile=128x128x64,stages=3,warpgroups=1x1,ctas=2,inflight=1,"
                          "c_slots=2") +
              kGroups) == Refusal::kNone);
  CHECK(check(std::string("pipelined:tile=128x128x64,stages=4,warpgroups=1x1,ctas=2,inflight=1,"
                          "c_slots=2") +
              kGroups) == Refusal::kOccupancy);
}

TEST_CASE("320 rows need two boxes, split along N") {
  CHECK(specialized("tile=320x128x64,stages=3,warpgroups=1x2") == Refusal::kNone);
  CHECK(specialized("tile=320x128x64,stages=3,warpgroups=1x2", "1x2") == Refusal::kNone);  // 160
  CHECK(specialized("tile=320x128x64,stages=3,warpgroups=2x1") == Refusal::kWgmmaShape);
  CHECK(specialized("tile=192x128x64,stages=3,warpgroups=3x1", "1x4") == Refusal::kNone);  // 48
}

TEST_CASE("B as [K,N] is stored in slabs of 64 columns, and each warpgroup takes whole slabs") {
  const auto nn = [](const char* tile) { return pipelined(tile, Layout::kNn); };
  CHECK(nn("tile=128x128x64,stages=3,warpgroups=2x1") == Refusal::kNone);
  CHECK(nn("tile=128x96x64,stages=3,warpgroups=2x1") == Refusal::kWgmmaShape);
  CHECK(nn("tile=64x256x64,stages=3,warpgroups=1x2") == Refusal::kNone);
  CHECK(nn("tile=64x192x64,stages=3,warpgroups=1x2") == Refusal::kWgmmaShape);  // 96 columns each
  CHECK(pipelined("tile=64x192x64,stages=3,warpgroups=1x2") == Refusal::kNone);
}

TEST_CASE("A wgmma that reads B as [K,N] starts a slab of 64 columns or stays inside one") {
  const auto nn = [](const char* tile) { return pipelined(tile, Layout::kNn); };
  CHECK(nn("tile=128x320x64,stages=3,warpgroups=2x1") ==
        Refusal::kWgmmaShape);  // warpgroups begin at columns 0 and 160
  CHECK(pipelined("tile=128x320x64,stages=3,warpgroups=2x1") == Refusal::kNone);
  const GpuSpec& gpu = h200();
  const auto small = [&](const char* n) {
    return check_legal(
        gpu, fp16(64, 192, 128, Layout::kNn),
        gemm_config("small_mma:tile=64x192x128,warpgroups=1x1,a=shared,instruction_n=" +
                    std::string(n)));
  };
  CHECK(small("32") == Refusal::kNone);
  CHECK(small("48") == Refusal::kWgmmaShape);  // columns 48 to 95 straddle two slabs
  CHECK(small("96") == Refusal::kWgmmaShape);
  CHECK(small("192") == Refusal::kNone);
}

TEST_CASE("A as [K,M] is stored in slabs of 64 rows, shared along K by the CTAs of a cluster") {
  // 192 rows shared by eight CTAs are 24 each, and a K of 32 is four rows each.
  const char* const tall = "tile=192x128x32,stages=3,warpgroups=3x1";
  CHECK(specialized(tall, "1x8", Layout::kTn) == Refusal::kNone);
  CHECK(specialized(tall, "1x8", Layout::kNt) == Refusal::kNone);
  CHECK(specialized(tall, "1x4", Layout::kNt) == Refusal::kNone);
  // Only B supports odd multiples of eight.
  const char* const odd = "tile=128x168x64,stages=3,warpgroups=2x1";
  CHECK(specialized(odd, "1x2", Layout::kTt) == Refusal::kNone);
  CHECK(specialized(odd, "1x2", Layout::kNt) == Refusal::kWgmmaShape);
  const auto small = [](const char* source, Layout layout) {
    return check_legal(h200(), fp16(64, 64, 64, layout),
                       gemm_config("small_mma:tile=64x64x64,warpgroups=1x1,a=" +
                                   std::string(source) + ",instruction_n=64"));
  };
  CHECK(small("shared", Layout::kTt) == Refusal::kNone);
  CHECK(small("registers", Layout::kTt) == Refusal::kSchedule);
}

TEST_CASE("Counts that a schedule does not support are rejected") {
  // inflight=1 needs two stages
  CHECK(pipelined("tile=64x64x64,stages=1,warpgroups=1x1") == Refusal::kSchedule);
  CHECK(pipelined("tile=64x64x64,stages=2,warpgroups=1x1") == Refusal::kNone);
  CHECK(pipelined("tile=64x64x32,stages=64,warpgroups=1x1") != Refusal::kSchedule);
  CHECK(pipelined("tile=64x64x32,stages=65,warpgroups=1x1") == Refusal::kSchedule);
  // four warpgroups
  CHECK(pipelined("tile=128x64x64,stages=2,warpgroups=2x2") == Refusal::kSchedule);
  CHECK(pipelined("tile=192x64x64,stages=2,warpgroups=3x1") == Refusal::kNone);
  const auto inflight = [](const char* count) {
    return check("pipelined:tile=64x64x64,stages=4,warpgroups=1x1,ctas=1,inflight=" +
                 std::string(count) + ",c_slots=2" + kGroups);
  };
  CHECK(inflight("0") == Refusal::kNone);
  CHECK(inflight("2") == Refusal::kNone);
  CHECK(inflight("3") == Refusal::kSchedule);
  CHECK(specialized("tile=128x256x64,stages=3,warpgroups=2x1", "3x1") == Refusal::kCluster);
  CHECK(specialized("tile=128x256x64,stages=3,warpgroups=2x1", "4x1") == Refusal::kNone);
  CHECK(specialized("tile=128x256x64,stages=3,warpgroups=2x1", "4x2") == Refusal::kNone);
  CHECK(specialized("tile=128x256x64,stages=3,warpgroups=2x1", "4x4") == Refusal::kCluster);
  CHECK(specialized("tile=128x256x64,stages=3,warpgroups=2x1", "16x1") == Refusal::kCluster);
}

TEST_CASE("small_mma solves only problems of one tile and one K block") {
  const GpuSpec& gpu = h200();
  const KernelConfig config = gemm_config("sm 64x128x128 s1 w1x1 c1x1 o1 i0 e0 m1 ss in128");
  CHECK(check_legal(gpu, fp16(64, 128, 128), config) == Refusal::kNone);
  CHECK(check_legal(gpu, fp16(1, 1, 8), config) == Refusal::kNone);
  CHECK(check_legal(gpu, fp16(65, 128, 128), config) == Refusal::kSchedule);
  CHECK(check_legal(gpu, fp16(64, 129, 128), config) == Refusal::kSchedule);
  CHECK(check_legal(gpu, fp16(64, 128, 136), config) == Refusal::kSchedule);
}

TEST_CASE("small_mma's instruction must exist and divide a warpgroup's columns") {
  const GpuSpec& gpu = h200();
  const auto small = [&](const std::string& rest) {
    return check_legal(gpu, fp16(64, 128, 128), gemm_config("small_mma:" + rest));
  };
  for (const char* n : {"8", "16", "32", "64", "128"}) {
    CHECK(small("tile=64x128x128,warpgroups=1x1,a=registers,instruction_n=" + std::string(n)) ==
          Refusal::kNone);
  }
  CHECK(small("tile=64x128x128,warpgroups=1x2,a=shared,instruction_n=64") == Refusal::kNone);
  CHECK(small("tile=64x128x128,warpgroups=1x2,a=shared,instruction_n=128") == Refusal::kWgmmaShape);
  CHECK(small("tile=64x128x128,warpgroups=1x1,a=shared,instruction_n=48") == Refusal::kWgmmaShape);
  CHECK(small("tile=64x144x128,warpgroups=1x1,a=shared,instruction_n=24") == Refusal::kWgmmaShape);
  CHECK(small("tile=64x144x128,warpgroups=1x1,a=shared,instruction_n=48") == Refusal::kNone);
  // A in registers takes 16 k16 steps x 4 registers besides 128 accumulators; with 128 rows twice
  // as many of both.
  CHECK(small("tile=64x256x256,warpgroups=1x1,a=registers,instruction_n=256") == Refusal::kNone);
  CHECK(small("tile=128x128x256,warpgroups=1x1,a=registers,instruction_n=128") ==
        Refusal::kRegisters);
  CHECK(small("tile=128x128x256,warpgroups=1x1,a=shared,instruction_n=128") == Refusal::kNone);
}

TEST_CASE("Only a persistent grid can walk in chunks") {
  const auto walked = [](const char* grid, const char* walk) {
    return check(
        "warp_specialized:tile=128x128x64,stages=3,warpgroups=2x1,cluster=1x1,ctas=1,"
        "inflight=1,c_slots=2,producer=24,grid=" +
        std::string(grid) + ",raster=grouped_n,group=1,walk=" + walk);
  };
  CHECK(walked("resident", "chunked") == Refusal::kNone);
  CHECK(walked("tiles", "strided") == Refusal::kNone);
  CHECK(walked("tiles", "chunked") == Refusal::kSchedule);
}

TEST_CASE("C borrows stages only if no load can arrive meanwhile") {
  const auto overlap = [](const char* cluster, const char* inflight, const char* slots) {
    return check("persistent_overlap:tile=128x256x64,stages=3,warpgroups=2x1,cluster=" +
                 std::string(cluster) + ",ctas=1,inflight=" + inflight + ",c_slots=" + slots +
                 kGroups + ",walk=strided");
  };
  CHECK(overlap("1x1", "1", "0") == Refusal::kNone);
  CHECK(overlap("1x1", "0", "0") == Refusal::kSchedule);  // without inflight=1 no stage is free
  CHECK(overlap("2x1", "1", "0") == Refusal::kSchedule);  // the peer CTA loads into both
  CHECK(overlap("2x1", "0", "2") == Refusal::kNone);
  const auto in_grid = [](const char* grid, const char* slots) {
    return check(
        "warp_specialized:tile=128x256x64,stages=3,warpgroups=2x1,cluster=2x1,ctas=1,"
        "inflight=1,c_slots=" +
        std::string(slots) + ",producer=24,grid=" + grid + kGroups + ",walk=strided");
  };
  CHECK(in_grid("tiles", "0") == Refusal::kNone);
  CHECK(in_grid("resident", "0") == Refusal::kSchedule);
  CHECK(in_grid("resident", "2") == Refusal::kNone);
  const std::string rest = std::string(",ctas=1,inflight=1,c_slots=0") + kGroups;
  CHECK(check("pipelined:tile=128x256x64,stages=3,warpgroups=2x1" + rest) == Refusal::kNone);
  CHECK(check("persistent:tile=128x256x64,stages=3,warpgroups=2x1" + rest + ",walk=strided") ==
        Refusal::kSchedule);
  CHECK(check("ping_pong:tile=64x256x64,stages=3,cluster=1x1,ctas=1,inflight=1,c_slots=0,"
              "producer=24" +
              std::string(kGroups) + ",walk=strided") == Refusal::kSchedule);
}

TEST_CASE("A store can be deferred if a next tile follows and registers are left") {
  const auto deferred = [](const char* tile, const char* producer, const char* grid) {
    return check("warp_specialized:" + std::string(tile) +
                 ",cluster=1x1,ctas=1,inflight=1,c_slots=1,producer=" + producer + ",grid=" + grid +
                 kGroups + ",walk=strided,store=deferred");
  };
  const char* flagship = "tile=128x256x64,stages=4,warpgroups=2x1";
  CHECK(deferred(flagship, "24", "resident") == Refusal::kNone);
  CHECK(deferred(flagship, "24", "tiles") == Refusal::kSchedule);
  // Besides 160 accumulators, 232 registers hold 3 of 6 chunks; besides 192, none.
  CHECK(deferred("tile=256x160x64,stages=3,warpgroups=2x1", "40", "resident") == Refusal::kNone);
  CHECK(deferred("tile=256x192x64,stages=3,warpgroups=2x1", "40", "resident") ==
        Refusal::kRegisters);
}

TEST_CASE("C must fit where it is staged") {
  // Two B stages of 64 KiB / 4 each hold half of a 128x256 tile of C.
  CHECK(check("persistent_overlap:tile=128x256x32,stages=3,warpgroups=2x1,cluster=1x1,ctas=1,"
              "inflight=1,c_slots=0" +
              std::string(kGroups) + ",walk=strided") == Refusal::kSharedMemory);
  CHECK(pipelined("tile=128x256x64,stages=4,warpgroups=2x1") == Refusal::kNone);
  CHECK(check("pipelined:tile=128x256x64,stages=4,warpgroups=2x1,ctas=1,inflight=1,c_slots=3" +
              std::string(kGroups)) == Refusal::kSharedMemory);  // 16 KiB more than two slots
}

TEST_CASE("The producer's registers are a multiple of 8, from 24 to the launch value") {
  const auto producer = [](const char* tile, const char* registers) {
    return check("warp_specialized:" + std::string(tile) +
                 ",cluster=1x1,ctas=1,inflight=1,c_slots=2,producer=" + registers +
                 ",grid=resident" + kGroups + ",walk=strided");
  };
  const char* flagship = "tile=128x256x64,stages=4,warpgroups=2x1";
  CHECK(producer(flagship, "16") == Refusal::kSchedule);
  CHECK(producer(flagship, "24") == Refusal::kNone);
  CHECK(producer(flagship, "28") == Refusal::kSchedule);
  CHECK(producer(flagship, "40") == Refusal::kNone);
  // Three warpgroups launch with 168 registers each and keep them.
  CHECK(producer("tile=128x128x64,stages=4,warpgroups=2x1", "168") == Refusal::kNone);
  CHECK(producer("tile=128x288x64,stages=3,warpgroups=2x1", "24") == Refusal::kNone);
  CHECK(producer("tile=128x288x64,stages=3,warpgroups=2x1", "168") == Refusal::kRegisters);
  CHECK(producer("tile=128x128x64,stages=4,warpgroups=2x1", "176") == Refusal::kSchedule);
}

TEST_CASE("A known compiler rejection is reported after every other reason") {
  GpuSpec gpu = load_gpu("h200_sxm", false).spec;
  CompilerRejection rejection;
  rejection[VariantPart::kSchedule] = static_cast<i32>(Schedule::kBlocked);
  const auto reject = [&gpu](const CompilerRejection& one) {
    gpu.compiler_rejections = std::make_shared<const std::vector<CompilerRejection>>(1, one);
  };
  reject(rejection);
  const auto blocked = [&](const char* tile) {
    return check_legal(gpu, fp16(4096, 4096, 4096),
                       gemm_config("blocked:tile=" + std::string(tile) +
                                   ",warpgroups=1x1,ctas=1,c_slots=0" + kGroups));
  };
  CHECK(blocked("64x128x64") == Refusal::kCompiler);
  CHECK(blocked("128x256x64") == Refusal::kRegisters);
  rejection[VariantPart::kSchedule] = static_cast<i32>(Schedule::kPipelined);
  reject(rejection);
  CHECK(blocked("64x128x64") == Refusal::kNone);
}

TEST_CASE("Dimensions of any length are solvable") {
  CHECK(why_not_solvable(h200(), fp16(64, 64, 63)).empty());
  CHECK(why_not_solvable(h200(), fp16(64, 4096, i64{1} << 28)).empty());
  CHECK(why_not_solvable(h200(), fp16(64, 4096, (i64{1} << 28) + 1))
            .starts_with("A and B have at most 1099511627776 elements if rows are not multiples"));
  CHECK(why_not_solvable(h200(), fp16(64, 63, 64)).empty());
  for (const Layout layout : {Layout::kNn, Layout::kNt, Layout::kTt}) {
    CHECK(why_not_solvable(h200(), fp16(63, 61, 59, layout)).empty());
  }
}

TEST_CASE("fp8 operands and groups require K-major operands") {
  for (const Layout layout : {Layout::kNt, Layout::kTt}) {
    GemmProblem fp8 = fp16(64, 64, 64, layout);
    fp8.dtype = ElementType::kE4m3;
    CHECK(contains(why_not_solvable(h200(), fp8), "only in layout tn (K-major)"));
    const GemmProblem groups = in_groups(fp16(0, 64, 64, layout), {64, 64});
    CHECK(contains(why_not_solvable(h200(), groups), "groups along M require A as [M,K]"));
  }
}

TEST_CASE("Blackwell's kernels support a plain 16-bit GEMM in layout tn, and a refusal says so") {
  const GpuSpec gpu = load_gpu("b200", false).spec;
  CHECK(why_not_solvable(gpu, fp16(64, 64, 64)).empty());
  CHECK(contains(why_not_solvable(gpu, fp16(64, 64, 64, Layout::kNn)), "layout tn"));
  GemmProblem batch = fp16(64, 64, 64), fp8 = batch, fused = batch;
  batch.batch.products = 2;
  fp8.dtype = ElementType::kE4m3;
  fused.epilogue = {step<BiasN>(), step<Gelu>()};
  for (const GemmProblem& p : {batch, fp8, fused, in_groups(fp16(0, 64, 64), {64, 64})}) {
    CHECK(why_not_solvable(gpu, p).starts_with("Blackwell kernels support a single GEMM"));
  }
}

TEST_CASE("A configuration whose numbers overflow 32 bits is rejected") {
  const auto refused = [](const std::string& tile, const std::string& cluster) {
    return specialized("tile=" + tile + ",stages=2,warpgroups=1x1", cluster);
  };
  CHECK(refused("64x64x64", "1x1") == Refusal::kNone);
  // (2^31 - 1)^2 = 1 modulo 2^32, and 2^16 * 2^16 = 0.
  CHECK(refused("64x64x64", "2147483647x2147483647") == Refusal::kCluster);
  CHECK(refused("64x64x64", "65536x65536") == Refusal::kCluster);
  // 64 rows of 2^25 elements of 2 bytes are 2^32 bytes per stage.
  CHECK(refused("64x64x33554432", "1x1") == Refusal::kSharedMemory);
  CHECK(refused("2147483584x64x64", "1x1") == Refusal::kTmaBox);
  CHECK(pipelined("tile=64x64x64,stages=2,warpgroups=65536x65536") == Refusal::kSchedule);
}

TEST_CASE("A problem with more tiles than can be counted is rejected") {
  const i64 most = i64{1} << 24;
  CHECK(why_not_solvable(h200(), fp16(most, 8, 8)).empty());
  CHECK(why_not_solvable(h200(), fp16(8, most, 8)).empty());
  CHECK(why_not_solvable(h200(), fp16(8, 8, 2147483640)).empty());
  CHECK(why_not_solvable(h200(), fp16(most, 65536, 8)).empty());  // 2^40 elements of C
  for (const GemmProblem& p : {fp16(most + 8, 8, 8), fp16(8, most + 8, 8), fp16(most, 65544, 8),
                               fp16(2147483647, 2147483647, 8)}) {
    CHECK(contains(why_not_solvable(h200(), p), "at most"));
  }
}

}  // namespace
}  // namespace tilecast
