// The inner loop of a kernel and the tiles that go through it, as values: all that the closed form
// (form.h) knows about an op.
//
// A CTA computes its tiles one after the other. A tile takes a number of blocks; in each block one
// stage of every operand is loaded into its ring, and every warpgroup goes through the steps in
// their order. Results then leave the SM in chunks.
//   GEMM               operands A and B in one ring, one tensor step, a block is a slice of K
//   attention forward  operands K and V in a ring each; three steps: Q K^T on the tensor cores,
//                      which reads K and is waited for, softmax on the vector pipe, P V on the
//                      tensor cores, which reads V; a block is a slice of the keys, and a causal
//                      mask gives each tile its own number of blocks (loop_test.cpp)
// Times are cycles of the SM clock at which the kernel runs.
#pragma once

#include <algorithm>
#include <optional>
#include <span>

#include "model/base/integers.h"
#include "model/base/units.h"
#include "model/spec/row_cost.h"

namespace tilecast {

/// One row of a box that a bulk copy loads, and the lines and sectors of L2 that it touches.
struct BoxRow {
  i64 bytes;
  RowCost cost;

  /// The matrix has rows of `row_bytes`, `pitch` bytes apart; boxes are at most `widest` wide.
  BoxRow(i64 row_bytes, i64 pitch, i64 widest)
      : bytes(std::min(row_bytes, widest)), cost(row_cost(bytes, pitch)) {}
};

/// A matrix whose blocks are loaded into shared memory.
struct LoopOperand {
  bool once_a_tile;      // else in every block
  Bytes stage;           // of one CTA's stage, zeros included
  double existing;       // part of the stage's bytes that lie inside the matrix
  double rows_existing;  // part of its boxes' rows that do, in whole or in part
  double rows_loaded;    // part of them that is asked for, rows of zeros included
  i32 multicast;         // CTAs of the cluster that load a slice each and receive all slices
  BoxRow row;            // of its boxes
  double box_rows;       // of one CTA's slice of a block, over all boxes
  double lines_outside;  // lines that are asked for by a row outside of the matrix
  double sharers;        // workers of a wave that want the same panel
  double missing;        // part of a wave's panels that L2 does not hold
};

struct Ring {
  i32 stages;
  i32 lag;  // later blocks that are issued before the release of a stage
};

enum class Pipe { kTensor, kVector };

/// One step of the loop body, taken by every warpgroup for its part of the tile.
struct LoopStep {
  Pipe pipe = Pipe::kTensor;
  i32 ring = 0;       // whose stage it reads; -1: none
  bool waits = true;  // for its end, before the next step
  Cycles busy;        // the SM's pipe, for all warpgroups of a CTA
  Cycles operands;    // part of it that reading operands from shared memory alone would take
  Cycles own;         // one warpgroup's part of it
  Cycles turn;        // a warpgroup's instructions around it
  Cycles issue;       // issuing it
  Cycles queue;       // its last instruction is issued so long before its end
  Cycles completion;  // from its end until that is seen
  Cycles after;       // a warpgroup's instructions on the results, before the next block
  Cycles released;    // part of them that follows the release of the stage
};

/// How blocks follow each other.
enum class Flow {
  kRing,       // loads run ahead through rings of stages
  kInOrder,    // each load is waited for; with two stages it runs under the steps before
  kOneIssuer,  // as kRing; one thread issues the steps of all warpgroups
};

struct Loop {
  std::span<const LoopOperand> operands;
  std::span<const Ring> rings;
  std::span<const LoopStep> steps;
  Flow flow = Flow::kRing;
  bool producer;        // loads are issued by a warp that does nothing else
  i32 warpgroups;       // that share a tile
  Cycles load_latency;  // of an answer out of L2
  Cycles wake;          // from the release of a stage until its loader sees it
  Cycles issue;         // of a block's loads
};

/// A matrix of the result's shape that is added to it.
struct Addend {
  Cycles intake;  // a chunk of each warpgroup, loaded by threads
  Cycles staged;  // all of a tile's, where they come through the ring; else 0
};

/// How the results of a tile leave the SM: each warpgroup stores its part in chunks, through slots
/// in shared memory.
struct TileStore {
  i32 chunks, slots;  // of a warpgroup; no slots: stages of the ring are borrowed
  double warpgroups;  // that store at the same time
  Bytes chunk;
  Cycles setup;          // from the last step to the first chunk
  Cycles arithmetic;     // on a chunk of each warpgroup
  Cycles instructions;   // of staging a chunk
  Cycles port;           // a chunk through the port of shared memory
  Cycles read, latency;  // of a chunk's bulk store
  bool by_threads;       // who wait for it
  i32 deferred;          // chunks that are stored under the next tile's blocks
  Cycles pack;           // results into registers, where chunks are deferred
  Cycles operands_late;  // port time that deferred chunks take from the operand reads of steps
  std::optional<Addend> addend;
};

/// How a CTA's tiles follow each other.
struct Sequence {
  bool one_tile_per_cta;  // else CTAs loop over tiles
  bool loads_run_ahead;   // into the next tile
  bool ends_overlap;      // a tile's store runs under the next one's blocks: its results have a
                          // place of their own
  Cycles find, next;      // finding a tile; going on to the next one
  Cycles refill;          // from the end of a CTA to the first load of the one that follows
};

/// The share of the busiest worker, where workers share tiles.
struct Pieces {
  double blocks, pieces;
  Cycles reduction;  // of partial results
};

/// The tiles of a kernel.
struct Work {
  double ctas, sms;   // CTAs of an SM at the same time, and SMs that have any
  i64 tiles;          // of the busiest SM
  double blocks;      // average over its tiles
  double all_blocks;  // of all tiles of the chip
  std::optional<Pieces> pieces;
  bool in_step;   // all workers start together and have one tile
  Flops flops;    // inside of the results
  Seconds dram;   // its traffic alone
  Cycles launch;  // of the kernel, until the first load is issued, and its end
  Sequence sequence;
  TileStore store;
};

}  // namespace tilecast
