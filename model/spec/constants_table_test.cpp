#include "model/spec/constants_table.h"

#include "tests/catch.h"

namespace tilecast {

TEST_CASE("A row says of a number what its file and the table of constants say") {
  const std::string table = constants_table({load_gpu("h200_sxm", false), load_gpu("b200", false)});
  const auto holds = [&](const char* row) { return table.find(row) != std::string::npos; };
  // 66 of 132 SMs' pairs; 10 GB/s to 100 TB/s in the unit that the file has.
  CHECK(
      holds("\n| `clusters.max_active_of_2` | 66 | 1 | 1 to 512 |  | `sm.count` |  | measured | "
            "cta_launch |\n"));
  CHECK(holds("\n| `dram.bandwidth` | 4.8 | TB/s | 0.01 to 100 | dram |  |  | datasheet |  |\n"));
  CHECK(
      holds("\n| `reduction.chip_store` | 4.81 | TB/s | 0.01 to 1000 | reduction, l2 | "
            "`machine.l2_output` |  | measured | partial_sums |\n"));
  CHECK(holds("\n| `power.bf16_flop` | 0.83 | 1 | 0.1 to 2 |  |  | 0.3 | fitted |  |\n"));
  CHECK(holds("\n| `tcgen05.block_turn` |"));  // the H200 has none
  const std::size_t first = table.find("\n| `sm.count` |");
  CHECK(first != std::string::npos);
  CHECK(table.find("\n| `sm.count` |", first + 1) == std::string::npos);
}

}  // namespace tilecast
