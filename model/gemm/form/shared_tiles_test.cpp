#include "model/gemm/form/shared_tiles.h"

#include "model/spec/load_gpu.h"
#include "tests/catch.h"
#include "tests/gemm_config.h"

namespace tilecast {
namespace {

KernelConfig config_of(const std::string& how) {
  return gemm_config(how.substr(0, how.find(' ')) +
                     ":tile=128x128x64,stages=4,warpgroups=2x1,cluster=1x1,ctas=1,"
                     "inflight=1,c_slots=2,producer=40," +
                     how.substr(how.find(' ') + 1) + ",raster=grouped_m,group=8");
}

/// Partial sums have 64 KiB. One SM takes 1000 cycles to store them, 2000 to add and 500 to load;
/// 132 SMs at once take twice as long. A hop is 100 cycles at 1 GHz.
GpuSpec round_numbers() {
  GpuSpec gpu = load_gpu("h200_sxm", false).spec;
  const double partial = 128 * 128 * 4;
  gpu.reduction = {.hop = {100e-9},
                   .sm_store = {partial / 1000},
                   .sm_add = {partial / 2000},
                   .sm_load = {partial / 500},
                   .chip_store = {132 * partial / 2000e-9},
                   .chip_add = {132 * partial / 4000e-9}};
  gpu.machine->l2_output = {132 * partial / 1000e-9};
  return gpu;
}

WorkerShare share_of(const WorkDecomposition& work) {
  return busiest_share(work, shared_pieces(work));
}

double reduction_cycles(const std::string& how, const WorkDecomposition& work) {
  const GpuSpec gpu = round_numbers();
  return reduction_time(gpu, config_of(how), Hertz{1e9}, share_of(work), 132).value;
}

TEST_CASE("Stream-K: the busiest worker computes its run, and writes and reads one partial sum") {
  // 9 tiles of 40 blocks on 4 workers: 90 blocks each, with cuts inside tiles 2, 4 and 6.
  const WorkDecomposition work = WorkDecomposition::stream_k(9, 40, 4, 8);
  const WorkerShare share = share_of(work);
  CHECK(share.k_blocks == 90);
  CHECK(share.pieces == Approx(3.25));  // 90 / 40 tiles, plus one piece
  CHECK(share.handed_on == 0.75);       // 3 cuts, 4 workers
  CHECK(share.taken_over == 0.75);
  CHECK(share.ending_together == 1);
}

TEST_CASE("Split-K: the parts of a tile end together in one round, and not over several rounds") {
  const WorkerShare once = share_of(WorkDecomposition::split_k(16, 64, 132, 8));
  CHECK(once.k_blocks == 8);
  CHECK(once.pieces == 1);
  CHECK(once.ending_together == 8);
  // 100 tiles in 2 parts on 132 workers: the busiest runs two.
  const WorkerShare twice = share_of(WorkDecomposition::split_k(100, 64, 132, 2));
  CHECK(twice.k_blocks == 64);
  CHECK(twice.pieces == 2);
  CHECK(twice.ending_together == 1);
}

TEST_CASE("A hybrid adds the whole tiles to the parts") {
  // 140 tiles on 132 workers: 8 tiles are cut into 16 parts of 4 blocks; each worker also has a
  // whole tile.
  const WorkerShare share = share_of(WorkDecomposition::split_k_hybrid(140, 64, 132, 16));
  CHECK(share.k_blocks == 4 + 64);
  CHECK(share.pieces == 2);
}

TEST_CASE(
    "Partial sums are written and read once; with distributed reduction every part writes its "
    "own") {
  // 16 tiles of 64 KiB have 8 parts each: 7 partial sums are passed on, or all 8 are written.
  const WorkDecomposition work = WorkDecomposition::split_k(16, 64, 132, 8);
  constexpr double kPartial = 65536;
  CHECK(partial_sum_bytes(config_of("split_k splits=8,reduction=atomic"), shared_pieces(work))
            .value == 16 * 7 * 2 * kPartial);
  CHECK(partial_sum_bytes(config_of("split_k splits=8,reduction=spread"), shared_pieces(work))
            .value == 16 * 8 * 2 * kPartial);
}

TEST_CASE("A reduction costs its transfers and the hops between SMs") {
  const WorkDecomposition split = WorkDecomposition::split_k(16, 64, 132, 8);
  // All 132 SMs add at once in 4000 cycles, then there are two hops, then one SM loads.
  CHECK(reduction_cycles("split_k splits=8,reduction=atomic", split) ==
        Approx(4000 + 2 * 100 + 500));
  // All SMs store in 2000 cycles, then there are four hops, then all load in 1000 cycles.
  CHECK(reduction_cycles("split_k splits=8,reduction=spread", split) ==
        Approx(2000 + 4 * 100 + 1000));
  // All SMs store once together; then six serial additions of a hop and 2000 cycles each; the last
  // hop; one load.
  CHECK(reduction_cycles("split_k splits=8,reduction=turnstile", split) ==
        Approx(2000 + 100 + 6 * (100 + 2000) + 500));
  // With stream-K pieces end at different times: 3 of 4 workers store one partial sum and load one.
  CHECK(reduction_cycles("stream_k min_k_blocks=8,reduction=turnstile",
                         WorkDecomposition::stream_k(9, 40, 4, 8)) ==
        Approx(0.75 * 1000 + 0.75 * (100 + 500)));
}

TEST_CASE("Without cuts there is no reduction cost") {
  CHECK(reduction_cycles("split_k splits=1,reduction=spread",
                         WorkDecomposition::split_k(16, 64, 132, 1)) == 0);
  CHECK(reduction_cycles("split_k_hybrid splits=4,reduction=spread",
                         WorkDecomposition::split_k_hybrid(132, 64, 132, 4)) == 0);
}

TEST_CASE("Stream-K neighbours are apart in K by a run's distance from whole tiles") {
  CHECK(skew_of_neighbours(WorkDecomposition::stream_k(9, 40, 4, 8)) == 10);  // 90 = 2 * 40 + 10
  CHECK(skew_of_neighbours(WorkDecomposition::stream_k(7, 40, 4, 8)) == 10);  // 70 = 2 * 40 - 10
}

}  // namespace
}  // namespace tilecast
