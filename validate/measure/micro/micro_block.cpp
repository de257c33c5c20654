#include "validate/measure/micro/micro_block.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "kernels/jit/gemm_kernel.h"
#include "kernels/jit/tensor_map.h"
#include "model/base/math.h"
#include "validate/measure/micro/micro_suite.h"

namespace tilecast {
namespace {

constexpr int kRepeats = 9;
constexpr ElementType kType = ElementType::kFp16;

/// Cycles at the clock of `clock`.
TimedSample with_time(double cycles, u64 amount, const TimedSample& clock) {
  const double ns_per_cycle =
      static_cast<double>(clock.nanoseconds) / static_cast<double>(clock.cycles);
  return {static_cast<u64>(std::llround(cycles)),
          static_cast<u64>(std::llround(cycles * ns_per_cycle)), amount, clock.smid, 1};
}

std::string variant_of(const BlockTile& tile) {
  return fmt::format("block={}x{}x{} warpgroups={} instructions={}", tile.m, tile.n, tile.k,
                     tile.warpgroups, tile.instructions());
}

const char* name_of(LoadBy by) {
  switch (by) {
    case LoadBy::kNobody:
      break;
    case LoadBy::kIssuer:
      return "issuer";
    case LoadBy::kOther:
      return "other";
    case LoadBy::kOtherAtOnce:
      return "other_at_once";
  }
  return "nobody";
}

void measure_block(MicroLab& lab, const BlockRun& run) {
  constexpr u32 kRounds = 100;
  std::vector<std::vector<TimedSample>> by_place;
  for (int i = 0; i <= kRepeats; ++i) {
    const std::vector<TimedSample> samples = run_block(lab, run, kRounds);
    by_place.resize(samples.size());
    for (std::size_t place = 0; place < samples.size() && i > 0; ++place) {  // the first warms up
      by_place[place].push_back(samples[place]);
    }
  }
  std::string variant = variant_of(run.tile);
  if (run.by != LoadBy::kNobody) {
    variant += fmt::format(" load={}KiB by={}{}", run.loads * kLoadBytes / 1024, name_of(run.by),
                           run.multiplies ? "" : " alone");
  }
  variant += run.behind_another ? " behind_another" : "";
  const auto report = [&](i32 place, const std::string& key, const std::string& which) {
    lab.report(latency_point(by_place[static_cast<std::size_t>(place)]), "block", key,
               variant + which, "wgmma_block");
  };
  if (run.by != LoadBy::kNobody) {
    report(kLoadIssued, "block.load_issued", "");
    report(kLanded, "block.load_landed", "");
  }
  for (i32 warpgroup = 0; warpgroup < run.tile.warpgroups && run.multiplies; ++warpgroup) {
    const std::string which = fmt::format(" warpgroup={}", warpgroup);
    report(sample_of_warpgroup(warpgroup, kIssued), "block.issue", which);
    if (run.behind_another) {
      report(sample_of_warpgroup(warpgroup, kBeforeDone), "block.before_done", which);
    }
    report(sample_of_warpgroup(warpgroup, kDone), "block.issue_to_done", which);
  }
}

/// Sums over the K blocks of the loop's steady part.
struct LoopParts {
  double turn = 0, wait = 0, issue = 0, outstanding = 0, free = 0, load = 0, landing = 0;
  u64 blocks = 0;
};

LoopParts parts_of(const KBlockMark* marks, const LoopRun& run, i32 k_blocks) {
  const auto between = [](u64 from, u64 to) {
    return static_cast<double>(to) - static_cast<double>(from);
  };
  LoopParts parts;
  for (i32 k = 2 * run.stages; k + run.stages < k_blocks; ++k) {
    const KBlockMark& mark = marks[k];
    // The stage that this K block's operands came into, as it was handed back.
    const KBlockMark& giving = marks[k - run.stages + run.inflight];
    parts.turn += between(mark.waits, marks[k + 1].waits);
    parts.wait += between(mark.waits, mark.operands);
    parts.issue += between(mark.operands, mark.issued);
    parts.outstanding += between(mark.issued, mark.waited);
    parts.free += between(giving.waited, mark.load_free);
    parts.load += between(mark.load_free, mark.load_issued);
    parts.landing += between(mark.load_issued, mark.operands);
    ++parts.blocks;
  }
  return parts;
}

void measure_loop(MicroLab& lab, const LoopRun& run) {
  constexpr const char* kKeys[] = {"loop.turn",        "loop.wait",      "loop.issue",
                                   "loop.outstanding", "loop.load_free", "loop.load_issue",
                                   "loop.landing"};
  std::array<std::vector<TimedSample>, std::size(kKeys)> samples;
  for (int i = 0; i <= 3; ++i) {
    const LoopMarks loop = run_loop(lab, run);
    for (u32 cta = 0; cta < run.ctas && i > 0; ++cta) {  // the first repetition warms up
      const i32 first = static_cast<i32>(cta) * run.tile.warpgroups * loop.k_blocks;
      const LoopParts parts =
          parts_of(&loop.marks[static_cast<std::size_t>(first)], run, loop.k_blocks);
      const double sums[] = {parts.turn, parts.wait, parts.issue,  parts.outstanding,
                             parts.free, parts.load, parts.landing};
      for (std::size_t key = 0; key < std::size(kKeys); ++key) {
        samples[key].push_back(with_time(sums[key], parts.blocks, loop.whole[cta]));
      }
    }
  }
  const std::string variant =
      fmt::format("{} stages={} inflight={} loads={} sms={}", variant_of(run.tile), run.stages,
                  run.inflight, run.specialized ? "other" : "issuer", run.ctas);
  for (std::size_t key = 0; key < std::size(kKeys); ++key) {
    lab.report(latency_point(samples[key]), "block", kKeys[key], variant, "k_block_loop");
  }
}

}  // namespace

KernelConfig BlockTile::config(bool specialized, i32 stages, i32 inflight) const {
  KernelConfig config =
      fixed_by_schedule(specialized ? Schedule::kWarpSpecialized : Schedule::kPipelined);
  config.tiling.block_m = m;
  config.tiling.block_n = n;
  config.tiling.block_k = k;
  config.tiling.warpgroups_m = warpgroups;
  config.tiling.stages = stages;
  config.inflight = inflight;
  return config;
}

i32 BlockTile::instructions() const {
  const KernelConfig kernel = config(false, 1, 0);
  return wgmmas_along_m(kernel.tiling) * wgmmas_along_n(kernel) * k / kWgmmaK;
}

std::vector<TimedSample> run_block(MicroLab& lab, const BlockRun& run, u32 rounds) {
  constexpr u32 kStages = 0;
  const KernelConfig config = run.tile.config(run.loads > 0, 1, 0);
  const Defines defines = {fmt::format("TILECAST_BEFORE={}", run.behind_another ? 1 : 0),
                           fmt::format("TILECAST_MULTIPLY={}", run.multiplies ? 1 : 0),
                           fmt::format("TILECAST_BOXES={}", run.loads)};
  const char* memory = lab.memory(kLoadRows * kMatrixColumns * kOperandBytes);
  const TensorMap map = make_tensor_map(
      {.pointer = memory, .rows = kLoadRows, .columns = kMatrixColumns, .dtype = kType},
      {.columns = kLoadColumns, .rows = kLoadRows, .swizzle_bytes = kSwizzleBytes});
  const i32 shared = sync_offset(smem_layout(config.schedule, config.tiling), run.loads) +
                     static_cast<i32>(sizeof(WgmmaBlockSync));
  const std::size_t count =
      static_cast<std::size_t>(sample_of_warpgroup(run.tile.warpgroups, kIssued));
  std::vector<TimedSample> samples =
      lab.run(lab.kernel("wgmma_block", defines, config_text(config, {kType, Layout::kTn})),
              {.ctas = 1,
               .threads = threads_per_cta(config.schedule, config.tiling),
               .shared_memory_bytes = shared},
              count, map, rounds, static_cast<u32>(run.by), kStages);
  for (std::size_t i = kWhole + 1; i < count; ++i) {
    samples[i] = with_time(static_cast<double>(samples[i].cycles), rounds, samples[kWhole]);
  }
  return samples;
}

LoopMarks run_loop(MicroLab& lab, const LoopRun& run) {
  constexpr i64 kK = 4096;
  constexpr i32 kMostTilesM = 12;
  const KernelConfig config = run.tile.config(run.specialized, run.stages, run.inflight);
  const i32 tiles_m = min_of(kMostTilesM, static_cast<i32>(run.ctas));
  const i64 rows_a = i64{tiles_m} * run.tile.m;
  const i64 rows_b = i64{ceil_div(static_cast<i32>(run.ctas), tiles_m)} * run.tile.n;
  const char* memory = lab.memory(static_cast<std::size_t>((rows_a + rows_b) * kK * kOperandBytes));
  GemmArgs args{};
  args.a = make_tensor_map({.pointer = memory, .rows = rows_a, .columns = kK, .dtype = kType},
                           a_box(config.tiling, Layout::kTn));
  args.b = make_tensor_map({.pointer = memory + rows_a * kK * kOperandBytes,
                            .rows = rows_b,
                            .columns = kK,
                            .dtype = kType},
                           b_box(config.tiling, Layout::kTn));
  args.m = static_cast<i32>(rows_a);
  args.k_blocks = static_cast<i32>(kK / run.tile.k);
  const std::size_t count = std::size_t{run.ctas} * static_cast<std::size_t>(run.tile.warpgroups) *
                            static_cast<std::size_t>(args.k_blocks);
  const DeviceMemory marks(count * sizeof(KBlockMark));
  LoopMarks loop;
  loop.k_blocks = args.k_blocks;
  loop.whole =
      lab.run(lab.kernel("k_block_loop", {}, config_text(config, {kType, Layout::kTn})),
              {.ctas = run.ctas,
               .threads = threads_per_cta(config.schedule, config.tiling),
               .shared_memory_bytes = smem_layout(config.schedule, config.tiling).total_bytes},
              run.ctas, args, tiles_m, marks.as<KBlockMark>());
  loop.marks = copy_to_host(marks.as<KBlockMark>(), count, lab.stream().get());
  return loop;
}

void measure_blocks(MicroLab& lab) {
  constexpr BlockTile kTiles[] = {
      {64, 256, 64, 1},   {64, 256, 128, 1},  {64, 256, 256, 1},  {128, 128, 64, 1},
      {128, 128, 128, 1}, {128, 128, 192, 1}, {128, 128, 256, 1}, {128, 128, 320, 1},
      {320, 64, 128, 1},  {128, 256, 64, 2},  {128, 256, 128, 2}, {256, 176, 64, 2},
      {256, 176, 128, 2}, {256, 176, 192, 2}, {256, 128, 128, 2}, {256, 96, 256, 2},
      {256, 64, 320, 2},  {192, 256, 64, 3},  {192, 256, 128, 3}, {384, 128, 64, 3},
      {384, 128, 128, 3}, {384, 128, 192, 3}};
  for (const BlockTile& tile : kTiles) {
    for (const bool behind : {false, true}) {
      measure_block(lab, {.tile = tile, .behind_another = behind});
    }
  }
  constexpr BlockTile kLoading[] = {{64, 256, 128, 1}, {256, 176, 128, 2}, {128, 256, 128, 2}};
  for (const BlockTile& tile : kLoading) {
    for (const i32 loads : {1, 3}) {
      for (const LoadBy by : {LoadBy::kIssuer, LoadBy::kOther, LoadBy::kOtherAtOnce}) {
        for (const bool multiplies : {true, false}) {
          measure_block(lab, {.tile = tile, .by = by, .loads = loads, .multiplies = multiplies});
        }
      }
    }
  }
  struct Ring {
    BlockTile tile;
    i32 stages;
  };
  constexpr Ring kRings[] = {{{256, 176, 128, 2}, 2},
                             {{128, 256, 128, 2}, 2},
                             {{64, 256, 128, 1}, 2},
                             {{128, 256, 64, 2}, 4},
                             {{256, 128, 64, 2}, 4}};
  for (const Ring& ring : kRings) {
    for (const bool specialized : {false, true}) {
      for (const i32 inflight : {0, 1}) {
        for (const u32 ctas : {1u, lab.sm_count()}) {
          measure_loop(lab, {ring.tile, specialized, ring.stages, inflight, ctas});
        }
      }
    }
  }
}

}  // namespace tilecast
