#include "model/gemm/predict/outside_bytes.h"

#include "tests/catch.h"
#include "tests/gemm_config.h"

using namespace tilecast;

namespace {

double outside(i64 m, i64 n, i64 k, const std::string& config, Layout layout = Layout::kTn) {
  return outside_bytes({{m, n, k}, ElementType::kFp16, layout}, gemm_config(config)).value;
}

double intake(i64 m, i64 n, i64 k, const std::string& config) {
  return outside_intake({{m, n, k}, ElementType::kFp16}, gemm_config(config)).value;
}

const std::string kPersistent = "pe 64x128x64 s8 w1x1 c1x1 o1 i1 e2 m8";

}  // namespace

TEST_CASE("Tiles inside the matrices load nothing out of bounds") {
  CHECK(outside(64, 4096, 512, kPersistent) == 0);
  // If a row ends inside a slab, the slab does not count: K = 72 in slabs of 64.
  CHECK(outside(64, 128, 72, kPersistent) == 0);
}

TEST_CASE("Rows beyond M and N count once per tile that loads them") {
  // 60 rows of A are missing, of which four are loaded: 512 elements each, for 32 tiles. No column
  // is missing.
  CHECK(outside(4, 4096, 512, kPersistent) == 4.0 * 512 * 32 * 2);
  // One row of tiles loads 128 - 100 missing rows of B.
  CHECK(outside(64, 100, 512, kPersistent) == 28.0 * 512 * 2);
  // B as [K,N] has slabs of 64 columns. The second slab has 36 existing columns, so it does not
  // count.
  CHECK(outside(64, 100, 512, kPersistent, Layout::kNn) == 0);
}

TEST_CASE("A as [K,M] is loaded in whole tiles of rows, in slabs of 64") {
  const std::string tall = "pe 128x128x64 s4 w1x1 c1x1 o1 i1 e2 m8";
  CHECK(outside(200, 4096, 512, tall, Layout::kNt) == 0);
  // The second slab of the last tile is outside: 64 rows, for 32 tile columns.
  CHECK(outside(136, 4096, 512, tall, Layout::kNt) == 64.0 * 512 * 32 * 2);
  CHECK(outside(192, 4096, 512, tall, Layout::kNt) == 64.0 * 512 * 32 * 2);
  CHECK(outside(192, 4096, 512, tall, Layout::kTt) == 64.0 * 512 * 32 * 2);
  // K ends inside a block: 56 missing elements of K, each in whole tiles on either side.
  CHECK(outside(128, 128, 456, tall, Layout::kNt) == 56.0 * (128 + 128) * 2);
  GemmProblem batch{{100, 128, 64}, ElementType::kFp16, Layout::kNt};
  batch.batch.products = 10;  // each second slab lacks 28 rows, which do not count
  CHECK(outside_bytes(batch, gemm_config(tall)).value == 0);
}

TEST_CASE("An out-of-bounds slab of K is loaded with every row") {
  const std::string wide = "po 128x176x128 s2 w1x1 c1x1 o1 i1 e2 m1";
  // K = 64 in blocks of 128: half of each block is outside. 8192 = 64 x 128 rows. 46.5 columns of
  // tiles become 47, and the last one of 176 has 80 missing rows of two slabs each.
  const double a = 8192.0 * 64 * 47, b = (8192.0 * 64 + 80.0 * 128) * 64;
  CHECK(outside(8192, 8192, 64, wide) == (a + b) * 2);
}

TEST_CASE("A cluster's multicast counts once; CTAs wholly out of bounds load columns alone") {
  const std::string pairs = "ws 128x256x64 s4 w2x1 c2x1 o1 i1 e2 m8";
  // 384 rows are one cluster of 256 and half of another, whose second CTA loads no rows.
  CHECK(outside(384, 512, 64, pairs) == 0);
  // 100 missing columns, for both clusters along M.
  CHECK(outside(384, 412, 64, pairs) == 100.0 * 64 * 2 * 2);
}

TEST_CASE("Each receiving SM counts a multicast's zeros") {
  const auto in_clusters = [](const std::string& cluster) {
    return "persistent_overlap:tile=128x128x64,stages=2,warpgroups=2x1,cluster=" + cluster +
           ",ctas=1,inflight=1,c_slots=2,raster=grouped_m,group=1,walk=strided";
  };
  // One column of tiles has 28 missing rows of B after row 100; each of the two tiles along M loads
  // them.
  CHECK(intake(256, 100, 512, in_clusters("1x1")) == 2 * 28.0 * 512 * 2);
  CHECK(outside(256, 100, 512, in_clusters("1x1")) == 2 * 28.0 * 512 * 2);
  CHECK(intake(256, 100, 512, in_clusters("2x1")) == 2 * 28.0 * 512 * 2);
  CHECK(outside(256, 100, 512, in_clusters("2x1")) == 28.0 * 512 * 2);
}
