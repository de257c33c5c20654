// The model's description of a GPU. Values only; sources are in configs/gpus/*.yaml and are kept by
// load_gpu.h.
//
// Rates per SM cycle and rates per second have different types: the SM clock varies with power,
// DRAM rates and latencies in nanoseconds do not.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/base/integers.h"
#include "model/base/units.h"
#include "model/spec/learned_model.h"

namespace tilecast {

/// Names of compute capabilities 8.0 to 8.7, 8.9, 9.0, 10.0 and 12.0, in this order.
enum class Architecture { kAmpere, kAda, kHopper, kBlackwell, kBlackwellRtx, kFictional };

struct SmSpec {
  i32 count;
  i32 max_threads, max_ctas, registers;  // maxima per SM
  i32 max_registers_per_thread;
  Bytes shared_memory;          // maximum per SM
  Bytes shared_memory_per_cta;  // maximum per CTA
  Bytes shared_memory_reserved_per_cta;
};

/// Maximum number of resident clusters with one CTA per SM. It is not SMs / size, because GPCs
/// differ in size.
struct ClusterSpec {
  i32 max_active_of_2, max_active_of_4, max_active_of_8;
};

/// Hopper's wgmma, with 16-bit operands and fp32 accumulation.
struct WgmmaSpec {
  FlopsPerCycle flops_per_sm;
  BytesPerCycle operand_rate;  // shared memory to tensor cores, per SM
};

/// Blackwell's tcgen05, with 16-bit operands from shared memory and fp32 accumulators in tensor
/// memory.
struct Tcgen05Spec {
  FlopsPerCycle flops_per_sm;
  BytesPerCycle operand_rate;  // shared memory to tensor cores, per SM
  Cycles issue_overhead;       // added to each instruction's issue interval
  Cycles latency;              // additional latency until completion is visible at an mbarrier
  Cycles pair_latency;         // additional latency of an instruction shared by a pair of CTAs
  Cycles block_turn;           // overhead of the issuing thread per K block
  BytesPerCycle tensor_memory_read;  // accumulators to registers, per SM, bytes of fp32
};

/// mma.sync, from Ampere on, with 16-bit operands in registers and fp32 accumulation; and the
/// threads' copies that feed it (cp.async, ldmatrix).
struct MmaSyncSpec {
  FlopsPerCycle flops_per_sm;
  BytesPerCycle operand_rate;  // shared memory's port, per SM: ldmatrix and cp.async
  Cycles latency;              // latency of an instruction whose sum is waited for
  Cycles operand_latency;      // latency of ldmatrix
  Cycles copy_issue;           // issue time of all warps of a CTA, per row of a K block of A or B
};

struct L2Spec {
  Bytes capacity;
  double usable_fraction;  // fraction of the capacity that a streaming working set fills before it
                           // is evicted
};

struct DramSpec {
  BytesPerSecond bandwidth;  // not used by predictions; only for a note on problems that do not fit
  Bytes capacity;            // not used by predictions; only for a note when a problem
                             // does not fit
  BytesPerSecond read_rate, write_rate;  // rate of a read-only or write-only stream
};

/// Exchange of partial sums between SMs through L2.
struct ReductionSpec {
  Seconds hop;                              // latency from one SM's store until another SM sees it
  BytesPerCycle sm_store, sm_add, sm_load;  // per SM, fp32 with plain instructions
  BytesPerSecond chip_store, chip_add;      // rates of the whole chip
};

/// Constants of memory-bound kernels, each measured with a micro-benchmark or fitted to this
/// family's measurements. Losses are fractions of DRAM bandwidth.
struct StreamSpec {
  double disorder_loss;  // per cause of out-of-order requests: independent walks, plain loads, L2
                         // hints
  double spread_loss;    // per doubling of an SM's bytes in flight beyond 64 KiB
  double narrow_loss;    // for requests of half of a 512-byte row; three times that for a quarter
  Seconds load_latency;  // plain load or cp.async from DRAM on an idle machine
  Seconds bulk_latency;  // bulk copy from issue to barrier completion, without transfer time
  BytesPerSecond bulk_rate;     // rate of one CTA's blocks from DRAM
  Seconds bulk_store;           // bulk store from issue until its source is read, without transfer
                                // time
  BytesPerCycle bulk_read_out;  // rate at which a bulk store's source is read
  Seconds turn;                 // time of a CTA's threads from data arrival to the next loads
  Cycles small_copy;            // thread time per cp.async of less than 16 bytes
  Seconds kernel;               // duration of an empty kernel
  Cycles cta_refill;            // time from a CTA's end to its successor's first instruction
  Seconds cta_launch;           // interval between CTA starts, whole chip
  Seconds ticket;               // interval between atomic tile tickets, whole chip
  double interval;              // half-width of the 90 % interval of predicted times
};

/// Costs of the machine's parts, each measured in isolation if there is a micro-benchmark for it.
/// The analytic model, the simulator and the hard bounds use them.
struct MachineSpec {
  // The tensor pipe, and the warpgroup that feeds it.
  Cycles wgmma_least;       // issue interval of the narrowest instruction
  Cycles wgmma_completion;  // latency beyond the interval, when waited for
  Cycles turn;              // a warpgroup's other instructions around the wgmmas of one K block
  Cycles mma_issue;         // time to issue the wgmmas of one K block
  Cycles wgmma_issue;       // additional time per wgmma
  double mma_queue;         // incomplete wgmmas of a warpgroup at which further issue blocks
  Cycles own_load;          // per K block, for a warpgroup that also loads: until a stage is free
  Cycles own_copy;          // additional time per copy
  Cycles load_ahead;        // added if it loads ahead of its tile
  Cycles wake;              // time from an arrival at an mbarrier until a waiting warp continues
  Cycles remote_wake;  // time from an arrival by another CTA of the cluster until a waiting warp
                       // continues

