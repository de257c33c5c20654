#include "model/op/config_key.h"

#include "model/gemm/config/kernel_config_text.h"
#include "model/gemm/config/schedule_text.h"
#include "tests/catch.h"

namespace tilecast {

TEST_CASE("Each key of a configuration's text has a description, in the text's order") {
  for (const Schedule schedule : kEverySchedule) {
    KernelConfig config = fixed_by_schedule(schedule);
    config.tiling.block_m = config.tiling.block_n = 128;
    config.tiling.block_k = 64;
    const std::string text = to_text(config);
    std::string keys;
    for (const auto& [key_value, meaning] : key_values(config)) {
      CHECK(!meaning.empty());
      keys += (keys.empty() ? "" : ",") + key_value;
    }
    CHECK(std::string(to_text(schedule)) + ":" + keys == text);
  }
}

}  // namespace tilecast
