// Describes the inner loop of a kernel and its tiles by values: everything that the analytic model
// (form.h) knows about an op.
//
// A CTA computes tiles one after another. A tile takes a number of blocks; in each block one stage
// of every operand is loaded into its ring, and every warpgroup runs the steps in order. Results
// then leave the SM in chunks.
//   GEMM               operands A and B in one ring, one tensor step, a block is a slice of K
//   attention forward  operands K and V in a ring each; Q K^T on the tensor cores, which reads K
//                      and is waited for, softmax on the vector pipe, P V on the tensor cores,
//                      which reads V; a block is a slice of the keys, and a causal mask gives
//                      each tile its own number of blocks (loop_test.cpp, model/attention)
// Times are cycles of the kernel's SM clock.
#pragma once

#include <algorithm>
#include <optional>
#include <span>

#include "model/base/integers.h"
#include "model/base/units.h"
#include "model/spec/row_cost.h"

namespace tilecast {

/// One row of a box loaded by a bulk copy, with the L2 lines and sectors that it touches.
struct BoxRow {
  i64 bytes;
  RowCost cost;

  /// The matrix has rows of `row_bytes` with a pitch of `pitch` bytes; boxes are at most `widest`
  /// wide.
  BoxRow(i64 row_bytes, i64 pitch, i64 widest)
      : bytes(std::min(row_bytes, widest)), cost(row_cost(bytes, pitch)) {}
};

/// A matrix loaded into shared memory block by block.
struct LoopOperand {
  bool once_a_tile;      // loaded once per tile; else in every block
  Bytes stage;           // bytes of one CTA's stage, including zeros
  double existing;       // fraction of the stage's bytes inside the matrix
  double rows_existing;  // fraction of its boxes' rows wholly or partly inside the matrix
  double rows_loaded;    // fraction of rows requested, including out-of-bounds rows
  i32 multicast;         // CTAs of the cluster that load a slice each and receive all slices
  BoxRow row;            // row of a box
  double box_rows;       // rows of one CTA's slice of a block, over all boxes
  double lines_outside;  // lines requested per out-of-bounds row
  double sharers;        // workers of a wave that need the same panel
  double missing;        // fraction of a wave's panels that miss L2
};

struct Ring {
  i32 stages;
  i32 lag;  // later blocks issued before a stage is released
};

enum class Pipe { kTensor, kVector };

/// One step of the loop body, run by every warpgroup on its part of the tile.
struct LoopStep {
  Pipe pipe = Pipe::kTensor;
  i32 ring = 0;       // ring whose stage it reads; -1 if none
  bool waits = true;  // whether the next step waits for its completion
  Cycles busy;        // pipe time of the SM, for all warpgroups of a CTA
  Cycles operands;    // time of its operand reads from shared memory only
  Cycles own;         // pipe time of one warpgroup's part
  Cycles turn;        // the warpgroup's instructions outside the pipe
  Cycles issue;       // time to issue it
  Cycles queue;       // time by which the last issue precedes the end of the step
  Cycles completion;  // time from the end of the step until a waiter sees it
  Cycles after;       // time of a warpgroup's instructions on the results, before the next block
  Cycles released;    // part of `after` that follows the release of the stage
};

/// Overlap of consecutive blocks.
enum class Flow {
  kRing,       // loads run ahead through rings of stages
  kInOrder,    // each load is waited for; with two stages it overlaps the previous steps
  kOneIssuer,  // like kRing, but one thread issues the steps of all warpgroups
};

struct Loop {
  std::span<const LoopOperand> operands;
  std::span<const Ring> rings;
  std::span<const LoopStep> steps;
  Flow flow = Flow::kRing;
  bool producer;        // a dedicated warp issues the loads
  i32 warpgroups;       // warpgroups per tile
  double in_step = 0;   // share of the time in which warpgroups take each step at once and wait for
                        // its pipe; 0 if they alternate, or if there is only one step
  Cycles load_latency;  // latency of an L2 hit
  Cycles wake;          // time from the release of a stage until its loader sees it
  Cycles issue;         // issue time of a block's loads
};

/// A matrix of the result's shape that the epilogue adds.
struct Addend {
  Cycles intake;  // fill time of a chunk per warpgroup, loaded by threads
  Cycles staged;  // fill time of a tile's whole addend if it comes through the ring; else 0
};

/// How the results of a tile leave the SM: each warpgroup stores its part in chunks, through slots
/// in shared memory.
struct TileStore {
  i32 chunks, slots;  // chunks and slots per warpgroup; 0 slots: C aliases stages of the ring
  double warpgroups;  // warpgroups that store at the same time
  Bytes chunk;
  Cycles setup;          // time from the last step to the first chunk
  Cycles arithmetic;     // epilogue math on one chunk of each warpgroup
  Cycles instructions;   // instructions that stage a chunk
  Cycles port;           // shared-memory port time of a chunk
  Cycles read, latency;  // a chunk's bulk store: until its source is read, until it completes
  bool by_threads;       // plain stores by threads, which wait for them
  i32 deferred;          // chunks stored during the next tile's blocks
  Cycles pack;           // time to pack results into registers, if chunks are deferred
  Cycles operands_late;  // port time that deferred chunks take from operand reads
  std::optional<Addend> addend;
};

/// How a CTA runs its tiles one after another.
struct Sequence {
  bool one_tile_per_cta;  // the CTA ends after its tile; otherwise CTAs are persistent
  bool loads_run_ahead;   // loads run ahead into the next tile
  bool ends_overlap;      // a tile's store overlaps the next tile's blocks: its results have their
                          // own buffer
  Cycles find, next;      // time to find a tile; time to start on it
  // per tile: time of the first and last block's steps that no other block hides
  Cycles fill = {};
  std::optional<double> drift =
      {};         // blocks by which warpgroups drift apart; if not set, the machine's value
  Cycles refill;  // time from a CTA's end to its successor's first load
};

/// Share of the busiest worker, if several workers compute a tile.
struct Pieces {
  double blocks, pieces;
  Cycles reduction;  // time to reduce partial results
};

/// The tiles of a kernel.
struct Work {
  double ctas, sms;   // resident CTAs per SM, and SMs in use
  i64 tiles;          // tiles of the busiest SM
  double blocks;      // blocks per tile of the busiest SM, on average
  double all_blocks;  // blocks of all tiles on the chip
  std::optional<Pieces> pieces;
  bool in_step;          // all workers start together and have one tile each
  bool streams = false;  // blocks come from DRAM at an even pace, not in bursts
  Flops flops;           // FLOPs of the problem, padding excluded
  Seconds dram;          // DRAM traffic only
  Cycles launch;         // time from launch to the first load's issue, and of the kernel's end
  Sequence sequence;
  TileStore store;
};

}  // namespace tilecast