  // Loads. An SM's copy engine requests one line after another.
  Cycles issue;          // time of a thread that issues the copies of a K block
  Cycles issue_copy;     // additional time per copy
  Cycles request;        // copy engine time per 128-byte line, or per row's part of a line
  Cycles outside;        // per out-of-bounds row, shared by the SMs of a GPC
  BytesPerCycle intake;  // fill rate of one SM's shared memory, from L2 or from registers
  Cycles l2_latency;     // time from issue to barrier completion, without transfer time
  Seconds dram_latency;  // additional latency if L2 does not hold the block
  Seconds first_load;    // added to an SM's first load of a kernel: cold descriptors and pages
  i32 gpcs;              // requests of a GPC's SMs for one line are merged
  i32 gpc_groups;        // groups of SM pairs in a GPC that L2 serves in turn; one group if 0
  Cycles load_spread;    // maximum extra delay of a response, fixed by block and SM
  Cycles merge_window;  // time after the first request for a line in which others merge, except for
                        // multicast
  double merge_limit;   // maximum requests for one line that are served as one
  double gpc_clock_spread;   // GPC clocks lie within 1 +- this of the mean
  BytesPerSecond l2_output;  // rate of distinct lines, whole chip

  // Epilogue.
  Cycles epilogue;        // per tile, from its last wgmma to the first chunk
  Cycles first_epilogue;  // added to an SM's first tile: cold instruction cache
  Cycles chunk;      // time to move a chunk from registers to shared memory, without transfer time
  Cycles next_tile;  // until a warpgroup starts on its next tile
  Cycles hilbert_step;       // per step of finding a tile on a Hilbert curve (hilbert_steps)
  Cycles barrier;            // barrier among the threads of one warpgroup
  Cycles store_latency;      // bulk store from issue until its source is read, without transfer
                             // time
  BytesPerCycle store_read;  // rate of the copy engine for all stores of an SM
  double fused_issue;        // instructions of epilogue steps, per SM cycle
  double fused_special;      // special function unit instructions, per SM cycle
  double fp32_additions;     // additions or multiply-adds, per SM cycle
  double pairs_converted;    // conversions to 16 bits, per SM cycle
  double promotion_shown;    // part of fp32 promotion that another warpgroup's wgmmas do not hide
  double drift;              // K blocks by which warpgroups that share a tile drift apart

