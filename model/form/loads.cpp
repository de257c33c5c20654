#include "model/form/loads.h"

#include <cmath>

namespace tilecast {
namespace {

/// Number of requests for one line that L2 serves as one.
double merged_requests(const GpuSpec& gpu, double sharers, bool in_step) {
  if (in_step) {
    return std::min(gpu.machine->merge_limit, sharers);
  }
  // Requests merge within a GPC: `sharers` spread at random over the GPCs send one request to L2
  // from each GPC that has any.
  const double gpcs = gpu.machine->gpcs;
  if (sharers >= gpcs * gpu.machine->merge_limit) {
    return gpu.machine->merge_limit;  // at most `gpcs` requests reach L2; spares std::pow
  }
  const double reach_l2 = gpcs * (1 - std::pow(1 - 1 / gpcs, sharers));
  return std::min(gpu.machine->merge_limit, sharers / reach_l2);
}

/// Bytes of sectors per byte of a row, if `merged` requests are served as one. Rows that start
/// inside a sector count for each requester.
double of_sectors(const BoxRow& row, double all, double shifted, double merged) {
  return ((all - shifted) / merged + shifted) * kSectorBytes / static_cast<double>(row.bytes);
}

}  // namespace

double l2_put_out(const GpuSpec& gpu, std::span<const LoopOperand> operands, bool in_step) {
  double asked = 0, put_out = 0;
  for (const LoopOperand& o : operands) {
    const double slice =
        o.stage.value /
        o.multicast;  // bytes of one CTA's slice: a multicast delivers it once to all its CTAs
    asked += slice;
    put_out += slice * of_sectors(o.row, o.row.cost.sectors, o.row.cost.shifted_sectors,
                                  merged_requests(gpu, o.sharers, in_step));
  }
  return put_out / asked;
}

LoadTimes load_times(const GpuSpec& gpu, Hertz sm_clock, const Loop& loop, const Work& work) {
  const MachineSpec& machine = *gpu.machine;
  const BytesPerCycle share{machine.l2_output.value / sm_clock.value / work.sms};
  LoadTimes times{};
  Bytes filled;
  double missing = 0, lines = 0, outside = 0, lines_outside = 0;
  for (const LoopOperand& o : loop.operands) {
    missing = std::max(missing, o.missing);
    const double each = o.once_a_tile ? 1 / work.blocks : 1;
    const Bytes loaded = o.stage * o.rows_loaded;
    filled += loaded * each;
    times.once += o.once_a_tile ? transfer_cycles(loaded, machine.intake) : Cycles{};
    lines += o.box_rows * o.rows_existing * o.row.cost.lines * each;
    const double rows_outside = o.box_rows * (o.rows_loaded - o.rows_existing) * each;
    outside += rows_outside;
    lines_outside += o.lines_outside * rows_outside;
    // Parts outside the matrix are filled with zeros without L2.
    const double merged = merged_requests(gpu, o.sharers, work.in_step);
    const double taken =  // bytes of L2 output, in pairs of sectors
        of_sectors(o.row, 2 * o.row.cost.pairs, 2 * o.row.cost.shifted_pairs, merged);
    times.l2 += transfer_cycles(o.stage * (o.existing / o.multicast), share / taken) * each;
  }
  // The workers of a wave that share a panel wait for it together, so one DRAM miss delays them
  // all. The first of several merged requests waits for the whole miss.
  times.latency = loop.load_latency +
                  cycles_of(machine.dram_latency, sm_clock) * (missing / machine.merge_limit);
  times.intake =
      std::max(transfer_cycles(filled, machine.intake), machine.request * (lines + outside));
  times.outside = machine.outside * (work.sms / machine.gpcs * lines_outside);
  return times;
}

}  // namespace tilecast
