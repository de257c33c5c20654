// What each role of a simulated kernel does, in the order of its program: what it waits for, loads,
// multiplies, releases and stores, without times. Where Observers ask for it.
//
// Written down by the steps of cta.h, epilogue.h and reduction.h themselves, so that a schedule
// has nothing to add. Leaves out: tcgen05, whose steps do not write.
// Checked by: tests/roles/roles_test.cpp, which lays it beside what the kernels do.
#pragma once

#include <compare>
#include <map>
#include <vector>

#include "model/base/integers.h"

namespace tilecast {

enum class StepKind : i32 {
  kWaitEmpty,       // at: stage; count: parity of the phase
  kLoad,            // at: stage; a K block of a CTA's tile; bytes: of A and B that exist
  kLoadResidual,    // at: stage; of a CTA's tile; bytes: of R that exist
  kWaitFull,        // at: stage; count: parity
  kMultiply,        // at: stage
  kWaitMultiplied,  // count: K blocks that may still be in flight
  kRelease,         // at: stage; count: bits of the CTAs of the cluster that are told
  kMeetConsumers,   // every warpgroup of the CTA that multiplies
  kStage,           // at: chunk of the warpgroup's part of C, into shared memory
  kStore,           // at: the same, from there
  kWaitStoresRead,  // count: stores that may still read shared memory
  kPartStored,      // of a CTA's tile: its last chunk is on its way
  kTakeTurn,        // at: warpgroup that may multiply now
  kGiveTurn,        // at: likewise
  kWaitSum,         // of a CTA's tile; count: pieces whose sums are in
  kStoreSum,        // bytes, written
  kAddSum,          // bytes, added
  kReadSum,         // the sums of other pieces
  kPublish,         // count: K blocks, or 1 where sums lie apart
  kShareStored,     // a piece's share of C
  kWaitClearing,    // at: part of the tile, whose clearing warps are ready
  kClearingReady,   // at: likewise
  kSumTaken,        // at: likewise
  kWaitSumTaken,    // at: likewise
};

struct Step {
  StepKind kind;
  i32 at = 0;
  i64 count = 0;
  u32 tile_m = 0, tile_n = 0;  // in CTA tiles
  u32 k_block = 0;
  i64 bytes = 0;

  bool operator==(const Step&) const = default;
};

/// Roles that do not multiply; the others are warpgroups, from 0 on.
constexpr i32 kProducerRole = -1, kClearingRole = -2;

struct RoleName {
  u32 worker;
  i32 rank;  // of the CTA in its cluster
  i32 role;

  auto operator<=>(const RoleName&) const = default;
};

using StepLog = std::map<RoleName, std::vector<Step>>;

}  // namespace tilecast