  // Launch.
  Seconds kernel;         // start and end of a kernel, beyond its CTAs
  Seconds cluster;        // added for kernels with clusters
  Seconds graph_launch;   // interval between starts of empty kernels in a CUDA graph
  Seconds stream_launch;  // interval between starts of empty kernels launched one by one
  Seconds dispatch;       // interval between CTA starts
  Seconds cta_start;      // time from the kernel's first instruction to a CTA's first load
  Seconds start_shared;   // added per SM of the GPC that starts at the same time
  Seconds start_roles;    // added for warp-specialized kernels
  Seconds start_cluster;  // added for kernels with clusters
  Cycles group_read;      // added if a CTA first reads where its group of K ends
  Cycles cta_restart;     // cta_start once the SM has run a CTA of the kernel
  Cycles cta_refill;      // time from a CTA's end to its successor's start
};

/// Constants that attention adds to the machine, fitted to measured attention kernels. A GPU whose
/// file lacks the section uses kAttentionPriors.
struct AttentionSpec {
  double in_step;  // fraction of the time in which warpgroups that do not alternate run each
                   // step at once, and wait for its pipe
  Cycles block;    // per key block: a warpgroup's instructions other than its products
  Cycles tile;     // per tile: a warpgroup's instructions outside the loop over key blocks
  double slots;    // time of vector instructions relative to their issue slots
  // time of one warpgroup's exponentials relative to the time that their units need
  double alone;
  double shown;          // fraction of vector instructions that other warpgroups' products do not
                         // hide, over machine.promotion_shown
  double crowding;       // fraction of DRAM's time, added per doubling of an SM's bytes in flight
                         // beyond 64 KiB
  Cycles combine;        // sum of split keys by the tile's last CTA: once,
  Cycles combine_rows;   // per pair of rows of a warp,
  Cycles combine_loads;  // and per batch of loads of a pair, also in clusters
  Cycles cluster_rows;   // sum of split keys in a cluster, per pair of rows of a warp
};

/// Rounded values of the first fit to H200 measurements, for GPUs whose file has no `attention`.
inline constexpr AttentionSpec kAttentionPriors{.in_step = 0.35,
                                                .block = Cycles{390},
                                                .tile = Cycles{1700},
                                                .slots = 1.1,
                                                .alone = 0.7,
                                                .shown = 1.7,
                                                .crowding = 0.065,
                                                .combine = Cycles{7400},
                                                .combine_rows = Cycles{3500},
                                                .combine_loads = Cycles{950},
                                                .cluster_rows = Cycles{400}};

struct ClockSpec {
  Hertz max;
  Hertz tensor_plateau;    // maximum clock under tensor load
  double energy_exponent;  // energy per operation ~ (clock / 1 GHz)^exponent
  Seconds limiter;         // response time of the fast power limiter
};

/// Clock at which energies are stated.
constexpr Hertz kEnergyClock{1e9};

struct PowerSpec {
  Watts sustained_limit;
  Watts burst_limit;  // power cap of the fast limiter, including static power
  Watts static_power;
  Joules per_flop_normal, per_flop_uniform, per_flop_ternary, per_flop_zeros;
  double bf16_flop;               // energy of a bf16 FLOP relative to fp16
  double zero_operand;            // energy of a FLOP with one zero operand relative to random data
  Joules promoted_sum;            // per accumulator promoted to fp32 outside the tensor cores
  Joules per_shared_memory_byte;  // operand reads and fills
  Joules per_l2_byte;             // per byte that L2 delivers; merged requests count once
  Joules per_dram_byte;           // per byte read or written
};

/// Standard deviation of log kernel time between GPUs of one model. Predictions are for the
/// measured GPUs; this widens the interval for any other GPU.
struct CardSpread {
  double burst, sustained;
};

struct CompilerRejection;  // defined by each op

/// Sections that an architecture cannot have, or whose values are not known, are absent.
struct GpuSpec {
  std::string name, product;
  Architecture architecture;
  SmSpec sm;
  std::optional<ClusterSpec> clusters;
  std::optional<WgmmaSpec> wgmma;
  std::optional<Tcgen05Spec> tcgen05;
  std::optional<MmaSyncSpec> mma_sync;
  std::optional<L2Spec> l2;
  std::optional<DramSpec> dram;
  std::optional<ReductionSpec> reduction;
  std::optional<StreamSpec> stream;
  std::optional<AttentionSpec> attention;
  std::optional<MachineSpec> machine;
  std::optional<ClockSpec> clock;
  std::optional<PowerSpec> power;
  std::optional<CardSpread> card_spread;
  double default_interval;  // half-width of a 90 % interval without calibration, as a fraction
  std::shared_ptr<const std::vector<CompilerRejection>>
      compiler_rejections;  // null if none are recorded
  // Corrections of GEMMs and of attention; null without a calibration.
  std::shared_ptr<const LearnedModel> learned, attention_learned;
};

inline bool has_tensor_cores(const GpuSpec& gpu) {
  return gpu.wgmma || gpu.tcgen05 || gpu.mma_sync;
}

/// FLOP rate of the tensor cores with their fastest instruction.
inline FlopsPerCycle tensor_rate(const GpuSpec& gpu) {
  return gpu.wgmma     ? gpu.wgmma->flops_per_sm
         : gpu.tcgen05 ? gpu.tcgen05->flops_per_sm
                       : gpu.mma_sync.value().flops_per_sm;
}

/// Bandwidth from shared memory to tensor cores, per SM.
inline BytesPerCycle operand_rate(const GpuSpec& gpu) {
  return gpu.wgmma     ? gpu.wgmma->operand_rate
         : gpu.tcgen05 ? gpu.tcgen05->operand_rate
                       : gpu.mma_sync.value().operand_rate;
}

}  // namespace tilecast
