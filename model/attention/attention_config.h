// Defines the attention kernels. Each schedule adds one mechanism to the one before. Contains a
// schedule's row of traits, the choices of a configuration, and how a CTA uses shared memory and
// registers. The canonical string of a configuration (attention_text.h) joins predictions and
// measurements. Integers and enums only; compiled by the host compiler, nvcc and NVRTC. Checked by:
// attention_work_test.cpp.
#pragma once

#include "model/attention/attention_problem.h"

namespace tilecast {

enum class AttentionSchedule : i32 {
  kSingle,       // one warpgroup loads, multiplies, and runs the softmax after each product
  kSpecialized,  // a producer warpgroup; consumer warpgroups, each with 64 rows of the tile
  kPingPong,     // specialized; named barriers let one group's softmax overlap the others' products
  kOverlap,      // specialized; S of the next block is issued before P V of this one
};

struct AttentionTraits {
  const char* name;          // name in configuration strings
  const char* abbreviation;  // abbreviation in tables
  const char* meaning;
  bool producer = false;      // a warpgroup that only loads
  bool takes_turns = false;   // consumer groups alternate at the tensor cores, by named barriers
  bool scores_ahead = false;  // S of block j + 1 is in flight during the softmax of block j
  i32 least_groups = 1, most_groups = 3;  // number of consumer warpgroups
};

TILECAST_HD TILECAST_INLINED constexpr AttentionTraits traits_of(AttentionSchedule schedule) {
  switch (schedule) {
    case AttentionSchedule::kSingle:
      return {.name = "attention_single",
              .abbreviation = "as",
              .meaning = "one warpgroup loads, multiplies and computes the softmax, in sequence",
              .most_groups = 1};
    case AttentionSchedule::kSpecialized:
      return {.name = "attention_specialized",
              .abbreviation = "aw",
              .meaning = "one warpgroup loads, the others share the rows of a tile",
              .producer = true};
    case AttentionSchedule::kPingPong:
      return {.name = "attention_ping_pong",
              .abbreviation = "ap",
              .meaning = "warpgroups take turns: one multiplies while another computes its softmax",
              .producer = true,
              .takes_turns = true,
              .least_groups = 2};
    case AttentionSchedule::kOverlap:
      return {.name = "attention_overlap",
              .abbreviation = "ao",
              .meaning =
                  "attention_ping_pong, and the next block's scores are computed during this one's "
                  "softmax",
              .producer = true,
              .takes_turns = true,
              .scores_ahead = true};
  }
  return {};  // not a schedule
}

constexpr i32 kAttentionScheduleCount = 4;
static_assert(traits_of(static_cast<AttentionSchedule>(kAttentionScheduleCount - 1)).name !=
                      nullptr &&
                  traits_of(static_cast<AttentionSchedule>(kAttentionScheduleCount)).name ==
                      nullptr,
              "kAttentionScheduleCount is the number of schedules");

/// Assignment of tiles to CTAs.
enum class AttentionGrid : i32 {
  kTiles,     // a CTA per tile, in the hardware's order
  kResident,  // persistent: as many CTAs as fit at once, each looping over tiles
  kClusters,  // like kTiles, but the CTAs that share a tile's keys are a cluster
};

/// The order of tiles (attention_work.h).
enum class AttentionOrder : i32 {
  kStatic,        // heads in sequence; resident CTAs take every n-th tile
  kLongestFirst,  // for a causal mask: heads in sections that fit in L2, in each section the
                  // longest tiles first
  kDynamic,  // resident CTAs draw the next tile of the longest-first order from an atomic counter
};

struct AttentionConfig {
  AttentionSchedule schedule;
  i32 groups;       // consumer warpgroups; a tile has 64 rows for each
  i32 kv_block;     // keys per block: 16 to 256 in steps of 16
  i32 stages;       // stages of K, and of V
  i32 ctas_per_sm;  // CTAs per SM promised to the compiler
  AttentionGrid grid;
  AttentionOrder order;
  i32 splits;  // CTAs that share the keys of a tile; if more than 1, the last one combines their
               // results
  bool pack;   // rows of a tile are the query heads of one KV head for each of its queries

