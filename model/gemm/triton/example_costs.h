// Costs of Triton's kernels in round numbers, for tests.
#pragma once

#include <map>
#include <string>

#include "model/gemm/triton/triton_form.h"

namespace tilecast {

inline const std::map<std::string, double> kExampleTritonCosts{
    {"l2_share", 2},         {"row", 1},         {"intake", 64},
    {"mma_rate", 2560},      {"copy", 8},        {"turn_wgmma", 40},
    {"two_warpgroups", 100}, {"turn_mma", 100},  {"mma_step", 12},
    {"copy_step", 8},        {"latency", 1000},  {"dram_latency", 400},
    {"start", 300},          {"accumulator", 2}, {"promotion", 1},
    {"scales", 500},         {"convert", 1},     {"hidden", 0.9},
    {"dram", 0.7},           {"spilled", 9},     {"launch", 5e-6},
    {"warp_step", 25},       {"mma_issue", 1},   {"tile_step", 10},
    {"dram_row", 16},        {"registers", 28},  {"fill", 0.5}};

}  // namespace tilecast
