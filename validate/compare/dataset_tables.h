// What a set of measurements says by itself, with no model: how far the fewest cycles are from the
// fastest, what the order of tiles costs in clock, what each schedule saves in cycles and in
// energy, where cuBLASLt's first choice loses most, and where splitting K pays.
//
// Energy is mean power times time per FLOP, so it exists in the sustained regime only.
// Checked by: dataset_tables_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "validate/compare/measured_groups.h"

namespace tilecast {

/// Markdown, a section for each question that the groups can answer.
std::string dataset_tables(const std::vector<MeasuredGroup>& groups);

}  // namespace tilecast
