#include "model/spec/product_name.h"

#include "tests/catch.h"

namespace tilecast {

TEST_CASE("A device is a product by its model and the memory that its name states") {
  CHECK(is_product("NVIDIA H200", "NVIDIA H200 SXM 141 GB"));
  CHECK(is_product("NVIDIA H100 80GB HBM3", "NVIDIA H100 SXM5 80 GB"));
  CHECK(is_product("NVIDIA A100-SXM4-80GB", "NVIDIA A100 SXM4 80 GB"));
  CHECK_FALSE(is_product("NVIDIA A100-SXM4-40GB", "NVIDIA A100 SXM4 80 GB"));
  CHECK_FALSE(is_product("NVIDIA H20", "NVIDIA H200 SXM 141 GB"));
  CHECK(is_product("NVIDIA GeForce RTX 4090", "NVIDIA GeForce RTX 4090"));
  CHECK_FALSE(is_product("", "NVIDIA L40S"));
}

}  // namespace tilecast
