// Reads a GPU file's tree. A file `based_on` another gives only the numbers that differ; the others
// are the parent's, scaled as their rows in gpu_fields.h specify. Checked by: load_gpu_test.cpp,
// derived_gpu_test.cpp.
#pragma once

#include "model/spec/load_gpu.h"
#include "model/spec/strict_map.h"

namespace tilecast {

/// `parent` is null unless the file has the key `based_on`. Records every number's source. Throws
/// ConfigError `file:line: key: expectation`, also for numbers that contradict each other.
LoadedGpu read_gpu(const StrictValue& root, const LoadedGpu* parent);

}  // namespace tilecast
