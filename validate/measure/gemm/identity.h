// Detects configurations of a run that are the same kernel. Two texts that differ only in
// launch-time choices may give, on one problem, the same compiled configuration, launch and tile
// order: the second is then a duplicate and is skipped.
//
// A kernel whose tile order differs from its text is detected earlier, by its tile trace
// (timeline/tile_trace.h). Leaves out kernels that differ in code and do the same. Checked by:
// identity_test.cpp.
#pragma once

#include <map>
#include <string>

#include "validate/record/measurement.h"

namespace tilecast {

class IdentityBook {
 public:
  /// Why `row` repeats an earlier one; empty if it does not, and remembered then. `row` has its
  /// point, tile_checksum, shared_memory and ctas; one without them, as cuBLASLt's, repeats
  /// nothing.
  std::string repeated(const Measurement& row);

 private:
  std::map<std::string, std::string> by_run_;  // problem, compiled in, launch and order: its text
};

}  // namespace tilecast
