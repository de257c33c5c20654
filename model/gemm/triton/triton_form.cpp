#include "model/gemm/triton/triton_form.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <variant>
#include <vector>

#include "model/base/error.h"
#include "model/base/math.h"
#include "model/base/refuse.h"
#include "model/base/smooth_max.h"
#include "model/base/text.h"
#include "model/gemm/config/kernel_config.h"
#include "model/gemm/problem/group_rows.h"
#include "model/spec/occupancy.h"
#include "model/spec/row_cost.h"

namespace tilecast {
namespace {

constexpr i32 kWarp = 32, kWarpgroup = 4;  // threads of a warp; warps of a warpgroup
constexpr i64 kCopyBytes = 16;             // bytes per load of a thread
constexpr i64 kLeastAsync = 4;             // cp.async copies 4, 8 or 16 bytes
constexpr i32 kWgmmaBytes = 32;            // bytes of K per wgmma and row
constexpr double kSpilledUnit = 128;       // registers per unit of `spilled`
// Free registers that the compiler uses per promoted accumulator, for wgmma and mma.sync.
constexpr double kPromotedAhead = 1, kPromotedAheadMma = 0.8;
constexpr double kConverted = 2 * kWarp;   // fp8 elements converted to fp16 per instruction
constexpr double kNarrowAddresses = 0.15;  // addresses per load instruction of less than 4 bytes
constexpr i32 kMmaRows = 16, kMmaColumns = 8, kMmaK = 16;

using Cost =
    std::variant<double TritonCosts::*, Cycles TritonCosts::*, BytesPerCycle TritonCosts::*,
                 FlopsPerCycle TritonCosts::*, Seconds TritonCosts::*>;
const std::pair<const char*, Cost> kCosts[] = {
    {"l2_share", &TritonCosts::l2_share},
    {"row", &TritonCosts::row},
    {"intake", &TritonCosts::intake},
    {"mma_rate", &TritonCosts::mma_rate},
    {"copy", &TritonCosts::copy},
    {"turn_wgmma", &TritonCosts::turn_wgmma},
    {"two_warpgroups", &TritonCosts::two_warpgroups},
    {"turn_mma", &TritonCosts::turn_mma},
    {"mma_step", &TritonCosts::mma_step},
    {"copy_step", &TritonCosts::copy_step},
    {"latency", &TritonCosts::latency},
    {"dram_latency", &TritonCosts::dram_latency},
    {"start", &TritonCosts::start},
    {"accumulator", &TritonCosts::accumulator},
    {"promotion", &TritonCosts::promotion},
    {"scales", &TritonCosts::scales},
    {"convert", &TritonCosts::convert},
    {"hidden", &TritonCosts::hidden},
    {"dram", &TritonCosts::dram},
    {"spilled", &TritonCosts::spilled},
    {"launch", &TritonCosts::launch},
    {"warp_step", &TritonCosts::warp_step},
    {"mma_issue", &TritonCosts::mma_issue},
    {"tile_step", &TritonCosts::tile_step},
    {"dram_row", &TritonCosts::dram_row},
    {"registers", &TritonCosts::registers},
    {"fill", &TritonCosts::fill},
};

/// A K block of one operand: `side` rows of M or N.
struct Operand {
  i64 side, pitch, piece;  // piece: bytes that a thread can load at once
  i64 row;                 // contiguous bytes of a block's row
  bool async;

  Operand(const GemmProblem& problem, const TritonKernel& kernel, i64 extent, i64 block,
          bool k_major)
      : side(block) {
    const i64 element = element_bytes(problem.dtype);
    const i64 of_row = k_major ? problem.shape.k : extent;
    pitch = of_row * element;
    piece = std::gcd(pitch, kCopyBytes);
    row = (k_major ? kernel.block_k : block) * element;
    async = kernel.tma || piece >= kLeastAsync;
  }

