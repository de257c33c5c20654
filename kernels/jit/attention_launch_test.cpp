// Compiles the attention kernels. Their results are tested in validate/measure/attention and
// library.
#include "kernels/jit/attention_launch.h"

#include <string>
#include <vector>

#include "kernels/jit/cubin_cache.h"
#include "tests/attention_problem.h"
#include "tests/catch.h"
#include "tests/seed.h"

namespace tilecast {
namespace {

std::string shown(const AttentionConfig& c) {
  return std::string(traits_of(c.schedule).name) + " groups " + std::to_string(c.groups) + " kv " +
         std::to_string(c.kv_block) + " stages " + std::to_string(c.stages);
}

AttentionConfig config_of(AttentionSchedule schedule, i32 groups, i32 kv_block, i32 stages) {
  return {.schedule = schedule,
          .groups = groups,
          .kv_block = kv_block,
          .stages = stages,
          .ctas_per_sm = 1,
          .grid = AttentionGrid::kTiles,
          .order = AttentionOrder::kStatic,
          .splits = 1,
          .pack = false};
}

using enum AttentionSchedule;

/// Small and large tiles for each head dimension that fit the registers and shared memory.
std::vector<AttentionConfig> configs_of(i32 head_dim) {
  const i32 wide = head_dim == 64 ? 192 : head_dim == 128 ? 176 : 80;
  const i32 narrow = head_dim == 64 ? 128 : 80;  // key block small enough for three warpgroups
  std::vector<AttentionConfig> all{
      config_of(kSingle, 1, 64, 1),      config_of(kSingle, 1, 48, 2),
      config_of(kSpecialized, 1, 64, 2), config_of(kSpecialized, 2, 80, 2),
      config_of(kPingPong, 2, 64, 2),    config_of(kOverlap, 1, 32, 3),
      config_of(kOverlap, 2, wide, 1),
  };
  if (head_dim < 256) {
    all.push_back(config_of(kSpecialized, 3, narrow, 2));
    all.push_back(config_of(kPingPong, 3, narrow, 2));
    all.push_back(config_of(kOverlap, 3, narrow, 2));
  }
  return all;
}

AttentionProblem problem_of(i32 head_dim, AttentionMask mask) {
  AttentionProblem p = attention_of(1, 1, 1, 128, 256, head_dim, mask);
  p.lse = true;
  return p;
}

}  // namespace

TEST_CASE("Attention kernels compile without spills") {
  Turns turns("attention kernels to compile", 4);
  CubinCache none{std::filesystem::path()};
  for (const i32 head_dim : {64, 128, 256}) {
    for (const AttentionMask mask : {AttentionMask::kFull, AttentionMask::kCausal}) {
      for (const AttentionConfig& config : configs_of(head_dim)) {
        if (!turns.due()) {
          continue;
        }
        INFO(shown(config) << " of head dimension " << head_dim);
        const CompiledKernel kernel =
            none.get(attention_source(config, problem_of(head_dim, mask)));
        INFO(kernel.log);
        CHECK(kernel.rejection == "");
      }
    }
  }
}

}  // namespace tilecast
