#include "model/attention/attention_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <queue>

#include "model/base/math.h"
#include "model/form/block.h"
#include "model/form/loads.h"
#include "model/form/panel_reuse.h"
#include "model/spec/occupancy.h"

namespace tilecast {
namespace {

// Instructions of a score: maximum; multiply-add, exponential and sum; conversion in pairs. Maxima
// and conversions take two issue slots' time.
constexpr double kMaximum = 1, kWithExponential = 3, kConversion = 0.5, kHalfRate = 2;
constexpr double kMask = 2;  // instructions of a masked score: its position compared, and selected
constexpr double kFromDram = 0.5;  // fraction of K and V from DRAM above which they stream
constexpr i64 kMostWalked =
    1 << 11;  // maximum number of tiles walked; beyond it and over 15 per SM, waves repeat
constexpr i64 kMostInTurn =
    1 << 16;  // maximum number of tiles for which each worker's tiles are listed in order

constexpr double kCrowdFrom = 1 << 16;  // bytes in flight of an SM above which DRAM slows
constexpr i32 kWarpgroupM = 64, kStepK = 16;
constexpr i32 kFp32Bytes = 4,
              kSwizzleRow = 128;  // bytes of an fp32 value; bytes of a box's row in shared memory

/// Blocks and tiles of the worker that ends last, if the next tile goes to the first free worker,
/// or to all round-robin. A tile costs one block more than it has.
struct Busiest {
  double blocks, tiles;
};
Busiest busiest_worker(const AttentionWork& work, const AttentionPlan& plan, bool in_turn) {
  const double tiles = static_cast<double>(plan.tiles), workers = static_cast<double>(plan.workers);
  const double rounds = std::ceil(tiles / workers), mean = plan.all_blocks / tiles;
  if (!work.causal) {  // all tiles are equally long, except for parts with one block more
    return {rounds * std::ceil(mean), rounds};
  }
  if (plan.tiles > (in_turn ? kMostInTurn : kMostWalked)) {
    // Round-robin, each worker's tiles are a sample of all; drawn, the last ones are the shortest.
    return in_turn              ? Busiest{(rounds + 0.5) * mean, rounds}
           : work.longest_first ? Busiest{plan.all_blocks / workers + 1, tiles / workers}
                                : Busiest{plan.all_blocks / workers + mean / 2, tiles / workers};
  }
  std::vector<Busiest> loads(static_cast<std::size_t>(plan.workers));
  const auto add = [&](std::size_t worker, i32 tile) {
    loads[worker].blocks += work.at(tile).count;
    loads[worker].tiles += 1;
    return loads[worker].blocks + loads[worker].tiles;
  };
  using Free = std::pair<double, std::size_t>;
  std::priority_queue<Free, std::vector<Free>, std::greater<>> free;
  for (i32 tile = 0; tile < plan.tiles; ++tile) {
    const bool first = tile < plan.workers;
    const std::size_t worker =
        in_turn || first ? static_cast<std::size_t>(tile % plan.workers) : free.top().second;
    if (!first && !in_turn) {
      free.pop();
    }
    const double busy = add(worker, tile);
    if (!in_turn) {
      free.emplace(busy, worker);
    }
  }
  return *std::ranges::max_element(loads, {},
                                   [](const Busiest& load) { return load.blocks + load.tiles; });
}

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
    return 1.0 * kWarpgroupM * config.kv_block;
  }  // scores of a warpgroup's block
  double sums() const { return 1.0 * kWarpgroupM * problem.head_dim; }
  bool others() const { return config.groups * resident_ctas(gpu, problem, config) > 1; }
  /// Number of bulk copies per stage of K or V: boxes of a swizzle row's columns.
  i32 boxes() const { return problem.head_dim * element_bytes(problem.dtype) / kSwizzleRow; }
};

