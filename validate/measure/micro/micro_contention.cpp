#include <fmt/format.h>

#include "kernels/gemm/gemm_args.h"
#include "kernels/jit/tensor_map.h"
#include "validate/measure/micro/micro_suite.h"
#include "validate/measure/micro/micro_wgmma.h"

namespace tilecast {
namespace {

constexpr int kRepeats = 7;
constexpr u32 kCtas = 8;  // few, so that L2 is no limit
constexpr i32 kBoxRows = 128;
constexpr i32 kBoxColumns = 64;

/// What each turn of the filling warp brings.
struct Fill {
  const char* name;  // of the variants; the first one has none
  bool boxes;
  u32 bytes, copies, slots;
  u32 region;  // bytes of plain memory for each CTA, or columns of the map
};

constexpr Fill kFills[] = {
    {"", false, 8192, 1, 4, 64 * 1024},
    {" fill=3x16384", false, 16384, 3, 3, 96 * 1024},
    {" fill=3 boxes", true, kBoxRows* kBoxColumns * 2, 3, 3, 6 * kBoxColumns},
};

void measure(MicroLab& lab, const WgmmaLoop& loop, const Fill& fill, u32 offered) {
  constexpr u32 kGroups = 2000;
  LoadedKernel& kernel = lab.kernel("wgmma_contention", loop.defines());
  const LaunchShape shape{
      .ctas = kCtas,
      .threads = loop.warpgroups * kWarpgroup + 32,
      .shared_memory_bytes =
          loop.shared_bytes() + static_cast<i32>(fill.slots * fill.copies * fill.bytes)};
  const char* memory = lab.memory(std::size_t{kCtas} * 128 * 1024);
  TensorMap map{};
  if (fill.boxes) {
    map = make_tensor_map({.pointer = memory,
                           .rows = kCtas * kBoxRows,
                           .columns = fill.region,
                           .dtype = ElementType::kFp16},
                          {.columns = kBoxColumns, .rows = kBoxRows, .swizzle_bytes = 128});
  }
  const char* source = fill.boxes ? nullptr : memory;
  const u32 period = offered == 0 ? 0 : fill.bytes * fill.copies / offered;
  std::vector<TimedSample> computing, filling;
  for (int i = 0; i < kRepeats; ++i) {
    const std::size_t per_cta = static_cast<std::size_t>(loop.warpgroups) + 1;
    const std::vector<TimedSample> all = lab.run(
        kernel, shape, kCtas * per_cta, map, kGroups, static_cast<u32>(OperandData::kRandomBits),
        source, fill.region, kBoxRows, fill.bytes, fill.copies, fill.slots, period);
    for (std::size_t cta = 0; cta < kCtas; ++cta) {
      computing.push_back(all[cta * per_cta]);
      filling.push_back(all[cta * per_cta + per_cta - 1]);
    }
  }
  const std::string variant =
      fmt::format("n={} warpgroups={} offered={}{}{}", loop.n, loop.warpgroups, offered,
                  loop.registers ? " a=registers" : "", fill.name);
  lab.report(latency_point(computing), "contention", "wgmma.interval_under_fill", variant,
             "wgmma_contention");
  if (offered > 0) {
    lab.report(rate_point(filling, "B"), "contention", "wgmma.fill_under_wgmma", variant,
               "wgmma_contention");
  }
}

}  // namespace

void measure_contention(MicroLab& lab) {
  for (const i32 warpgroups : {1, 2}) {
    for (const i32 n : {64, 128, 256}) {
      const WgmmaLoop loop{n, false, 4, 1, warpgroups};
      for (const u32 offered : {0u, 8u, 16u, 32u, 64u}) {  // B per cycle
        measure(lab, loop, kFills[0], offered);
      }
      for (const Fill* fill : {&kFills[1], &kFills[2]}) {
        for (const u32 offered : {16u, 32u, 48u, 64u, 96u}) {
          measure(lab, loop, *fill, offered);
        }
      }
    }
  }
  // Half of the operand bytes of N = 256 come from registers: what is left for fills.
  for (const u32 offered : {0u, 32u, 64u}) {
    measure(lab, {256, true, 4, 1, 1}, kFills[2], offered);
  }
}

}  // namespace tilecast
