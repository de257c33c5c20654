#include "model/form/block.h"

#include <initializer_list>

#include "model/base/smooth_max.h"

namespace tilecast {
namespace {

// Fraction of the tensor pipe's time above which operand reads are reported as the bottleneck. It
// affects only the reported word, no time.
constexpr double kBoundByOperands = 0.95;

struct Limit {
  Cycles time;
  Limiter limiter;
};

Limit longest(std::initializer_list<Limit> limits) {
  return *std::max_element(limits.begin(), limits.end(),
                           [](const Limit& a, const Limit& b) { return a.time < b.time; });
}

/// Latency from the release of a stage to the issue of its next loads.
Cycles stage_reuse(const Loop& loop) { return loop.wake + loop.issue; }

/// Returns the busier of the two pipes.
Limit pipe_limit(const Loop& loop, double ctas) {
  const Cycles tensor = pipe_time(loop, Pipe::kTensor), vector = pipe_time(loop, Pipe::kVector);
  const bool by_operands = operand_time(loop) > tensor * kBoundByOperands;
  return longest({{tensor * ctas, by_operands ? Limiter::kSharedMemory : Limiter::kTensor},
                  {vector * ctas, Limiter::kInstructions}});
}

bool waits_for_any(const Loop& loop) { return std::ranges::any_of(loop.steps, &LoopStep::waits); }

/// A warpgroup's sequence counts as latency if it waits for any step.
Limit turn_limit(const Loop& loop, Cycles turn) {
  return {turn, waits_for_any(loop) ? Limiter::kLatency : Limiter::kInstructions};
}

/// Time from the start of a step, on a pipe that the CTAs share, to its completion or last
/// instruction.
Cycles held_by(const LoopStep& step, double ctas) {
  return step.waits ? step.busy * ctas + step.completion
                    : std::max(step.issue, step.busy * ctas - step.queue);
}

/// A ring's stage is reloaded once the steps that read it are complete. If steps are left in
/// flight, their completion is seen only after the steps of `lag` later blocks are issued.
Cycles ring_time(const Loop& loop, const LoadTimes& loads, i32 ring, double ctas) {
  Cycles round = loads.stage() + stage_reuse(loop);
  for (const LoopStep& step : loop.steps) {
    if (step.ring == ring) {
      round += step.turn + held_by(step, ctas) + step.after - step.released;
    }
  }
  const Ring& own = loop.rings[static_cast<std::size_t>(ring)];
  return round / (own.stages - own.lag);
}

/// Smooth maximum of resources that work at the same time. Rates and the ring, whose loads are
/// bursty, delay each other strongly; pipes, whose work is queued, only a little.
BlockTime together(const Limit& pipe, const Limit& turn, const LoadTimes& loads, double ctas,
                   Cycles round) {
  const Cycles intake = loads.intake * ctas, l2 = std::max(loads.l2, loads.outside) * ctas;
  const Cycles loaded = smooth_max<kInBursts>({intake, l2, round});
  const Limit own = longest({pipe, turn});
  const Limiter of_loads =
      longest({{intake, Limiter::kSmIntake}, {l2, Limiter::kL2}, {round, Limiter::kLatency}})
          .limiter;
  return {smooth_max<kQueued>({loaded, own.time}), own.time,
          own.time >= loaded ? own.limiter : of_loads};
}

BlockTime ring_block(const Loop& loop, const LoadTimes& loads, double ctas) {
  Cycles turn = loop.producer ? Cycles{} : stage_reuse(loop);
  for (const LoopStep& step : loop.steps) {
    turn += step.turn + step.issue;
    if (step.waits) {
      const Cycles waited = std::max(Cycles{}, step.busy * ctas - step.own) * loop.in_step;
      turn += step.own + waited + step.completion + step.after;
    }
  }
  Cycles round;
  for (std::size_t ring = 0; ring < loop.rings.size(); ++ring) {
    round = std::max(round, ring_time(loop, loads, static_cast<i32>(ring), ctas));
  }
  return together(pipe_limit(loop, ctas), turn_limit(loop, turn), loads, ctas, round);
}

BlockTime chain_block(const Loop& loop, const LoadTimes& loads, double ctas) {
  Cycles turn = stage_reuse(loop), issue, end;
  for (const LoopStep& step : loop.steps) {
    turn += step.turn;
    issue += step.issue;
    end += step.busy + step.completion;
  }
  const Cycles load = loads.stage();
  const bool two = loop.rings.front().stages > 1;
  const Cycles issued = std::max(issue, end - loop.steps.back().queue);
  const Cycles chain = turn + (two ? std::max(load + issued, issue + end) : load + issue + end);
  return together(pipe_limit(loop, ctas), turn_limit(loop, {}), loads, ctas, chain);
}

/// One thread issues all steps; their commits free the stages. While it waits for a step, the
/// previous stage is loading. A dedicated load warp refills a stage as soon as it is committed, an
/// issuing thread only at its next load.
BlockTime issuer_block(const Loop& loop, const LoadTimes& loads, double ctas) {
  const Ring& ring = loop.rings.front();
  const Limit pipe = pipe_limit(loop, ctas);
  Cycles turn, completion;
  for (const LoopStep& step : loop.steps) {
    turn += step.turn + (step.waits ? step.busy + step.completion : Cycles{});
    completion += step.completion;
  }
  const Cycles load =
      stage_reuse(loop) + loads.latency + std::max({loads.intake, loads.l2, loads.outside});
  const Cycles held = (load + pipe.time + completion) / ring.stages;
  const Cycles round =
      loop.producer ? held : std::max(held, load / (ring.stages - std::max(1, ring.lag)));
  const Limit all = longest({pipe,
                             {loads.intake * ctas, Limiter::kSmIntake},
                             {loads.l2 * ctas, Limiter::kL2},
                             turn_limit(loop, turn),
                             {round, Limiter::kLatency}});
  return {all.time, std::max(pipe.time, turn), all.limiter};
}

}  // namespace

Cycles pipe_time(const Loop& loop, Pipe pipe) {
  Cycles sum;
  for (const LoopStep& step : loop.steps) {
    sum += step.pipe == pipe ? step.busy : Cycles{};
  }
  return sum;
}

Cycles operand_time(const Loop& loop) {
  Cycles sum;
  for (const LoopStep& step : loop.steps) {
    sum += step.operands;
  }
  return sum;
}

BlockTime block_time(const Loop& loop, const LoadTimes& loads, double ctas) {
  switch (loop.flow) {
    case Flow::kInOrder:
      return chain_block(loop, loads, ctas);
    case Flow::kOneIssuer:
      return issuer_block(loop, loads, ctas);
    case Flow::kRing:
      break;
  }
  return ring_block(loop, loads, ctas);
}

}  // namespace tilecast
