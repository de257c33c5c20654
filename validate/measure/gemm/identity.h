// Detects configurations of a run that are the same kernel. Two configurations that differ only in
// launch-time choices may, for one problem, give the same compiled kernel, launch and tile order.
// The second one is then a duplicate and is skipped.
//
// A kernel whose tile order differs from its configuration is detected earlier, by its tile trace
// (timeline/tile_trace.h). Not covered: kernels with different code that do the same. Checked by:
// identity_test.cpp.
#pragma once

#include <map>
#include <string>

#include "validate/record/measurement.h"

namespace tilecast {

class IdentityBook {
 public:
  /// Returns why `row` repeats an earlier row; if it does not, remembers it and returns an empty
  /// string. `row` has its point, tile_checksum, shared_memory and ctas; a row without them, such
  /// as cuBLASLt's, repeats nothing.
  std::string repeated(const Measurement& row);

 private:
  // Configuration by problem, compiled constants, launch and tile order.
  std::map<std::string, std::string> by_run_;
};

}  // namespace tilecast
