// What the model knows of a GPU. Values only; where each comes from stands in configs/gpus/*.yaml
// and is kept by load_gpu.h beside the spec.
//
// Rates in SM cycles and rates in seconds are kept apart by type: the SM clock moves with power,
// DRAM and L2 latency in nanoseconds do not follow it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/base/integers.h"
#include "model/base/units.h"
#include "model/spec/learned_model.h"

namespace tilecast {

/// As compute capability tells them apart: 8.0 to 8.7, 8.9, 9.0, 10.0, 12.0.
enum class Architecture { kAmpere, kAda, kHopper, kBlackwell, kBlackwellRtx, kFictional };

struct SmSpec {
  i32 count;
  i32 max_threads, max_ctas, registers;  // per SM
  i32 max_registers_per_thread;
  Bytes shared_memory;          // per SM
  Bytes shared_memory_per_cta;  // most that one CTA can ask for
  Bytes shared_memory_reserved_per_cta;
};

/// Most clusters resident at once with one CTA per SM; GPCs are not all equal.
struct ClusterSpec {
  i32 max_active_of_2, max_active_of_4, max_active_of_8;
};

/// Hopper's wgmma, 16-bit operands and fp32 accumulation.
struct WgmmaSpec {
  FlopsPerCycle flops_per_sm;
  BytesPerCycle operand_rate;  // shared memory to tensor cores, per SM
};

/// Blackwell's tcgen05, 16-bit operands from shared memory and fp32 accumulation in tensor memory.
struct Tcgen05Spec {
  FlopsPerCycle flops_per_sm;
  BytesPerCycle operand_rate;        // shared memory to tensor cores, per SM
  Cycles issue_overhead;             // added to each instruction's interval
  Cycles latency;                    // beyond the interval, issued to seen complete at an mbarrier
  Cycles pair_latency;               // the same where a pair of CTAs shares the instruction
  Cycles block_turn;                 // of the issuing thread around the MMAs of one K block
  BytesPerCycle tensor_memory_read;  // accumulators to registers, per SM, bytes of fp32
};

struct L2Spec {
  Bytes capacity;
  double usable_fraction;  // of the capacity, before a streaming set falls out
};

struct DramSpec {
  BytesPerSecond bandwidth;              // datasheet
  Bytes capacity;                        // no prediction depends on it; what does not fit is said
  BytesPerSecond read_rate, write_rate;  // reads or writes alone
};

/// Partial sums that SMs leave to each other in L2.
struct ReductionSpec {
  Seconds hop;                              // from one SM's store to another's seeing it
  BytesPerCycle sm_store, sm_add, sm_load;  // of one SM, fp32 by plain instructions
  BytesPerSecond chip_store, chip_add;      // of all SMs at once
};

/// What memory-bound kernels meet: measured alone, one by one, or fitted to this family's rows.
/// Losses are shares of DRAM's rate.
struct StreamSpec {
  double disorder_loss;  // for each thing that takes requests out of DRAM's order
  double spread_loss;    // at each doubling of the bytes in flight of an SM beyond 64 KiB
  double
      narrow_loss;  // where a request takes half of 512 B of a row; three times that at a quarter
  Seconds load_latency;         // plain load or cp.async, DRAM to SM, unloaded
  Seconds bulk_latency;         // copy engine, issue to barrier flip, without the bytes' own time
  BytesPerSecond bulk_rate;     // of one CTA's blocks from DRAM
  Seconds bulk_store;           // copy engine, a store issued to its source read, without the bytes
  BytesPerCycle bulk_read_out;  // of a store's source
  Seconds turn;                 // of a CTA's threads, from landed data to the next loads
  Cycles small_copy;            // of a thread, for one cp.async of less than 16 bytes
  Seconds kernel;               // of a kernel that does nothing, as its own duration counts
  Cycles cta_refill;            // one CTA ends, its successor's first instruction
  Seconds cta_launch;           // from one CTA's start to the next one's, whole chip
  Seconds ticket;               // from one draw of a counter to the next one's, whole chip
  double interval;              // half-width of a 90 % interval of times predicted with these
};

/// What the machine's parts take, each measured alone by a micro-benchmark where one exists: closed
/// forms, simulator and hard bounds read the same.
struct MachineSpec {
  // Tensor pipe, and a warpgroup around it.
  Cycles wgmma_least;       // interval of the narrowest instruction
  Cycles wgmma_completion;  // beyond the interval, when waited for
  Cycles turn;              // a warpgroup's own instructions around the wgmmas of one K block
  Cycles mma_issue;         // a warpgroup issues the wgmmas of one K block
  Cycles wgmma_issue;       // and each of them
  double mma_queue;         // of its wgmmas not complete, beyond which the next one's issue waits
  Cycles own_load;     // of a warpgroup that loads besides, for a K block: until a stage is free
  Cycles own_copy;     // for each copy
  Cycles load_ahead;   // more where it loads ahead of its tile
  Cycles wake;         // from an arrival at a barrier to another warp that waits for it
  Cycles remote_wake;  // the same from another CTA of the cluster

