#include <algorithm>
#include <deque>
#include <vector>

#include "model/attention/attention_model.h"
#include "model/sim/parts/load.h"
#include "model/sim/parts/mma.h"
#include "model/sim/parts/stage_ring.h"
#include "model/sim/parts/store.h"

namespace tilecast {
namespace {

constexpr u32 kMostGroups = 3;

/// A CTA, or the successive CTAs of a slot. Its producer draws the tiles.
struct Cta {
  Cta(Engine& engine, Sm& on, const AttentionConfig& c)
      : sm(on), k(engine, c.stages, 1, c.groups), v(engine, c.stages, 1, c.groups) {
    for (i32 group = 0; group < c.groups; ++group) {
      turns.emplace_back(engine, 1, "turn", group);
      q_full.emplace_back(engine, 1, "q full", group);
      q_empty.emplace_back(engine, 1, "q empty", group);
    }
    turns.front().arrive({});
  }

  Sm& sm;
  StageRing k, v;
  std::deque<PhaseBarrier> turns, q_full, q_empty;  // barriers of each consumer group
  std::vector<i32> tiles;                           // tiles drawn so far; -1 after the last
};

class AttentionKernel {
 public:
  AttentionKernel(const GpuSpec& gpu, const AttentionProblem& p, const AttentionConfig& c,
                  Hertz sm_clock)
      : machine_(*gpu.machine),
        p_(p),
        c_(c),
        clock_(sm_clock),
        work_(attention_work(p, c)),
        blocks_(ceil_div(p.keys, c.kv_block)),
        steps_(attention_steps(gpu, p, c, 0)),
        masked_(attention_steps(gpu, p, c, 1)),
        store_(attention_store(gpu, p, c)),
        workers_(static_cast<i32>(std::min<i64>(work_.tiles(), resident_workers(gpu, p, c)))),
        next_(workers_),
        chip_(gpu, sm_clock, names(), nullptr, 0),
        left_(static_cast<std::size_t>(work_.tiles() / c.splits), c.splits) {
    const Bytes stage{static_cast<double>(attention_smem(c, p.head_dim).stage_bytes)};
    kv_ = cost_of(gpu, stage);
    q_ = cost_of(gpu, Bytes{1.0 * attention_smem(c, p.head_dim).q_bytes / c.groups});
    mma_.completion = time(machine_.wgmma_completion);
    store_costs_ = {.setup = time(store_.setup),
                    .staging = time(store_.port),
                    .latency = time(store_.latency),
                    .read = time(store_.read),
                    .chunk_bytes = static_cast<i64>(store_.chunk.value)};
    combine_ = time(combine_time(gpu, p, c, sm_clock));
  }

  SimulatedAttention run(const GpuSpec& gpu) {
    const std::vector<i32> places =
        places_of(gpu.sm.count, machine_.gpcs, 1, std::min(workers_, gpu.sm.count));
    std::deque<Cta> ctas;
    const SimTime start = time(machine_.cta_restart) +
                          (has_producer(c_.schedule) ? sim_time(machine_.start_roles) : SimTime{});
    for (i32 worker = 0; worker < workers_; ++worker) {
      Sm& sm = chip_.sms[static_cast<std::size_t>(
          places[static_cast<std::size_t>(worker) % places.size()])];
      Cta& cta = ctas.emplace_back(chip_.engine, sm, c_);
      const SimTime at = start + sim_time(machine_.dispatch * worker);
      chip_.engine.spawn(produce(cta, worker), {"producer", worker}, at);
      for (i32 group = 0; group < c_.groups; ++group) {
        chip_.engine.spawn(consume(cta, group), {"warpgroup", worker, group}, at);
      }
    }
    chip_.engine.run();
    const Seconds whole = seconds_of(end_) + machine_.kernel;
    const MemoryTraffic& traffic = chip_.memory.traffic();
    return {.cycles = cycles_of(whole, clock_),
            .dram_read = Bytes{static_cast<double>(traffic.dram_read)},
            .l2_output = Bytes{static_cast<double>(traffic.l2_output)},
            .tensor_share = seconds_of(chip_.tensor_busy()).value / whole.value / gpu.sm.count,
            .events = chip_.engine.events()};
  }

 private:
  SimTime time(Cycles cycles) const { return sim_time(cycles, clock_); }
  bool turns() const { return traits_of(c_.schedule).takes_turns; }

  /// Number of named blocks: those of K and V of all KV heads, then Q of each tile.
  std::size_t names() const {
    return static_cast<std::size_t>(i64{p_.batch} * p_.kv_heads * blocks_ * 2 +
                                    i64{work_.tiles()} * c_.groups);
  }
  u32 kv_name(const AttentionTile& tile, i32 block, u32 which) const {
    const i32 head = tile.head / (work_.heads / p_.kv_heads);
    return static_cast<u32>((tile.batch * p_.kv_heads + head) * blocks_ + block) * 2 + which;
  }
  u32 q_name(i32 tile, i32 group) const {
    return static_cast<u32>(p_.batch * p_.kv_heads * blocks_ * 2 + tile * c_.groups + group);
  }