  Bytes bytes(const GemmProblem& problem, const TritonKernel& kernel) const {
    return {static_cast<double>(side * kernel.block_k * element_bytes(problem.dtype))};
  }
  /// Number of lines that its rows touch; each piece of a row counts a line.
  double lines(Bytes all) const {
    const i64 part = std::min(row, kLineBytes);
    return all.value / static_cast<double>(part) * row_cost(part, pitch).lines;
  }
  double copies(Bytes all) const { return all.value / static_cast<double>(piece * kWarp); }
  /// Load instructions of all warps: at least one each, because warps beyond the bytes of a small
  /// operand issue it without effect.
  double copies_of(i32 warps, Bytes all) const { return std::max<double>(warps, copies(all)); }
  /// Load instructions that keep an address in a register. The narrow ones of an operand that
  /// cannot be loaded asynchronously mostly share addresses with immediate offsets.
  double addresses(Bytes all) const { return copies(all) * (async ? 1 : kNarrowAddresses); }
};

Operand operand_a(const GemmProblem& p, const TritonKernel& kernel) {
  return {p, kernel, p.shape.m, kernel.block_m, a_is_k_major(p.layout)};
}
Operand operand_b(const GemmProblem& p, const TritonKernel& kernel) {
  return {p, kernel, p.shape.n, kernel.block_n, b_is_k_major(p.layout)};
}

struct Warps {
  double along_m, along_n;
};

/// Divides a tile among warps of mma.sync as Triton does: repeatedly halves the longer dimension of
/// a warp's part.
Warps warps_of_mma(const TritonKernel& kernel) {
  i32 m = 1, n = 1;
  while (m * n < kernel.warps) {
    const bool tall = kernel.block_m * n >= kernel.block_n * m && m * kMmaRows < kernel.block_m;
    (tall ? m : n) *= 2;
  }
  return {static_cast<double>(m), static_cast<double>(n)};
}

/// Number of tiles of C, over all GEMMs or groups.
struct Tiles {
  double along_m, along_n;  // tiles of one GEMM; for groups, along M those of all groups
  double products;
  double of_group;  // tiles along M that share a matrix of B

  Tiles(const GemmProblem& problem, const TritonKernel& kernel)
      : along_m(static_cast<double>(grouped_along_m(problem)
                                        ? i64{problem.groups->tile_rows(kernel.block_m)}
                                        : ceil_div<i64>(problem.shape.m, kernel.block_m))),
        along_n(static_cast<double>(ceil_div<i64>(problem.shape.n, kernel.block_n))),
        products(static_cast<double>(problem.batch.products)),
        of_group(grouped_along_m(problem)
                     ? along_m / static_cast<double>(problem.groups->not_empty())
                     : along_m) {}
  double all() const { return along_m * along_n * products; }
};

/// The fitted rate of mma.sync, or the GPU's if that is lower.
FlopsPerCycle mma_rate(const GpuSpec& gpu, const TritonCosts& costs) {
  return gpu.mma_sync ? std::min(costs.mma_rate, gpu.mma_sync->flops_per_sm) : costs.mma_rate;
}

double sums_of_thread(const TritonKernel& kernel) {
  return static_cast<double>(kernel.block_m) * kernel.block_n / (kWarp * kernel.warps);
}

/// Whether the compiled kernel has no loop over K blocks.
bool is_one_block(const GemmProblem& problem, const TritonKernel& kernel) {
  return kernel.constant_k && problem.shape.k <= kernel.block_k;
}

/// Whether a K block is loaded into registers and then stored to shared memory, instead of being
/// copied to it asynchronously.
bool loads_registers(const GemmProblem& problem, const TritonKernel& kernel) {
  return !kernel.tma && (kernel.stages == 1 || is_one_block(problem, kernel));
}

/// Estimates registers per thread: accumulators (twice as many with block scales), a K block that
/// is on its way through registers, a two-register pointer per address, and `registers` for
/// counters and others; with mma.sync also operand fragments.
double registers_of_thread(const GpuSpec& gpu, const GemmProblem& problem,
                           const TritonKernel& kernel, const TritonCosts& costs, double addresses,
                           Bytes k_block) {
  constexpr double kPointer = 2, kFragments = 8, kFragmentsOfSum = 0.35, kRegisterBytes = 4;
  const double sums = sums_of_thread(kernel);
  const double all_sums = sums * (promotes(problem) ? 2 : 1);
  const double loaded = loads_registers(problem, kernel)
                            ? k_block.value / (kRegisterBytes * kWarp * kernel.warps)
                            : 0;
  // Sums are zero until the only K block has left the registers.
  return (is_one_block(problem, kernel) ? std::max(all_sums, loaded) : all_sums + loaded) +
         costs.registers + kPointer * addresses / kernel.warps +
         (uses_wgmma(gpu, kernel) ? 0 : kFragments + kFragmentsOfSum * sums);
}

i32 ctas_of_sm(const SmSpec& sm, const TritonKernel& kernel, Bytes shared, double of_thread) {
  const i32 registers =
      std::min(static_cast<i32>(std::ceil(of_thread)), sm.max_registers_per_thread);
  return std::max(1, fitting_ctas(sm, {kWarp * kernel.warps, registers, shared}));
}

/// The wgmmas of a tile's K block. Warpgroups divide the tile along M as long as each has 64 rows,
/// then along N.
struct Wgmmas {
  double count, columns;

