// Log of each role's steps in a simulated kernel, in program order and without times: waits, loads,
// multiplies, releases, stores. Enabled by Observers.
//
// The functions of cta.h, epilogue.h and reduction.h write the log, so schedules contain no code
// for it. Not logged: tcgen05 steps. Checked by: tests/roles/roles_test.cpp, which compares it with
// the kernels.
#pragma once

#include <compare>
#include <map>
#include <vector>

#include "model/base/integers.h"

namespace tilecast {

enum class StepKind : i32 {
  kWaitEmpty,  // at: stage; count: parity of the phase
  kLoad,       // at: stage; loads a K block of a CTA's tile; bytes: of A and B inside the matrices
  kLoadResidual,    // at: stage; loads a CTA's tile; bytes: of the residual inside the matrix
  kWaitFull,        // at: stage; count: parity
  kMultiply,        // at: stage
  kWaitMultiplied,  // count: K blocks that may still be in flight
  kRelease,         // at: stage; count: bit mask of the notified CTAs of the cluster
  kMeetConsumers,   // waits for all consumer warpgroups of the CTA
  kStage,           // at: chunk of the warpgroup's part of C, staged in shared memory
  kStore,           // at: chunk stored from there
  kWaitStoresRead,  // count: stores that may still read shared memory
  kPartStored,      // the last chunk of a CTA's tile has been issued
  kTakeTurn,        // at: warpgroup that may multiply now
  kGiveTurn,        // at: warpgroup that may multiply next
  kWaitSum,         // sum of a CTA's tile; count: pieces whose sums have arrived
  kStoreSum,        // bytes: written
  kAddSum,          // bytes: added
  kReadSum,         // reads the sums of other pieces
  kPublish,         // count: K blocks, or 1 with separate partial sums
  kShareStored,     // stores a piece's share of C
  kWaitClearing,    // at: part of the tile whose clearing warps are ready
  kClearingReady,   // at: part of the tile
  kSumTaken,        // at: part of the tile
  kWaitSumTaken,    // at: part of the tile
};

struct Step {
  StepKind kind;
  i32 at = 0;
  i64 count = 0;
  u32 tile_m = 0, tile_n = 0;  // position in CTA tiles
  u32 k_block = 0;
  i64 bytes = 0;

  bool operator==(const Step&) const = default;
};

/// Roles that do not multiply; the others are warpgroups, numbered from 0.
constexpr i32 kProducerRole = -1, kClearingRole = -2;

struct RoleName {
  u32 worker;
  i32 rank;  // rank of the CTA in its cluster
  i32 role;

  auto operator<=>(const RoleName&) const = default;
};

using StepLog = std::map<RoleName, std::vector<Step>>;

}  // namespace tilecast
