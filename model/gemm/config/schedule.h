// The schedules of the GEMM kernels. Each has one row of traits: its roles and what they overlap.
// Code tests traits, not schedules, so a new schedule is an enumerator, a row, a kernel
// (kernels/gemm) and the processes of its roles (model/gemm/sim/schedules); a missing row does not
// compile. Compiled by the host compiler, nvcc and NVRTC. Checked by: schedule_test.cpp,
// tests/scripts/new_schedule.sh.
#pragma once

#include "model/base/host_device.h"
#include "model/base/integers.h"

namespace tilecast {

enum class Schedule : i32 {
  kSmallMma,           // one CTA, one tile, one K block
  kBlocked,            // one tile per CTA, one buffer: load, wait, wgmma, wait
  kBlockedPipelined,   // two buffers: a load overlaps the previous K block's wgmma
  kPipelined,          // a ring of stages; TMA and wgmma are both asynchronous
  kPersistent,         // pipelined, in CTAs that loop over tiles
  kPersistentOverlap,  // the next tile's loads overlap this tile's last wgmmas and its epilogue
  kWarpSpecialized,    // one producer warpgroup and n consumer warpgroups that share a tile
  kPingPong,           // one producer and two consumer warpgroups that alternate tiles
  // These are warp_specialized with tiles shared along K (work_decomposition.h):
  kSplitK,         // every tile in equal parts
  kSplitKHybrid,   // split-K for the partial wave; whole tiles for the rest
  kStreamK,        // every worker computes the same number of K blocks
  kStreamKHybrid,  // stream-K for the partial wave and one full wave; whole tiles for the rest
  // The next schedules run on Blackwell, with accumulators in tensor memory (tensor_memory.h):
  kTcgen05Pipelined,          // one warp loads and issues; a ring of stages; one tile per CTA
  kTcgen05Persistent,         // tcgen05_pipelined, in CTAs that loop over tiles
  kTcgen05PersistentOverlap,  // the next tile's loads overlap this tile's last MMAs and epilogue
  kTcgen05WarpSpecialized,    // one warp loads, one issues, one requests tiles, four store
  kTcgen05SplitK,  // tcgen05_warp_specialized, with every tile shared along K in equal parts
  // The next schedules run on GPUs from Ampere on, with operands in registers (mma.sync) and
  // without TMA:
  kMultistage,  // every thread loads (cp.async) and multiplies; a ring of stages; one tile per CTA
  kMultistageSplitK,  // multistage, with tiles shared along K in equal parts
};

/// The tensor core instruction set.
enum class TensorCore : i32 { kWgmma, kTcgen05, kMmaSync };

/// Shared-memory buffers for K blocks.
enum class Buffers : i32 {
  kOne,   // each load and each MMA is waited for
  kTwo,   // a load overlaps one MMA
  kRing,  // `stages` buffers
};

enum class Grid : i32 {
  kTiles,     // a CTA (or cluster) per tile, in hardware order
  kResident,  // persistent: as many as fit, each looping over tiles
  kTakeover,  // as kTiles, but a running CTA takes over tiles of CTAs not yet launched
};

/// The role that loads K blocks.
enum class Loader : i32 {
  kMultiplier,         // a warp that also multiplies or issues MMAs
  kProducerWarpgroup,  // a warpgroup that neither multiplies nor stores
};

/// Division of a tile's K among workers.
enum class SplitK : i32 {
  kNone,
  kEqually,   // into `splits` equal parts
  kByWorker,  // every worker gets the same number of K blocks
};

struct ScheduleTraits {
  const char* name;               // name in configuration strings
  const char* abbreviation;       // abbreviation in tables
  const char* meaning;            // one-line description for lists
  const char* cutlass = nullptr;  // CUTLASS counterpart, in CUTLASS's terms
  TensorCore tensor_core = TensorCore::kWgmma;
  Buffers buffers = Buffers::kRing;
  Loader loader = Loader::kMultiplier;
  Grid grid = Grid::kTiles;
  bool grid_is_open = false;            // the configuration may choose another grid
  bool loads_run_ahead = false;         // the next tile's loads begin before this tile ends
  bool borrows_b_stages = false;        // C may be staged in B's stages
  bool stores_can_be_deferred = false;  // a tile's store may overlap the next tile's K blocks
  bool shares_operands = false;         // operands are shared by multicast within a cluster
  bool walks_groups = false;  // supports groups of rows with a separate B each, if persistent
  bool accumulators_are_open = false;  // the configuration chooses one or two accumulator sets
  bool one_k_block = false;            // the whole problem is one tile and one K block
  i32 tiles_at_once = 1;               // tiles that one CTA works on at the same time
  SplitK split_k = SplitK::kNone;
  bool hybrid = false;  // only the last tiles split K
};

/// Returns the traits of a schedule. Inlined, so that reading one trait costs one table lookup.
TILECAST_HD TILECAST_INLINED constexpr ScheduleTraits traits_of(Schedule schedule) {
  switch (schedule) {
    case Schedule::kSmallMma:
      return {.name = "small_mma",
              .abbreviation = "sm",
              .meaning = "one CTA computes all of C from one K block",
              .buffers = Buffers::kOne,
              .one_k_block = true};
    case Schedule::kBlocked:
      return {.name = "blocked",
              .abbreviation = "bl",
              .meaning = "one buffer: load, wait, multiply, wait",
              .buffers = Buffers::kOne};
    case Schedule::kBlockedPipelined:
      return {.name = "blocked_pipelined",
              .abbreviation = "bp",
              .meaning = "two buffers: a K block is loaded while the one before is multiplied",
              .buffers = Buffers::kTwo};
    case Schedule::kPipelined:
      return {.name = "pipelined",
              .abbreviation = "pi",
              .meaning = "a ring of stages, loads and multiplications both asynchronous"};
    case Schedule::kPersistent:
      return {.name = "persistent",
              .abbreviation = "pe",
              .meaning = "a ring of stages, in CTAs that loop over tiles",
              .grid = Grid::kResident};
    case Schedule::kPersistentOverlap:
      return {
          .name = "persistent_overlap",
          .abbreviation = "po",
          .meaning =
              "persistent, and the next tile's loads run while this tile is finished and stored",
          .grid = Grid::kResident,
          .loads_run_ahead = true,
          .borrows_b_stages = true,
          .shares_operands = true};
    case Schedule::kWarpSpecialized:
      return {
          .name = "warp_specialized",
          .abbreviation = "ws",
          .meaning =
              "one warpgroup loads, the others multiply and share a tile (CUTLASS: cooperative)",
          .cutlass = "warpspecialized_cooperative",
          .loader = Loader::kProducerWarpgroup,
          .grid_is_open = true,
          .loads_run_ahead = true,
          .stores_can_be_deferred = true,
          .shares_operands = true,
          .walks_groups = true};
    case Schedule::kPingPong:
      return {.name = "ping_pong",
              .abbreviation = "pp",
              .meaning = "one warpgroup loads, two take turns to multiply, each its own tile",
              .cutlass = "warpspecialized_pingpong",
              .loader = Loader::kProducerWarpgroup,
              .grid = Grid::kResident,
              .loads_run_ahead = true,
              .shares_operands = true,
              .walks_groups = true,
              .tiles_at_once = 2};
    case Schedule::kSplitK:
      return {.name = "split_k",
              .abbreviation = "sp",
              .meaning = "warp_specialized, each tile shared by several CTAs in equal parts of K",
              .cutlass = "stream_k_warpspecialized_cooperative",
              .loader = Loader::kProducerWarpgroup,
              .grid = Grid::kResident,
              .loads_run_ahead = true,
              .shares_operands = true,
              .split_k = SplitK::kEqually};
    case Schedule::kSplitKHybrid:
      return {.name = "split_k_hybrid",
              .abbreviation = "sph",
              .meaning = "split_k for the last, partial wave of tiles; whole tiles before it",
              .loader = Loader::kProducerWarpgroup,
              .grid = Grid::kResident,
              .loads_run_ahead = true,
              .shares_operands = true,
              .split_k = SplitK::kEqually,
              .hybrid = true};
    case Schedule::kStreamK:
      return {
          .name = "stream_k",
          .abbreviation = "sk",
          .meaning = "warp_specialized, every CTA takes the same number of K blocks, across tiles",
          .cutlass = "stream_k_warpspecialized_cooperative",
          .loader = Loader::kProducerWarpgroup,
          .grid = Grid::kResident,
          .loads_run_ahead = true,
          .shares_operands = true,
          .split_k = SplitK::kByWorker};
    case Schedule::kStreamKHybrid:
      return {.name = "stream_k_hybrid",
              .abbreviation = "skh",
              .meaning = "stream_k for the last two waves of tiles; whole tiles before them",
              .cutlass = "stream_k_warpspecialized_cooperative",
              .loader = Loader::kProducerWarpgroup,
              .grid = Grid::kResident,
              .loads_run_ahead = true,
              .shares_operands = true,
              .split_k = SplitK::kByWorker,
              .hybrid = true};
    case Schedule::kTcgen05Pipelined:
      return {.name = "tcgen05_pipelined",
              .abbreviation = "t5pi",
              .meaning = "Blackwell: one warp loads and issues, a ring of stages, one tile per CTA",
              .tensor_core = TensorCore::kTcgen05};
    case Schedule::kTcgen05Persistent:
      return {.name = "tcgen05_persistent",
              .abbreviation = "t5pe",
              .meaning = "Blackwell: one warp loads and issues, in CTAs that loop over tiles",
              .tensor_core = TensorCore::kTcgen05,
              .grid = Grid::kResident};
    case Schedule::kTcgen05PersistentOverlap:
      return {
          .name = "tcgen05_persistent_overlap",
          .abbreviation = "t5po",
          .meaning =
              "Blackwell: persistent, and the next tile's loads run while this tile is finished",
          .tensor_core = TensorCore::kTcgen05,
          .grid = Grid::kResident,
          .loads_run_ahead = true,
          .borrows_b_stages = true};
    case Schedule::kTcgen05WarpSpecialized:
      return {.name = "tcgen05_warp_specialized",
              .abbreviation = "t5ws",
              .meaning = "Blackwell: one warp loads, one issues, one requests tiles, four store",
              .tensor_core = TensorCore::kTcgen05,
              .loader = Loader::kProducerWarpgroup,
              .grid_is_open = true,
              .loads_run_ahead = true,
              .accumulators_are_open = true};
    case Schedule::kTcgen05SplitK:
      return {.name = "tcgen05_split_k",
              .abbreviation = "t5sp",
              .meaning = "Blackwell: each tile shared by several CTAs in equal parts of K",
              .tensor_core = TensorCore::kTcgen05,
              .loader = Loader::kProducerWarpgroup,
              .grid = Grid::kResident,
              .loads_run_ahead = true,
              .split_k = SplitK::kEqually};
    case Schedule::kMultistage:
      return {.name = "multistage",
              .abbreviation = "ms",
              .meaning = "mma.sync: all threads load by cp.async and multiply, a ring of stages",
              .tensor_core = TensorCore::kMmaSync};
    case Schedule::kMultistageSplitK:
      return {.name = "multistage_split_k",
              .abbreviation = "mssk",
              .meaning = "multistage, each tile shared by several CTAs in equal parts of K",
              .tensor_core = TensorCore::kMmaSync,
              .grid = Grid::kResident,
              .split_k = SplitK::kEqually};
  }
  return {};  // not a schedule
}

/// Number of enumerators of Schedule.
constexpr i32 kScheduleCount = 19;
static_assert(traits_of(static_cast<Schedule>(kScheduleCount)).name == nullptr,
              "kScheduleCount is the number of schedules");
TILECAST_HD constexpr bool rows_have_words() {
  for (i32 i = 0; i < kScheduleCount; ++i) {
    const ScheduleTraits row = traits_of(static_cast<Schedule>(i));
    if (row.name == nullptr || row.abbreviation == nullptr || row.meaning == nullptr) {
      return false;
    }
  }
  return true;
}
static_assert(rows_have_words(), "a schedule has a name, an abbreviation and a meaning");

/// Whether workers may share a tile along K.
TILECAST_HD constexpr bool splits_k(Schedule schedule) {
  return traits_of(schedule).split_k != SplitK::kNone;
}

/// Whether workers share a tile in `splits` equal parts.
TILECAST_HD constexpr bool splits_equally(Schedule schedule) {
  return traits_of(schedule).split_k == SplitK::kEqually;
}

/// Whether accumulators are in tensor memory and one thread issues the MMAs.
TILECAST_HD constexpr bool uses_tcgen05(Schedule schedule) {
  return traits_of(schedule).tensor_core == TensorCore::kTcgen05;
}

/// Whether threads copy operands (cp.async) and hold them in registers, without TMA.
TILECAST_HD constexpr bool uses_mma_sync(Schedule schedule) {
  return traits_of(schedule).tensor_core == TensorCore::kMmaSync;
}

/// Returns the schedule whose kernel is compiled: Hopper's kernels that split K are one kernel,
/// which decides at run time how.
TILECAST_HD constexpr Schedule kernel_of(Schedule schedule) {
  return splits_k(schedule) && traits_of(schedule).tensor_core == TensorCore::kWgmma
             ? Schedule::kStreamK
             : schedule;
}

/// Whether one warpgroup only loads and, on Blackwell, issues MMAs.
TILECAST_HD constexpr bool has_producer_warpgroup(Schedule schedule) {
  return traits_of(schedule).loader == Loader::kProducerWarpgroup;
}

TILECAST_HD constexpr bool has_ring(Schedule schedule) {
  return traits_of(schedule).buffers == Buffers::kRing;
}

}  // namespace tilecast
