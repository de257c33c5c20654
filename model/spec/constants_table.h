// The table of constants (gpu_fields.h) as a page shows it.
// Checked by: constants_table_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "model/spec/load_gpu.h"

namespace tilecast {

/// A row of Markdown for each number that one of the GPUs has, as the first of them has it: what
/// the file says of it, what the table says, and what measures it.
std::string constants_table(std::vector<LoadedGpu> gpus);

}  // namespace tilecast