  explicit Wgmmas(const GemmProblem& problem, const TritonKernel& kernel) {
    const i32 warpgroups = kernel.warps / kWarpgroup;
    const i32 rows = kernel.block_m / kWgmmaM;
    const i32 along_n = std::max(1, warpgroups / rows);
    columns = std::max<double>(kMmaColumns, static_cast<double>(kernel.block_n) / along_n);
    count = static_cast<double>(rows) * along_n * kernel.block_k * element_bytes(problem.dtype) /
            kWgmmaBytes;
  }
  Bytes operands() const { return {(kWgmmaM + columns) * kWgmmaBytes * count}; }
};

/// Number of requests that L2 receives if `sharers` SMs request one line: one per GPC, with SMs
/// spread over the GPCs at random (model/form/loads.h).
double requests_as_one(const MachineSpec& machine, double sharers) {
  const double gpcs = machine.gpcs;
  return std::min(machine.merge_limit, sharers / (gpcs * (1 - std::pow(1 - 1 / gpcs, sharers))));
}

}  // namespace

TritonCosts TritonCosts::of(const std::map<std::string, double>& values) {
  TritonCosts costs{};
  std::vector<std::string> known;
  for (const auto& [name, cost] : kCosts) {
    known.emplace_back(name);
    const auto found = values.find(name);
    refuse_if(found == values.end(), "costs: {}: missing", name);
    refuse_if(!(found->second > 0) || !std::isfinite(found->second),
              "costs: {}: expected a number above 0", name);
    std::visit(
        [&](auto member) {
          if constexpr (std::is_same_v<decltype(member), double TritonCosts::*>) {
            costs.*member = found->second;
          } else {
            (costs.*member).value = found->second;
          }
        },
        cost);
  }
  for (const auto& [name, value] : values) {
    if (std::ranges::find(known, name) == known.end()) {
      throw ConfigError("costs: " + name + ": unknown" + did_you_mean(name, known));
    }
  }
  return costs;
}

bool uses_wgmma(const GpuSpec& gpu, const TritonKernel& kernel) {
  return gpu.wgmma && kernel.block_m >= kWgmmaM && kernel.warps % kWarpgroup == 0;
}

Bytes triton_shared_memory(const GpuSpec& gpu, const GemmProblem& problem,
                           const TritonKernel& kernel) {
  const i32 buffers = is_one_block(problem, kernel)
                          ? 1
                          : std::max(1, kernel.stages - (uses_wgmma(gpu, kernel) ? 0 : 1));
  Bytes all;
  for (const Operand& operand : {operand_a(problem, kernel), operand_b(problem, kernel)}) {
    all += operand.bytes(problem, kernel) * (operand.async ? buffers : 1);
  }
  return all;
}

HardBounds triton_bounds(const GpuSpec& gpu, const GemmProblem& problem, const TritonKernel& kernel,
                         const TritonCosts& costs) {
  const GemmShape& shape = problem.shape;
  const double element = element_bytes(problem.dtype);
  const Tiles tiles(problem, kernel);
  const double vectors = (static_cast<double>(shape.m) * tiles.along_n +
                          static_cast<double>(shape.n) * tiles.along_m) *
                         tiles.products;
  const double sms = gpu.sm.count;
  return {
      .tensor = compute_cycles(Flops{gemm_flops(problem) * element / 2}, tensor_rate(gpu) * sms),
      .intake = transfer_cycles(Bytes{vectors * static_cast<double>(shape.k) * element},
                                costs.intake * sms),
      .dram = transfer_time(Bytes{gemm_bytes(problem)}, highest_dram_rate(gpu)),
      .dram_peak = transfer_time(Bytes{gemm_bytes(problem)}, gpu.dram->bandwidth),
      .launch = gpu.machine->kernel};
}

TritonWork triton_work(const GpuSpec& gpu, const GemmProblem& problem, const TritonKernel& kernel,
                       const TritonCosts& costs) {
  const auto count = [](i64 whole) { return static_cast<double>(whole); };
  const GemmShape& shape = problem.shape;
  const double sms = gpu.sm.count;
  const Tiles grid(problem, kernel);
  // Splits beyond the number of K blocks add zeros.
  const i64 all_blocks = ceil_div<i64>(shape.k, kernel.block_k);
  const i64 parts = std::min<i64>(kernel.split_k, all_blocks);
  const double k_blocks = count(ceil_div(all_blocks, parts));
  const double tiles = grid.all() * count(parts);
  const Operand a = operand_a(problem, kernel), b = operand_b(problem, kernel);
  TritonWork work{};
  work.a = a.bytes(problem, kernel);
  work.b = b.bytes(problem, kernel);
  work.a_rows = a.lines(work.a);
  work.b_rows = b.lines(work.b);
  work.copies =
      kernel.tma ? 0 : a.copies_of(kernel.warps, work.a) + b.copies_of(kernel.warps, work.b);
  if (promotes(problem)) {
    work.a_rows += kernel.block_m;  // one scale per row
    work.promoted = sums_of_thread(kernel) * kernel.warps;
  }
  work.loads_ahead = kernel.stages > 1 && a.async && b.async;
  work.first_loads = std::min(1.0, std::max(1, kernel.stages - 1) / k_blocks);
  work.k_blocks = k_blocks;
  work.tiles_per_sm = std::ceil(tiles / sms);
  work.busy = std::min(1.0, tiles / sms);

  const double addresses = kernel.tma ? 0 : a.addresses(work.a) + b.addresses(work.b);
  const double of_thread =
      registers_of_thread(gpu, problem, kernel, costs, addresses, work.a + work.b);
  work.spilled = std::max(0.0, (of_thread - gpu.sm.max_registers_per_thread) / kSpilledUnit);
  const double ahead = uses_wgmma(gpu, kernel) ? kPromotedAhead : kPromotedAheadMma;
  const double free_used = promotes(problem) ? ahead * sums_of_thread(kernel) : 0;
  const i32 fitting =
      ctas_of_sm(gpu.sm, kernel, triton_shared_memory(gpu, problem, kernel), of_thread + free_used);
  work.ctas =
      kernel.persistent ? 1 : static_cast<i32>(std::min<double>(fitting, work.tiles_per_sm));

  // CTAs that are neighbours in launch order are rows of a group and share the columns of B. If a
  // group has few rows, neighbours in different columns share the rows of A.
  const double group = std::min<double>(kernel.group_m, grid.along_m);
  work.b_merged = requests_as_one(
      *gpu.machine, std::clamp(grid.of_group, 1.0, std::min(group, count(gpu.machine->gpcs))));
  work.a_merged =
      requests_as_one(*gpu.machine, std::clamp(gpu.machine->gpcs / group, 1.0, grid.along_n));

  Bytes operand_reads;
  if (uses_wgmma(gpu, kernel)) {
    const Wgmmas wgmmas(problem, kernel);
    const Flops each{2.0 * kWgmmaM * wgmmas.columns * kMmaK};  // two fp8 FLOPs count as one
    work.tensor = std::max(compute_cycles(each, tensor_rate(gpu)) * wgmmas.count,
                           transfer_cycles(wgmmas.operands(), operand_rate(gpu)));
    operand_reads = wgmmas.operands();
  } else {
    const Warps warps = warps_of_mma(kernel);
    const double rows = std::max<double>(kMmaRows, kernel.block_m / warps.along_m);
    const double columns = std::max<double>(kMmaColumns, kernel.block_n / warps.along_n);
    work.products = rows / kMmaRows * columns / kMmaColumns * kernel.block_k / kMmaK;
    const Flops all{work.products * kernel.warps * 2 * kMmaRows * kMmaColumns * kMmaK};
    work.tensor = compute_cycles(all, mma_rate(gpu, costs));
    operand_reads = {(rows + columns) * kernel.block_k * element_bytes(problem.dtype) *
                     kernel.warps};
    work.operand_reads = operand_reads;
    if (is_fp8(problem.dtype)) {
      work.converted = operand_reads.value / kConverted;
    }
  }

  const double bytes_a = static_cast<double>(bytes_of_a(problem));
  const double bytes_b = static_cast<double>(bytes_of_b(problem));
  const Bytes operands{bytes_a + bytes_b};
  const Bytes asked = (work.a + work.b) * (tiles * k_blocks);
  // A wave of tiles covers a group's rows and, for each matrix of B, as many columns as fit.
  const double wave = std::min(tiles, sms * work.ctas);
  const double rows = std::min(group, wave);
  const double matrices = std::max(1.0, rows / grid.of_group);
  const Bytes of_wave{(rows * kernel.block_m + std::ceil(wave / rows) * kernel.block_n * matrices) *
                      count(shape.k) * element_bytes(problem.dtype) / count(parts)};
  const Bytes again = std::max(operands, std::min(of_wave * (tiles / wave), asked));
  // L2 holds what the tiles of one GEMM or group have in common.
  const Bytes shared = operands / (grid.products * (grid.along_m / grid.of_group));
  const double kept =
      std::clamp(2 - shared / (gpu.l2->capacity * gpu.l2->usable_fraction), 0.0, 1.0);
  work.dram_read = operands * kept + again * (1 - kept);
  work.dram_cost =
      1 + costs.dram_row * (bytes_a / count(a.row) + bytes_b / count(b.row)) / (bytes_a + bytes_b);
  work.dram_write = {static_cast<double>(bytes_of_c(problem))};
  work.missing = std::min(1.0, work.dram_read / asked);
  if (parts > 1) {
    work.added = {count(parts) * grid.products * count(shape.m) * count(shape.n) * sizeof(float)};
  }

  const double padded = grid.all() * kernel.block_m * kernel.block_n * count(shape.k) * 2;
  const double pairs = is_fp8(problem.dtype) ? 2 : 1;
  work.multiplied = Flops{gemm_flops(problem) / pairs};
  work.out_of_bounds = Flops{padded / pairs} - work.multiplied;
  work.shared_memory = (work.a + work.b + operand_reads) * (tiles * k_blocks);
  work.l2_output = (work.a / work.a_merged + work.b / work.b_merged) * (tiles * k_blocks);
  return work;
}

Cycles triton_cycles(const GpuSpec& gpu, const TritonKernel& kernel, const TritonCosts& costs,
                     const TritonWork& work, Hertz sm_clock) {
  const bool wgmma = uses_wgmma(gpu, kernel);
  const BytesPerCycle of_l2{gpu.machine->l2_output.value / sm_clock.value / gpu.sm.count *
                            costs.l2_share};
  const Cycles lines = costs.row * (work.a_rows + work.b_rows);
  const Cycles intake = std::max(
      (transfer_cycles(work.a / work.a_merged + work.b / work.b_merged, of_l2) + lines) * work.busy,
      transfer_cycles(work.a + work.b, costs.intake));
  const Cycles shared = transfer_cycles(work.a + work.b + work.operand_reads, operand_rate(gpu));
  const Cycles turn = costs.copy_step * (work.copies / kernel.warps) +
                      (wgmma ? costs.turn_wgmma + work.tensor +
                                   costs.two_warpgroups * (kernel.warps > kWarpgroup ? 1 : 0)
                             : costs.turn_mma + costs.mma_step * work.products) +
                      costs.convert * work.converted + costs.promotion * work.promoted +
                      (work.promoted > 0 ? costs.scales : Cycles{});
  const Cycles latency = costs.latency + costs.dram_latency * work.missing;
  // Cycles for one K block of each of `ctas` CTAs that share the SM and overlap their waits.
  const auto step = [&](double ctas, Cycles in_sequence, Cycles ring) {
    return smooth_max<kQueued>(
        {work.tensor * ctas, smooth_max<kInBursts>({intake * ctas, ring}), shared * ctas,
         costs.copy * (work.copies * ctas),
         (costs.warp_step * kernel.warps + costs.mma_issue * (work.products * kernel.warps) +
          costs.promotion * work.promoted + costs.convert * work.converted) *
             ctas,
         in_sequence});
  };
  const auto tiles = [&](double ctas) {
    const Cycles sums =
        (costs.accumulator * sums_of_thread(kernel) + costs.tile_step) * (kernel.warps * ctas);
    const Cycles ring = (latency + turn) / std::max(1, kernel.stages - 1);
    const Cycles each =
        work.loads_ahead ? step(ctas, turn, ring) : step(ctas, turn + latency + intake, {});
    return each * (work.k_blocks - 1) + step(ctas, turn, {}) + sums;
  };
  const double rounds = std::floor(work.tiles_per_sm / work.ctas);
  const double last = work.tiles_per_sm - rounds * work.ctas;
  const bool hides = work.ctas > 1 || kernel.flatten;
  const double starts = rounds + (last > 0 ? 1 : 0);
  const Cycles start = costs.start + latency;
  const BytesPerSecond of_dram = gpu.dram->read_rate * costs.dram;
  const Bytes read = work.dram_read * work.dram_cost;
  const Cycles burst =
      cycles_of(transfer_time(read, of_dram), sm_clock) * (work.first_loads / work.ctas);
  const Cycles of_sm = tiles(work.ctas) * rounds + (last > 0 ? tiles(last) : Cycles{}) +
                       start * (1 + (starts - 1) * (hides ? 1 - costs.hidden : 1)) +
                       burst * costs.fill;
  const Seconds dram = transfer_time(read + work.dram_write, of_dram);
  Cycles all = smooth_max<kInBursts>({of_sm, cycles_of(dram, sm_clock)});
  if (work.added.value > 0) {
    all += cycles_of(transfer_time(work.added, gpu.reduction->chip_add), sm_clock);
  }
  return all * (1 + costs.spilled * work.spilled) + cycles_of(costs.launch, sm_clock);
}

}  // namespace tilecast