/// A product of one warpgroup, 64 x n by k, with its first operand from shared memory or registers.
/// It is issued while it runs; if warpgroups alternate, P V is issued together with S.
LoopStep product(const AttentionAt& at, i32 n, i32 k, bool shared, i32 ring, bool waits) {
  const MachineSpec& machine = at.machine;
  const i32 instructions = ceil_div(k, kStepK);
  const double bytes = 2.0 * kStepK * (n + (shared ? kWarpgroupM : 0));
  const Cycles tensor = compute_cycles(Flops{2.0 * kWarpgroupM * n * kStepK}, tensor_rate(at.gpu));
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
  const double scores = at.scores(), sums = at.sums();
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
  // If few workers request a panel at the same time, each one waits for it (model/form/loads.cpp).
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
  return 1.0 * queries * (at.config.pack ? heads_per_kv(at.problem) : 1);
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

/// Time to combine partial results: the last CTA of a tile adds them up, which it sees a hop later;
/// in a cluster each CTA adds up some rows of all partial results, which stay in shared memory. A
/// warp takes two rows at a time, and the partial results in batches that fit its registers.
Cycles combined(const AttentionAt& at) {
  constexpr double kPair = 2, kWarps = 4, kRoomy = 32, kTight = 8, kLanes = 16;  // as in store.cuh
  const AttentionConfig& c = at.config;
  const AttentionSpec& fitted = at.fitted();
  if (c.splits == 1) {
    return {};
  }
  const bool clusters = c.grid == AttentionGrid::kClusters;
  const double warps = kWarps * c.groups * (clusters ? c.splits : 1);
  const bool room =
      c.groups == 1 && at.problem.head_dim <= 128 && attention_registers(c).consumer >= 216;
  const double parts =
      std::min(kLanes, (room ? kRoomy : kTight) * kGroupRows / at.problem.head_dim);
  const double turns = std::ceil(std::ceil(rows_of_tile(at) / kPair) / warps);
  const double loads = std::ceil(c.splits / parts);
  if (clusters) {
    return at.machine.remote_wake * 2 + at.machine.store_latency +
           (fitted.cluster_rows + fitted.combine_loads * loads) * turns;
  }
  return cycles_of(at.gpu.reduction->hop, at.clock) + at.machine.l2_latency +
         at.machine.store_latency + fitted.combine +
         (fitted.combine_rows + fitted.combine_loads * loads) * turns;
}

/// Time in which DRAM idles, because the last wave has few CTAs, which take the time of their
/// tiles.
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
  const double flops = 4 * scores * p.head_dim;
  const double inside =
      std::min(1.0, 1.0 * p.batch * p.heads * p.queries / static_cast<double>(plan.rows_of_tiles));
  const double d_steps = ceil_div(p.head_dim, kStepK),
               kv_steps = ceil_div(at.config.kv_block, kStepK);
  const double operand_bytes =
      2.0 * kStepK * (d_steps * (at.config.kv_block + kWarpgroupM) + kv_steps * p.head_dim) *
      at.config.groups * plan.all_blocks;
  const double rescaled = plan.all_blocks * at.config.groups * at.sums();
  return {{.tensor = Flops{flops * inside},
           .shared_memory = Bytes{operand_bytes} + plan.kv_from_l2 + plan.q_from_l2 * 3,
           .l2 = plan.partial +
                 (plan.kv_from_l2 + plan.q_from_l2) * l2_put_out(at.gpu, operands, in_step),
           .dram = plan.dram_read + plan.dram_write,
           .elapsed = elapsed,
           .dtype = p.dtype,
           .out_of_bounds = Flops{flops * (1 - inside)},
           .promoted = scores * (kMaximum + kWithExponential + kConversion) + rescaled}};
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

i32 resident_ctas(const GpuSpec& gpu, const AttentionProblem& problem,
                  const AttentionConfig& config) {
  if (has_producer(config.schedule)) {
    return config.ctas_per_sm;
  }
  const i32 shared = attention_smem(config, problem.head_dim).total_bytes;
  return std::min(
      gpu.sm.registers / (attention_threads(config) * compiled_registers(config, problem.head_dim)),
      ctas_by_shared_memory(gpu.sm, Bytes{1.0 * shared}));
}

i64 resident_workers(const GpuSpec& gpu, const AttentionProblem& problem,
                     const AttentionConfig& config) {
  const i64 ctas = resident_ctas(gpu, problem, config), size = config.splits;
  if (config.grid != AttentionGrid::kClusters || !gpu.clusters) {
    return gpu.sm.count * ctas;
  }
  // Unmeasured cluster sizes use the CTAs of the next smaller measured one, minus one that fits
  // into no GPC; above eight, one cluster in each GPC that fits two clusters of eight.
  const ClusterSpec& most = *gpu.clusters;
  const i64 of_8 = most.max_active_of_8 > 0 ? most.max_active_of_8 : most.max_active_of_4 / 2;
  const i64 of_2 = most.max_active_of_2, of_4 = most.max_active_of_4;
  const i64 clusters = size == 2   ? of_2
                       : size < 4  ? of_2 * 2 / size - 1
                       : size == 4 ? of_4
                       : size < 8  ? of_4 * 4 / size - 1
                       : size == 8 ? of_8
                                   : of_8 / 2;
  return std::max<i64>(1, clusters) * ctas * size;
}

BytesPerSecond kv_read_rate(const GpuSpec& gpu, const AttentionProblem& p) {
  // If the rows of one head are not contiguous, requests are out of DRAM's order.
  const bool apart = p.layout == AttentionLayout::kBshd && p.kv_heads > 1;
  const double loss = apart && gpu.stream ? gpu.stream->disorder_loss : 0;
  return gpu.dram->read_rate * (1 - loss);
}

const AttentionPlans::Panels& AttentionPlans::panels_of(const AttentionWork& work, bool pack,
                                                        i64 workers) {
  const auto [found, is_new] = panels_.try_emplace(
      {work.queries_per_tile, work.splits, pack, work.longest_first, static_cast<i32>(workers)});
  Panels& panels = found->second;
  if (is_new) {
    const i32 kv_heads = problem_.batch * problem_.kv_heads;
    const i32 sharing = pack ? 1 : heads_per_kv(problem_);
    const Bytes all{kv_bytes(problem_)};
    PanelReuse reuse(std::vector<Bytes>(static_cast<std::size_t>(kv_heads * work.splits),
                                        all / kv_heads / work.splits));
    const i64 tiles = work.tiles(), walked = std::min(tiles, kMostWalked);
    Bytes so_far;
    for (i64 i = 0; i < walked; ++i) {
      const AttentionTile tile = work.at(static_cast<i32>(i));
      const i32 head = (tile.batch * work.heads + tile.head) / sharing;
      so_far += reuse.use(static_cast<u32>(head * work.splits + tile.split), i / workers, so_far,
                          all, gpu_.l2->capacity * gpu_.l2->usable_fraction);
    }
    const double more = static_cast<double>(tiles) / static_cast<double>(walked);
    panels = {std::max(1.0, reuse.sharers(static_cast<double>(walked))),
              std::max(reuse.read() * more, all)};
  }
  return panels;
}

const AttentionPlan& AttentionPlans::of(const AttentionConfig& config) {
  const AttentionWork work = attention_work(problem_, config);
  const bool in_turn =
      config.grid == AttentionGrid::kResident && config.order != AttentionOrder::kDynamic;
  const auto [found, is_new] = plans_.try_emplace(
      {work.queries_per_tile, config.kv_block, config.splits, config.pack, work.longest_first,
       2 * static_cast<i32>(config.grid) + in_turn, resident_ctas(gpu_, problem_, config)});
  AttentionPlan& plan = found->second;
  if (!is_new) {
    return plan;
  }
  plan.tiles = work.tiles();
  plan.workers = std::min(resident_workers(gpu_, problem_, config), plan.tiles);
  plan.rows_of_tiles = plan.tiles / config.splits * tile_rows(config);
  const double heads = 1.0 * work.batch * work.heads;
  for (i32 row_block = 0; row_block < work.row_blocks; ++row_block) {
    for (i32 split = 0; split < work.splits; ++split) {
      const AttentionTile tile = work.tile(0, row_block, split);
      plan.all_blocks += tile.count * heads;
      plan.masked_blocks += tile.masked * heads;
    }
  }
  const Busiest busiest = busiest_worker(work, plan, in_turn);
  plan.busiest_blocks = busiest.blocks;
  plan.busiest_tiles = busiest.tiles;
  const Panels& panels = panels_of(work, config.pack, plan.workers);
  plan.sharers = panels.sharers;
  plan.kv_from_l2 = Bytes{plan.all_blocks * 2 * config.kv_block * problem_.head_dim *
                          element_bytes(problem_.dtype)};
  plan.q_from_l2 = Bytes{query_bytes(problem_) * config.splits};
  plan.missing = std::min(1.0, panels.read / plan.kv_from_l2 * plan.sharers);
  plan.partial = config.grid == AttentionGrid::kClusters
                     ? Bytes{}
                     : Bytes{static_cast<double>(partial_bytes(problem_, config))};
  plan.dram_read = Bytes{query_bytes(problem_)} + panels.read;
  plan.dram_write = Bytes{query_bytes(problem_) + lse_bytes(problem_)} + plan.partial;
  return plan;
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
  const Cycles softmax = (steps[1].own + steps[2].own + steps[3].own) * plan.busiest_blocks;
  return {.cycles = form.cycles,
          .limiter = form.limiter,
          .shares = form.shares,
          .parts = form.parts,
          .combine = combine,
          .softmax = softmax,
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