  constexpr bool operator==(const AttentionConfig&) const = default;
};

constexpr i32 kGroupRows = 64;      // rows of a tile per consumer warpgroup: wgmma's M
constexpr i32 kGroupThreads = 128;  // threads of a warpgroup
constexpr i32 kMostAttentionSplits = 128;
constexpr i32 kMostClusterSplits = 16;  // maximum number of splits in one cluster
constexpr i32 kScoresStep = 16;         // granularity of kv_block: K of the product P V

TILECAST_HD constexpr i32 tile_rows(const AttentionConfig& c) { return c.groups * kGroupRows; }
TILECAST_HD constexpr bool has_producer(AttentionSchedule schedule) {
  return traits_of(schedule).producer;
}
TILECAST_HD constexpr i32 attention_threads(const AttentionConfig& c) {
  return (c.groups + (has_producer(c.schedule) ? 1 : 0)) * kGroupThreads;
}

// Resources of an SM with wgmma, on which the compiled code depends; GPU files repeat them.
constexpr i32 kSmRegisters = 65536;
constexpr i32 kSmSharedBytes = 228 * 1024, kReservedSharedBytes = 1024;  // reserved for each CTA

/// Registers per thread at launch: an equal share for every thread.
TILECAST_HD constexpr i32 launch_registers(const AttentionConfig& c) {
  constexpr i32 kMost = 255, kStep = 8;
  return min_of(kMost, kSmRegisters / (attention_threads(c) * c.ctas_per_sm) / kStep * kStep);
}

/// Registers per thread. CTAs are launched with equal shares; setmaxnreg then moves registers, in
/// steps of eight, from the producer to the consumers.
struct AttentionRegisters {
  i32 producer, consumer;
};
TILECAST_HD constexpr AttentionRegisters attention_registers(const AttentionConfig& c) {
  constexpr i32 kMost = 240, kStep = 8;
  if (!has_producer(c.schedule)) {
    return {0, launch_registers(c)};
  }
  const i32 producer = c.groups == 3 ? 32 : 40;
  const i32 all = min_of(kMost, launch_registers(c)) * (c.groups + 1);
  return {producer, min_of(kMost, (all - producer) / c.groups / kStep * kStep)};
}

/// Registers of a consumer thread that hold O: fp32 sums of 64 x head_dim.
TILECAST_HD constexpr i32 sum_registers(i32 head_dim) {
  return kGroupRows * head_dim / kGroupThreads;
}
/// Registers of a consumer thread that hold S: fp32 scores of 64 x kv_block.
TILECAST_HD constexpr i32 score_registers(const AttentionConfig& c) {
  return kGroupRows * c.kv_block / kGroupThreads;
}
/// Registers of a consumer thread that hold O, S, and P as the 16-bit operand of P V.
TILECAST_HD constexpr i32 accumulator_registers(const AttentionConfig& c, i32 head_dim) {
  return sum_registers(head_dim) + score_registers(c) + score_registers(c) / 2;
}

/// Whether a consumer thread has enough registers to compute with besides O, S and P (summing the
/// partial results of split keys needs more), and whether the compiler, which knows only the share
/// at launch, has enough for one product. Kernels without enough registers spill or do not compile.
TILECAST_HD constexpr bool fits_registers(const AttentionConfig& c, i32 head_dim) {
  constexpr i32 kOfProduct = 30;  // registers of a product in addition to its accumulator
  if (c.grid == AttentionGrid::kClusters && head_dim > 128) {
    return false;  // spills in every configuration
  }
  const i32 room = c.splits > 1 ? 68 : head_dim > 128 ? 36 : 32;
  return accumulator_registers(c, head_dim) + room <= attention_registers(c).consumer &&
         max_of(sum_registers(head_dim), score_registers(c)) + kOfProduct <= launch_registers(c);
}

/// Registers per thread as compiled, rounded to the allocation granularity. With a producer
/// warpgroup: the per-thread average at launch, before setmaxnreg redistributes them.
TILECAST_HD constexpr i32 compiled_registers(const AttentionConfig& c, i32 head_dim) {
  constexpr i32 kBesides = 26, kStep = 8;
  constexpr i32 kOfParts = 168;  // registers for summing the partial results of split keys
  if (has_producer(c.schedule)) {
    return launch_registers(c);
  }
  const i32 used =
      max_of(accumulator_registers(c, head_dim) + kBesides, c.splits > 1 ? kOfParts : 0);
  return min_of(launch_registers(c), (used + kStep - 1) / kStep * kStep);
}

/// Shared memory of a CTA: Q, whose buffer holds O at the end of the tile, the rings of K and V,
/// and barriers. Matrices are stored as slabs of 64 columns, one after the other; a slab's rows of
/// 128 bytes are swizzled. Every part begins at a multiple of 1024 bytes.
struct AttentionSmem {
  i32 q_bytes, stage_bytes;  // stage_bytes: one stage of K or of V
  i32 q_slots;  // two for resident CTAs if they fit: the next Q is loaded while this tile's O is
                // stored
  i32 k_offset, v_offset;  // Q is at 0
  i32 barrier_offset;
  i32 total_bytes;  // dynamic shared memory of the launch
};
TILECAST_HD constexpr AttentionSmem attention_smem(const AttentionConfig& c, i32 head_dim) {
  constexpr i32 kElement = 2, kBarrier = 8;
  AttentionSmem s{};
  s.q_bytes = tile_rows(c) * head_dim * kElement;
  s.stage_bytes = c.kv_block * head_dim * kElement;
  for (s.q_slots = c.grid == AttentionGrid::kResident ? 2 : 1; s.q_slots > 0; --s.q_slots) {
    s.k_offset = s.q_slots * s.q_bytes;
    s.v_offset = s.k_offset + c.stages * s.stage_bytes;
    s.barrier_offset = s.v_offset + c.stages * s.stage_bytes;
    // Barriers: full and empty for each stage of K and of V; full and empty for each of two drawn
    // tiles; for each group Q full, O full, and both empty. Then the drawn tiles and a flag.
    const i32 barriers = 4 * c.stages + 3 * s.q_slots * c.groups + 4;
    s.total_bytes = s.barrier_offset + barriers * kBarrier + 16;
    if (s.q_slots == 1 ||
        (s.total_bytes + kReservedSharedBytes) * c.ctas_per_sm <= kSmSharedBytes) {
      break;
    }
  }
  return s;
}

/// Bytes between the rows of a CTA's partial result in the stages of K and V, where its cluster
/// reads it: fp32 rows, padded so that eight of them have no bank conflicts.
TILECAST_HD constexpr i32 part_row_bytes(i32 head_dim) { return head_dim * 4 + 32; }
TILECAST_HD constexpr bool part_fits_stages(const AttentionConfig& c, i32 head_dim) {
  return tile_rows(c) * part_row_bytes(head_dim) <=
         2 * c.stages * attention_smem(c, head_dim).stage_bytes;
}

}  // namespace tilecast
