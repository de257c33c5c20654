#include "model/analytic/loads.h"

#include <algorithm>
#include <cmath>

#include "model/base/math.h"
#include "model/spec/row_cost.h"
#include "model/tile/group_rows.h"
#include "model/tile/operand_copies.h"
#include "model/tile/smem_layout.h"

namespace tilecast {
namespace {

/// What a bulk copy takes of each row, and what that touches of L2.
struct BoxRow {
  i64 bytes;
  RowCost cost;

  /// `pitch`: from the beginning of one row to the next one's.
  BoxRow(i64 row_bytes, i64 pitch, i64 most)
      : bytes(std::min(row_bytes, most)), cost(row_cost(bytes, pitch)) {}

  /// Bytes for each one that L2 puts out, of `merged` requests as one: rows that start inside a
  /// sector for each who asks.
  double put_out(double merged) const {
    return of_sectors((cost.sectors - cost.shifted_sectors) / merged + cost.shifted_sectors);
  }
  /// The same in what its output takes for them, which is pairs of sectors.
  double output_taken(double merged) const {
    return of_sectors(2 * ((cost.pairs - cost.shifted_pairs) / merged + cost.shifted_pairs));
  }

 private:
  double of_sectors(double count) const {
    return count * kSectorBytes / static_cast<double>(bytes);
  }
};

/// Rows as boxes take them from A and B.
BoxRow box_of(const GemmProblem& problem, const Tiling& t, i64 columns, i64 row, bool k_major) {
  const i64 element = element_bytes(problem.dtype);
  return {columns * element, row * element,
          (k_major ? k_slab_elements(t) : kSlabElements) * element};
}
BoxRow box_of_a(const GemmProblem& problem, const Tiling& t) {
  return box_of(problem, t, sides_of_a(problem).columns, a_row(problem),
                a_is_k_major(problem.layout));
}
BoxRow box_of_b(const GemmProblem& problem, const Tiling& t) {
  return box_of(problem, t, sides_of_b(problem).columns, b_row(problem),
                b_is_k_major(problem.layout));
}

/// Rows of the boxes of a CTA's slice of one K block; `side`: of the tile.
double box_rows(const Tiling& t, i32 side, i32 sharers, bool k_major) {
  return k_major ? t.block_k / static_cast<double>(k_slab_elements(t)) * side / sharers
                 : static_cast<double>(side) / kSlabElements * t.block_k / sharers;
}

/// Requests for one line that L2 sees as one.
double merged(const GpuSpec& gpu, double sharers, bool in_step) {
  if (in_step) {
    return std::min(gpu.machine->merge_limit, sharers);
  }
  // Requests are merged on their way out of each GPC: of `sharers` spread at random over the GPCs,
  // as many reach L2 as there are GPCs with at least one.
  const double gpcs = gpu.machine->gpcs;
  const double reach_l2 = gpcs * (1 - std::pow(1 - 1 / gpcs, sharers));
  return std::min(gpu.machine->merge_limit, sharers / reach_l2);
}

double existing(i64 extent, i32 block) {
  return static_cast<double>(extent) / static_cast<double>(round_up<i64>(extent, block));
}

/// The workers of a wave that share a panel wait for it together, so one that comes from DRAM
/// delays them all; of the requests that are served as one the first waits for all of it.
Cycles answer(const KernelAt& kernel, const GemmTraffic& traffic) {
  const MachineSpec& machine = *kernel.gpu.machine;
  const double missing = std::max(traffic.a_missing, traffic.b_missing);
  return kernel.cycles(kernel.costs.l2_latency) +
         cycles_of(machine.dram_latency, kernel.sm_clock) * (missing / machine.merge_limit);
}

}  // namespace

Loads operand_loads(const KernelAt& kernel, const GemmTraffic& traffic, bool in_step) {
  const GemmProblem& problem = kernel.problem;
  const MachineSpec& machine = *kernel.gpu.machine;
  const Tiling& t = kernel.tiling();
  const BytesPerCycle share{machine.l2_output.value / kernel.sm_clock.value / kernel.sms};
  const BoxRow a = box_of_a(problem, t), b = box_of_b(problem, t);
  const auto rate = [&](double sharers, const BoxRow& row) {
    return share / row.output_taken(merged(kernel.gpu, sharers, in_step));
  };
  const RowsOfTiles rows = rows_of_tiles(problem, kernel.config);
  const auto of_a_tiles = [&](i64 of_rows) {
    return static_cast<double>(of_rows) / static_cast<double>(rows.tiles * t.block_m);
  };
  Loads loads{.latency = answer(kernel, traffic),
              .a_l2_rate = rate(traffic.a_sharers, a),
              .b_l2_rate = rate(traffic.b_sharers, b),
              .a_existing = of_a_tiles(rows.existing),
              .b_existing = existing(problem.shape.n, t.block_n),
              .a_loaded = of_a_tiles(rows.loaded),
              .engine = {},
              .outside = {}};
  // Rows of its slices' boxes: those that exist touch lines, those that do not are asked for too.
  const bool a_along_k = a_is_k_major(problem.layout), b_along_k = b_is_k_major(problem.layout);
  const double a_rows = box_rows(t, t.block_m, t.cluster_n, a_along_k);
  const double b_rows = box_rows(t, t.block_n, t.cluster_m, b_along_k);
  const double a_outside = a_rows * (loads.a_loaded - loads.a_existing);
  const double b_outside = b_rows * (1 - loads.b_existing);
  loads.engine =
      machine.request * (a_rows * loads.a_existing * a.cost.lines +
                         b_rows * loads.b_existing * b.cost.lines + a_outside + b_outside);
  const i64 row_of_k = (a_along_k ? a_row(problem) : b_row(problem)) * element_bytes(problem.dtype);
  const double lines = (a_along_k || b_along_k) && row_of_k % (2 * kLineBytes) == 0 ? 2 : 1;
  loads.outside = machine.outside * (lines * kernel.sms / machine.gpcs * (a_outside + b_outside));
  return loads;
}

Bytes l2_output(const GpuSpec& gpu, const GemmProblem& problem, const Tiling& t,
                const GemmTraffic& traffic, bool in_step) {
  // A multicast is put out once for the CTAs that share it.
  const double a = static_cast<double>(t.block_m) / t.cluster_n;
  const double b = static_cast<double>(t.block_n) / t.cluster_m;
  const double of_a = box_of_a(problem, t).put_out(merged(gpu, traffic.a_sharers, in_step));
  const double of_b = box_of_b(problem, t).put_out(merged(gpu, traffic.b_sharers, in_step));
  return traffic.l2_to_sm * ((a * of_a + b * of_b) / (a + b));
}

}  // namespace tilecast