  BlockCost cost_of(const GpuSpec& gpu, Bytes bytes) const {
    return {.bytes = static_cast<i64>(bytes.value),
            .sectors = static_cast<i64>(bytes.value) / kSectorBytes,
            .l2 = sim_time(transfer_time(bytes, machine_.l2_output)),
            .dram = sim_time(transfer_time(bytes, kv_read_rate(gpu, p_))),
            .fill = time(transfer_cycles(bytes, machine_.intake)),
            .requests = time(machine_.request * (bytes.value / kLineBytes))};
  }

  /// Returns the next tile of a worker after tile `last`; -1 after the last one.
  i32 draw(i32 worker, i32 last) {
    const bool in_turn =
        c_.grid == AttentionGrid::kResident && c_.order != AttentionOrder::kDynamic;
    const i32 tile = last < 0 ? worker : in_turn ? last + workers_ : next_++;
    return tile < work_.tiles() ? tile : -1;
  }

  void load(Cta& cta, PhaseBarrier& full, LoadName name, u32 block, const BlockCost& cost) {
    const SimTime there = ask_for_block(
        chip_, cta.sm, {.name = name, .block = block, .fetch = {block, 1}, .cost = cost}, 1);
    land(chip_, cta.sm, full, there, cost.fill, cost.bytes, {.latency = time(machine_.l2_latency)});
  }

  /// Loads the next block of K or V into its ring.
  Process load_kv(Cta& cta, i32 number, i32 block, u32 which, RingPosition at) {
    const SimTime issue = time(machine_.issue);
    StageRing& ring = which == 0 ? cta.k : cta.v;
    co_await ring.wait_empty(at, {}, at.round > 0 ? time(machine_.wake) + issue : issue);
    load(cta, ring.full(at.stage),
         {static_cast<u32>(number), static_cast<u32>(2 * block) + which + kMostGroups},
         kv_name(work_.at(number), block, which), kv_);
  }

  /// Loads a tile. The first block of K is loaded before Q, whose buffers the previous tile
  /// releases last. A CTA that ends leaves its slot to the next one.
  Process load_tile(Cta& cta, u32 n, i32 number, RingPosition& at) {
    const bool ends = c_.grid != AttentionGrid::kResident;
    const AttentionTile tile = work_.at(number);
    const i32 last = tile.first + tile.count - 1;
    if (tile.count > 0 && !ends) {
      co_await load_kv(cta, number, last, 0, at);
    }
    for (i32 group = 0; group < c_.groups; ++group) {
      const auto own = static_cast<std::size_t>(group);
      if (n > 0) {
        co_await cta.q_empty[own].wait(
            n - 1, {},
            ends ? time(machine_.cta_refill + machine_.cta_restart) : time(machine_.wake));
      }
      load(cta, cta.q_full[own], {static_cast<u32>(number), static_cast<u32>(group)},
           q_name(number, group), q_);
    }
    for (i32 block = last; block >= tile.first; --block) {
      for (u32 which = block == last && !ends ? 1 : 0; which < 2; ++which) {
        co_await load_kv(cta, number, block, which, at);
      }
      at.advance(c_.stages);
    }
  }

  Process produce(Cta& cta, i32 worker) {
    RingPosition at;
    i32 tile = draw(worker, -1);
    for (u32 n = 0; tile >= 0; ++n) {
      cta.tiles.push_back(tile);
      co_await load_tile(cta, n, tile, at);
      tile = draw(worker, tile);
    }
    cta.tiles.push_back(-1);
    for (PhaseBarrier& full : cta.q_full) {
      full.arrive(chip_.engine.now());
    }
  }

  /// Time of a block's vector instructions, on the pipe that all warpgroups of the SM share.
  SimTime softmax(Cta& cta, bool masked) {
    const auto& steps = masked ? masked_ : steps_;
    Cycles own, busy;
    for (std::size_t i = 1; i < 4; ++i) {
      own += steps[i].own;
      busy += steps[i].busy / c_.groups;
    }
    const SimTime now = chip_.engine.now();
    return later(now + time(own), cta.sm.arithmetic.serve(now, time(busy)));
  }

  void multiply(Cta& cta, MmaGroups& groups, const LoopStep& product) {
    groups.issue(chip_, cta.sm, time(product.busy / c_.groups), 0);
  }
  /// Returns the time at which a product that begins now is issued.
  SimTime issued(const LoopStep& product) const { return chip_.engine.now() + time(product.issue); }

