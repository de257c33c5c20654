#include "model/attention/attention_model.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "model/base/math.h"
#include "model/form/block.h"
#include "model/form/loads.h"

namespace tilecast {
namespace {

// Instructions per score: one for the maximum; three for multiply-add, exponential and sum; half of
// one for the conversion, which works on pairs. Maxima and conversions take the time of two issue
// slots.
constexpr double kMaximum = 1, kWithExponential = 3, kConversion = 0.5, kHalfRate = 2;
constexpr double kMask = 2;  // instructions of a masked score: its position compared, and selected
constexpr double kFromDram = 0.5;       // fraction of K and V from DRAM above which they stream
constexpr double kCrowdFrom = 1 << 16;  // bytes in flight of an SM above which DRAM slows
constexpr i32 kStepK = 16;
constexpr i32 kFp32Bytes = 4,
              kSwizzleRow = 128;  // bytes of an fp32 value; bytes of a box's row in shared memory

/// Rates and times at a clock.
struct AttentionAt {
  const GpuSpec& gpu;
  const MachineSpec& machine;
  const AttentionProblem& problem;
  const AttentionConfig& config;
  Hertz clock;

  /// Constants of the GPU file, or the priors.
  const AttentionSpec& fitted() const { return gpu.attention ? *gpu.attention : kAttentionPriors; }
  AttentionTraits traits() const { return traits_of(config.schedule); }
  double element() const { return element_bytes(problem.dtype); }
  double scores() const {
    return 1.0 * kGroupRows * config.kv_block;
  }  // scores of one warpgroup in a block
  double sums() const { return 1.0 * kGroupRows * problem.head_dim; }
  /// Fraction of scores and sums that the softmax processes.
  double processed() const { return thread_rows(problem, config) / 2.0; }
  bool others() const { return config.groups * resident_ctas(gpu, problem, config) > 1; }
  /// Number of bulk copies per stage of K or V: boxes of a swizzle row's columns.
  i32 boxes() const { return problem.head_dim * element_bytes(problem.dtype) / kSwizzleRow; }
};

/// A product of one warpgroup, 64 x n by k. Its first operand is in shared memory or in registers.
/// The warpgroup is busy until it is issued; if warpgroups alternate, P V is issued together with
/// S.
LoopStep product(const AttentionAt& at, i32 n, i32 k, bool shared, i32 ring, bool waits) {
  const MachineSpec& machine = at.machine;
  const i32 instructions = ceil_div(k, kStepK);
  const double bytes = 2.0 * kStepK * (n + (shared ? kGroupRows : 0));
  const Cycles tensor = compute_cycles(Flops{2.0 * kGroupRows * n * kStepK}, tensor_rate(at.gpu));
  const Cycles operands = transfer_cycles(Bytes{bytes}, operand_rate(at.gpu));
  const Cycles interval = std::max({tensor, operands, machine.wgmma_least});
  const Cycles issue = machine.mma_issue + machine.wgmma_issue * instructions;
  const bool turns = at.traits().takes_turns, same_turn = turns && !shared;
  return {.pipe = Pipe::kTensor,
          .ring = ring,
          .waits = waits,
          .busy = interval * (instructions * at.config.groups),
          .operands = operands * (instructions * at.config.groups),
          .own = interval * instructions,
          .turn = shared ? at.fitted().block + (turns ? machine.barrier : Cycles{}) : Cycles{},
          .issue = waits ? std::max(Cycles{}, issue - interval * instructions) : issue,
          .queue = interval * machine.mma_queue,
          .completion = same_turn ? Cycles{} : machine.wgmma_completion};
}

/// Instructions of one warpgroup on the vector pipe: `slots` issue slots, `alone` cycles of
/// dependent instructions.
LoopStep vector_step(const AttentionAt& at, double slots, double alone) {
  return {.pipe = Pipe::kVector,
          .ring = -1,
          .busy = Cycles{at.fitted().slots * slots * at.config.groups / at.machine.fp32_additions},
          .own = Cycles{alone / at.machine.fp32_additions}};
}

std::array<LoopStep, 5> steps_of(const AttentionAt& at, double masked) {
  const i32 d = at.problem.head_dim, kv = at.config.kv_block;
  const double scores = at.scores() * at.processed(), sums = at.sums() * at.processed();
  const LoopStep exponentials{
      .pipe = Pipe::kVector,
      .ring = -1,
      .busy = Cycles{scores * at.config.groups / at.machine.fused_special},
      .own = Cycles{at.fitted().alone *
                    std::max(scores / at.machine.fused_special,
                             scores * kWithExponential / at.machine.fp32_additions)}};
  std::array<LoopStep, 5> steps{
      product(at, kv, d, true, 0, true),
      vector_step(at, scores * (kMaximum * kHalfRate + kMask * masked),
                  scores * (kMaximum + kMask * masked)),
      exponentials,
      vector_step(at, scores * (kWithExponential + kConversion * kHalfRate) + sums,
                  scores * kConversion + sums),
      product(at, d, kv, false, 1, !at.traits().scores_ahead)};
  if (at.traits().scores_ahead) {  // waited for, and its stage released, after the softmax
    steps[4].after = steps[1].own + steps[2].own + steps[3].own;
  }
  if (at.others()) {
    steps[4].busy +=
        (steps[1].busy + steps[3].busy) * (at.fitted().shown * at.machine.promotion_shown);
  }
  return steps;
}

/// Operands K, V and Q as laid out in memory, in boxes of one swizzle row's width.
std::array<LoopOperand, 3> operands_of(const AttentionAt& at, const AttentionPlan& plan) {
  const AttentionProblem& p = at.problem;
  const i64 row_bytes = i64{p.head_dim} * element_bytes(p.dtype);
  const auto operand = [&](bool once, i32 rows, i64 heads, double existing, double sharers,
                           double missing) -> LoopOperand {
    const i64 pitch = p.layout == AttentionLayout::kBshd ? heads * row_bytes : row_bytes;
    return {.once_a_tile = once,
            .stage = Bytes{1.0 * rows * static_cast<double>(row_bytes)},
            .existing = existing,
            .rows_existing = existing,
            .rows_loaded = 1,
            .multicast = 1,
            .row = {row_bytes, pitch, kLineBytes},
            .box_rows = 1.0 * rows * at.boxes(),
            .lines_outside = 1,
            .sharers = sharers,
            .missing = missing};
  };
  const double loaded = 1.0 * ceil_div(p.keys, at.config.kv_block) * at.config.kv_block;
  const double keys = is_causal(p) ? 1 : p.keys / loaded;
  const double queries = 1.0 * p.batch * p.heads * p.queries;
  // If few workers request a panel at the same time, each of them waits for it
  // (model/form/loads.cpp).
  const double merged = std::min(at.machine.merge_limit, plan.sharers);
  const double missing = plan.missing * at.machine.merge_limit / merged;
  return {operand(false, at.config.kv_block, p.kv_heads, keys, plan.sharers, missing),
          operand(false, at.config.kv_block, p.kv_heads, keys, plan.sharers, missing),
          operand(true, tile_rows(at.config), p.heads,
                  std::min(1.0, queries / static_cast<double>(plan.rows_of_tiles)), 1, 0)};
}

/// Number of rows of O in a whole tile.
double rows_of_tile(const AttentionAt& at) {
  const i32 queries =
      std::min(attention_work(at.problem, at.config).queries_per_tile, at.problem.queries);
  return 1.0 * queries * heads_of_tile(packed_heads(at.problem, at.config), at.config);
}

/// Stores O through Q's buffer in shared memory; with splits, the threads store fp32.
TileStore store_of(const AttentionAt& at) {
  const MachineSpec& machine = at.machine;
  const bool partial = at.config.splits > 1;
  const i32 chunks = at.boxes();
  const double width = partial ? kFp32Bytes : at.element();
  const double existing = partial ? std::min(1.0, rows_of_tile(at) / tile_rows(at.config)) : 1;
  const Bytes chunk{at.sums() / chunks * width * existing};
  return {.chunks = chunks,
          .slots = chunks,
          .warpgroups = 1.0 * at.config.groups,
          .chunk = chunk,
          .setup = machine.epilogue,
          .instructions = machine.chunk + machine.barrier * 2 + machine.issue_copy,
          .port = transfer_cycles(chunk, machine.intake),
          .read = transfer_cycles(chunk, partial ? at.gpu.reduction->sm_store : machine.store_read),
          .latency = machine.store_latency,
          .by_threads = partial};
}

/// Cycles of a tile outside its steady state: warpgroups start a part of a block apart, and the
/// last one runs all steps of its last block without overlap.
Cycles fill_of(const Loop& loop, const BlockTime& block) {
  Cycles chain;
  for (const LoopStep& step : loop.steps) {
    chain += step.turn + step.issue + step.own + step.completion;
  }
  return std::max(Cycles{}, chain - block.time / loop.warpgroups);
}

/// Time to combine partial results. Without a cluster, the tile's last CTA adds them up once it has
/// seen that they are complete (one hop). In a cluster each CTA adds up some of the rows, and the
/// partial results stay in shared memory. A warp takes two rows at a time, and loads a batch of
/// their partial results at once.
Cycles combined(const AttentionAt& at) {
  constexpr double kPair = 32 / kCombineLanes, kWarps = kGroupThreads / 32;
  const AttentionConfig& c = at.config;
  const AttentionSpec& fitted = at.fitted();
  if (c.splits == 1) {
    return {};
  }
  const bool clusters = c.grid == AttentionGrid::kClusters;
  const double warps = kWarps * c.groups * (clusters ? c.splits : 1);
  const double turns = std::ceil(std::ceil(rows_of_tile(at) / kPair) / warps);
  const double loads = ceil_div(c.splits, parts_at_once(c, at.problem.head_dim));
  if (clusters) {
    return at.machine.remote_wake * 2 + at.machine.store_latency +
           (fitted.cluster_rows + fitted.combine_loads * loads) * turns;
  }
  return cycles_of(at.gpu.reduction->hop, at.clock) + at.machine.l2_latency +
         at.machine.store_latency + fitted.combine +
         (fitted.combine_rows + fitted.combine_loads * loads) * turns;
}

/// Time in which DRAM idles because the last wave has few CTAs, each of which still takes a tile's
/// time.
Seconds idle_dram(const AttentionAt& at, const AttentionPlan& plan, Cycles tile, Seconds dram) {
  const double tiles = static_cast<double>(plan.tiles);
  const double rounds = std::ceil(tiles / static_cast<double>(plan.workers));
  if (at.config.grid == AttentionGrid::kResident || rounds < 2) {
    return {};
  }
  const double last = tiles - (rounds - 1) * static_cast<double>(plan.workers);
  return std::max(Seconds{}, time_of(tile, at.clock) - dram * (last / tiles));
}

KernelActivity activity_of(const AttentionAt& at, const AttentionPlan& plan,
                           std::span<const LoopOperand> operands, bool in_step, Cycles elapsed) {
  const AttentionProblem& p = at.problem;
  const double scores = plan.all_blocks * at.config.groups * at.scores();
  const Flops flops{4 * scores * p.head_dim};
  const double inside =
      std::min(1.0, 1.0 * p.batch * p.heads * p.queries / static_cast<double>(plan.rows_of_tiles));
  const double d_steps = ceil_div(p.head_dim, kStepK),
               kv_steps = ceil_div(at.config.kv_block, kStepK);
  const Bytes operand_bytes{2.0 * kStepK *
                            (d_steps * (at.config.kv_block + kGroupRows) + kv_steps * p.head_dim) *
                            at.config.groups * plan.all_blocks};
  const double rescaled = plan.all_blocks * at.config.groups * at.sums();
  return {{.tensor = flops * inside,
           .shared_memory = operand_bytes + plan.kv_from_l2 + plan.q_from_l2 * 3,
           .l2 = plan.partial +
                 (plan.kv_from_l2 + plan.q_from_l2) * l2_put_out(at.gpu, operands, in_step),
           .dram = plan.dram_read + plan.dram_write,
           .elapsed = elapsed,
           .dtype = p.dtype,
           .out_of_bounds = flops * (1 - inside),
           .promoted =
               (scores * (kMaximum + kWithExponential + kConversion) + rescaled) * at.processed()}};
}

}  // namespace

std::array<LoopStep, 5> attention_steps(const GpuSpec& gpu, const AttentionProblem& problem,
                                        const AttentionConfig& config, double masked) {
  return steps_of({gpu, *gpu.machine, problem, config, kEnergyClock}, masked);
}

TileStore attention_store(const GpuSpec& gpu, const AttentionProblem& problem,
                          const AttentionConfig& config) {
  return store_of({gpu, *gpu.machine, problem, config, kEnergyClock});
}

Cycles combine_time(const GpuSpec& gpu, const AttentionProblem& problem,
                    const AttentionConfig& config, Hertz sm_clock) {
  return combined({gpu, *gpu.machine, problem, config, sm_clock});
}

BytesPerSecond kv_read_rate(const GpuSpec& gpu, const AttentionProblem& p) {
  // If the rows of a head are not contiguous, DRAM receives requests out of address order.
  const bool apart = p.layout == AttentionLayout::kBshd && p.kv_heads > 1;
  const double loss = apart && gpu.stream ? gpu.stream->disorder_loss : 0;
  return gpu.dram->read_rate * (1 - loss);
}

AttentionForm closed_form(const GpuSpec& gpu, const AttentionProblem& problem,
                          const AttentionConfig& config, const AttentionPlan& plan,
                          Hertz sm_clock) {
  const AttentionAt at{gpu, *gpu.machine, problem, config, sm_clock};
  const MachineSpec& machine = at.machine;
  const bool producer = has_producer(config.schedule);
  const std::array operands = operands_of(at, plan);
  const std::array steps = steps_of(at, plan.masked_blocks / std::max(1.0, plan.all_blocks));
  const Ring rings[] = {{config.stages, 0}, {config.stages, 0}};
  const i32 copies = 2 * at.boxes();
  const Loop loop{
      .operands = operands,
      .rings = rings,
      .steps = steps,
      .producer = producer,
      .warpgroups = config.groups,
      .in_step = at.traits().takes_turns || config.groups == 1 ? 0 : at.fitted().in_step,
      .load_latency = machine.l2_latency,
      .wake = producer ? machine.wake : machine.own_load,
      .issue = producer ? machine.issue + machine.issue_copy * copies : machine.own_copy * copies};
  const double tiles = static_cast<double>(plan.tiles);
  const double sms = std::min<double>(gpu.sm.count, static_cast<double>(plan.workers));
  const double ctas = std::ceil(static_cast<double>(plan.workers) / sms);
  const bool in_step = plan.busiest_tiles <= 1;
  const bool resident = config.grid == AttentionGrid::kResident;
  // The CTAs of a cluster finish together, so every tile waits for its reduction; otherwise only a
  // CTA's last tiles do.
  const double combines = config.grid == AttentionGrid::kClusters
                              ? plan.busiest_tiles
                              : std::max(1.0, plan.busiest_tiles / config.splits);
  const Cycles combine = combined(at) * combines;
  const Bytes in_flight =
      Bytes{2.0 * config.stages * attention_smem(config, problem.head_dim).stage_bytes} *
      (static_cast<double>(plan.workers) / gpu.sm.count);
  const double crowding = 1 + at.fitted().crowding * std::min(1.0, plan.missing) *
                                  std::log2(std::max(1.0, in_flight.value / kCrowdFrom));
  const double grid = resident ? static_cast<double>(plan.workers) : std::min(tiles, sms * ctas);
  Work work{.ctas = ctas,
            .sms = sms,
            .tiles = static_cast<i64>(plan.busiest_tiles * ctas),
            .blocks = std::max(1.0, plan.busiest_blocks / plan.busiest_tiles),
            .all_blocks = plan.all_blocks,
            .pieces = Pieces{plan.busiest_blocks, plan.busiest_tiles, combine},
            .in_step = in_step,
            .streams = plan.missing > kFromDram,
            .flops = Flops{attention_flops(problem)},
            .dram = transfer_time(plan.dram_read, kv_read_rate(gpu, problem)) * crowding +
                    transfer_time(plan.dram_write, gpu.dram->write_rate),
            .launch = cycles_of(machine.kernel + machine.dispatch * grid +
                                    (producer ? machine.start_roles : Seconds{}) +
                                    (config.grid == AttentionGrid::kClusters
                                         ? machine.cluster + machine.start_cluster
                                         : Seconds{}),
                                sm_clock) +
                      machine.cta_restart,
            // The next tile's Q is loaded into the buffer that O has left.
            .sequence = {.one_tile_per_cta = !resident,
                         .loads_run_ahead = producer && resident,
                         .next = machine.next_tile + (resident ? machine.l2_latency : Cycles{}),
                         .drift = 1 - 1.0 / config.groups,
                         .refill = machine.cta_refill + machine.cta_restart},
            .store = store_of(at)};
  const BlockTime block = block_time(loop, load_times(gpu, sm_clock, loop, work), ctas);
  work.sequence.fill = fill_of(loop, block) + at.fitted().tile;
  work.dram += idle_dram(at, plan, block.time * work.blocks, work.dram);
  const ClosedForm form = tilecast::form(gpu, sm_clock, loop, work);
  Cycles softmax, softmax_of_sm;
  for (const LoopStep* step = &steps[1]; step < &steps[4]; ++step) {
    softmax += step->own * plan.busiest_blocks;
    softmax_of_sm += std::max(step->busy, step->own * config.groups) * (ctas * plan.busiest_blocks);
  }
  return {.cycles = form.cycles,
          .limiter = form.limiter,
          .shares = form.shares,
          .parts = form.parts,
          .combine = combine,
          .softmax = softmax,
          .softmax_of_sm = softmax_of_sm,
          .activity = activity_of(at, plan, operands, in_step, form.cycles)};
}

HardBounds hard_bounds(const GpuSpec& gpu, const AttentionProblem& problem) {
  const Bytes bytes{attention_bytes(problem)};
  return {
      .tensor = compute_cycles(Flops{attention_flops(problem)}, tensor_rate(gpu) * gpu.sm.count),
      .intake = {},
      .dram = transfer_time(bytes, highest_dram_rate(gpu)),
      .dram_peak = transfer_time(bytes, gpu.dram->bandwidth),
      .launch = gpu.machine->kernel};
}

}  // namespace tilecast
