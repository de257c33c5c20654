// Reads a GPU file's tree. A file that is `based_on` another gives what differs: every other number
// is the parent's, in proportion to what its row of gpu_fields.h names.
// Checked by: load_gpu_test.cpp, derived_gpu_test.cpp.
#pragma once

#include "model/spec/load_gpu.h"
#include "model/spec/strict_map.h"

namespace tilecast {

/// `parent`: null unless the file has the key `based_on`. Notes every number's source on the way.
/// Throws ConfigError `file:line: key: what was expected`, for numbers too that are right alone and
/// contradict each other.
LoadedGpu read_gpu(const StrictValue& root, const LoadedGpu* parent);

}  // namespace tilecast