  /// Runs blocks in sequence and waits for each product.
  Process in_sequence(Cta& cta, const AttentionTile& tile, RingPosition& at) {
    MmaGroups groups;
    Engine& engine = chip_.engine;
    for (i32 i = 0; i < tile.count; ++i) {
      co_await cta.k.wait_full(at, {}, time(steps_[0].turn));
      multiply(cta, groups, steps_[0]);
      co_await engine.until(later(issued(steps_[0]), groups.wait(engine.now(), 0, mma_)));
      cta.k.empty(at.stage).arrive(engine.now());
      co_await engine.until(softmax(cta, i < tile.masked));
      co_await cta.v.wait_full(at, {}, time(steps_[4].turn));
      multiply(cta, groups, steps_[4]);
      co_await engine.until(later(issued(steps_[4]), groups.wait(engine.now(), 0, mma_)));
      cta.v.empty(at.stage).arrive(engine.now());
      at.advance(c_.stages);
    }
  }

  /// Issues S of one block and P V of the previous one whenever it is the warpgroup's turn. With
  /// scores ahead, P V stays in flight during the softmax.
  Process in_turns(Cta& cta, i32 group, const AttentionTile& tile, RingPosition& at, u32& turn) {
    const bool ahead = traits_of(c_.schedule).scores_ahead;
    const auto me = static_cast<std::size_t>(group);
    PhaseBarrier& next = cta.turns[(me + 1) % cta.turns.size()];
    Engine& engine = chip_.engine;
    MmaGroups groups;
    RingPosition v = at;
    for (i32 i = 0; i <= tile.count; ++i) {
      const u32 own_turn = turn++;
      co_await cta.turns[me].wait(own_turn, {}, time(steps_[0].turn));
      if (i < tile.count) {
        co_await cta.k.wait_full(at, {}, {});
        multiply(cta, groups, steps_[0]);
        co_await engine.until(issued(steps_[0]));
      }
      if (i > 0) {
        co_await cta.v.wait_full(v, {}, {});
        multiply(cta, groups, steps_[4]);
        co_await engine.until(issued(steps_[4]));
      }
      next.arrive(engine.now());
      if (i < tile.count) {
        co_await engine.until(groups.wait(engine.now(), i > 0 && ahead ? 1 : 0, mma_));
        cta.k.empty(at.stage).arrive(engine.now());
        at.advance(c_.stages);
      }
      if (i > 0 && !ahead) {
        co_await engine.until(groups.wait(engine.now(), 0, mma_));
        cta.v.empty(v.stage).arrive(engine.now());
        v.advance(c_.stages);
      }
      if (i < tile.count) {
        co_await engine.until(softmax(cta, i < tile.masked));
      }
      if (i > 0 && ahead) {
        co_await engine.until(groups.wait(engine.now(), 0, mma_));
        cta.v.empty(v.stage).arrive(engine.now());
        v.advance(c_.stages);
      }
    }
  }

  Process consume(Cta& cta, i32 group) {
    Engine& engine = chip_.engine;
    RingPosition at;
    u32 turn = 0;
    for (u32 n = 0;; ++n) {
      co_await cta.q_full[static_cast<std::size_t>(group)].wait(n, {}, {});
      const i32 number = cta.tiles[n];
      if (number < 0) {
        break;
      }
      const AttentionTile tile = work_.at(number);
      if (tile.count > 0 && turns()) {
        co_await in_turns(cta, group, tile, at, turn);
      } else {
        co_await in_sequence(cta, tile, at);
      }
      co_await engine.until(engine.now() + store_setup(cta.sm, store_costs_));
      for (i32 chunk = 0; chunk < store_.chunks; ++chunk) {
        co_await engine.until(later(engine.now() + time(store_.instructions),
                                    stage_chunk(cta.sm, engine.now(), store_costs_)));
      }
      SimTime stored = store_chunks(chip_, cta.sm, store_.chunks, store_costs_);
      if (c_.splits > 1 && group == 0 &&
          --left_[static_cast<std::size_t>(number / c_.splits)] == 0) {
        stored = stored + combine_;
      }
      cta.q_empty[static_cast<std::size_t>(group)].arrive(stored);
      end_ = later(end_, stored);
      co_await engine.until(engine.now() + time(machine_.next_tile));
    }
  }

  const MachineSpec& machine_;
  const AttentionProblem& p_;
  const AttentionConfig& c_;
  Hertz clock_;
  AttentionWork work_;
  i32 blocks_;
  std::array<LoopStep, 5> steps_, masked_;
  TileStore store_;
  i32 workers_, next_;
  Chip chip_;
  std::vector<i32> left_;  // splits of each tile that are not yet stored
  BlockCost kv_, q_;
  MmaCosts mma_{};
  StoreCosts store_costs_{};
  SimTime combine_{}, end_{};
};

}  // namespace

SimulatedAttention simulate_attention(const GpuSpec& gpu, const AttentionProblem& problem,
                                      const AttentionConfig& config, Hertz sm_clock) {
  return AttentionKernel(gpu, problem, config, sm_clock).run(gpu);
}

}  // namespace tilecast