  // Loads. An SM's copy engine asks for one line after the other.
  Cycles issue;              // of a thread that issues copies
  Cycles issue_copy;         // for each of them
  Cycles request;            // of the engine, a 128-byte line or what a row takes of it
  Cycles outside;            // of a GPC, a row out of bounds that one of its SMs asks for
  BytesPerCycle intake;      // into one SM's shared memory, from L2 or from registers
  Cycles l2_latency;         // behind the issue, to the barrier's flip, without the bytes' own time
  Seconds dram_latency;      // beyond that, where L2 does not hold the block
  Seconds first_load;        // added to an SM's first load of a kernel: cold descriptors and pages
  i32 gpcs;                  // whose SMs' requests for one line are merged
  i32 gpc_groups;            // of pairs of SMs in a GPC, which L2 serves in turn; 0: all as one
  Cycles load_spread;        // answers come up to this much later, by block and SMs
  Cycles merge_window;       // after the first request for a line, multicasts excepted
  double merge_limit;        // requests for one line served as one, where many want it
  double gpc_clock_spread;   // their clocks lie between 1 - this and 1 + this of the mean
  BytesPerSecond l2_output;  // distinct lines, whole chip

  // Epilogue.
  Cycles epilogue;           // of a tile: from its last wgmma to the first chunk
  Cycles first_epilogue;     // added to an SM's first: its instructions are cold
  Cycles chunk;              // a chunk from registers to shared memory, without its bytes' time
  Cycles next_tile;          // a warpgroup goes on to its next tile
  Cycles hilbert_step;       // of a thread that finds a tile on a Hilbert curve (hilbert_steps)
  Cycles barrier;            // of the threads of one warpgroup
  Cycles store_latency;      // a bulk store issued to its source read, without the bytes' time
  BytesPerCycle store_read;  // of the engine, for all stores of an SM
  double fused_issue;        // instructions of an epilogue's steps, of an SM in a cycle
  double fused_special;      // those of the special function unit
  double fp32_additions;     // or multiply-adds, of an SM in a cycle
  double pairs_converted;    // to 16 bits, of an SM in a cycle
  double promotion_shown;    // part of a promotion that another warpgroup's wgmmas do not hide
  double drift;              // blocks by which warpgroups that share a tile come apart

  // Launch.
  Seconds kernel;         // start and end of a kernel beyond its CTAs
  Seconds cluster;        // added where CTAs come in clusters
  Seconds dispatch;       // from one CTA's start to the next one's
  Seconds cta_start;      // the kernel's first instruction to a CTA's first load
  Seconds start_shared;   // added for each SM of the GPC that starts with it
  Seconds start_roles;    // added where warpgroups take roles
  Seconds start_cluster;  // added where CTAs come in clusters
  Cycles group_read;      // added where a CTA reads first where its group of K ends
  Cycles cta_restart;     // the same once the SM has run one
  Cycles cta_refill;      // one CTA ends, the next one starts
};

struct ClockSpec {
  Hertz max;
  Hertz tensor_plateau;    // most while tensor cores work
  double energy_exponent;  // energy per operation ~ (clock / 1 GHz)^exponent
  Seconds limiter;         // in which the fast limiter follows a load
};

/// The clock at which energies are stated.
constexpr Hertz kEnergyClock{1e9};

struct PowerSpec {
  Watts sustained_limit;
  Watts burst_limit;  // what the fast limiter holds the power to, static power included
  Watts static_power;
  Joules per_flop_normal, per_flop_uniform, per_flop_ternary, per_flop_zeros;
  double bf16_flop;               // energy of such a FLOP over that of an fp16 one
  double zero_operand;            // of one whose one operand is zeros, over that of data
  Joules promoted_sum;            // added up in fp32 outside of the tensor cores
  Joules per_shared_memory_byte;  // operand reads and fills
  Joules per_l2_byte;             // that L2 puts out, concurrent requests for it once
  Joules per_dram_byte;           // read or written
};

/// Standard deviation between cards of one kind, of the logarithm of a kernel's time. Predictions
/// are of the cards that were measured; another one's time lies inside an interval wider by this.
struct CardSpread {
  double burst, sustained;
};

struct CompilerRejection;  // of an op's kernels

/// The sections an architecture cannot have, or nobody has published, are absent.
struct GpuSpec {
  std::string name, product;
  Architecture architecture;
  SmSpec sm;
  std::optional<ClusterSpec> clusters;
  std::optional<WgmmaSpec> wgmma;
  std::optional<Tcgen05Spec> tcgen05;
  std::optional<L2Spec> l2;
  std::optional<DramSpec> dram;
  std::optional<ReductionSpec> reduction;
  std::optional<StreamSpec> stream;
  std::optional<MachineSpec> machine;
  std::optional<ClockSpec> clock;
  std::optional<PowerSpec> power;
  std::optional<CardSpread> card_spread;
  double default_interval;  // half-width of a 90 % interval without calibration, as a fraction
  std::shared_ptr<const std::vector<CompilerRejection>> compiler_rejections;  // null: none
  std::shared_ptr<const LearnedModel> learned;  // null without a calibration
};

/// Of whichever tensor cores there are.
inline FlopsPerCycle tensor_rate(const GpuSpec& gpu) {
  return gpu.wgmma ? gpu.wgmma->flops_per_sm : gpu.tcgen05.value().flops_per_sm;
}

/// Shared memory to tensor cores, of an SM.
inline BytesPerCycle operand_rate(const GpuSpec& gpu) {
  return gpu.wgmma ? gpu.wgmma->operand_rate : gpu.tcgen05.value().operand_rate;
}

}  // namespace tilecast
