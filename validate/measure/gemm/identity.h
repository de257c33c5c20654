// Is each configuration of a run another kernel than the others? Two texts that differ only in what
// is chosen at launch may come, on one problem, to the same compiled configuration, launch and
// order of tiles: the second is the first under another name, and is skipped.
//
// That a kernel walks another order than its text claims is caught before, by its tile trace
// (timeline/tile_trace.h). Leaves out kernels that differ in code and do the same. Checked by:
// identity_test.cpp.
#pragma once

#include <map>
#include <string>

#include "validate/record/measurement.h"

namespace tilecast {

class IdentityBook {
 public:
  /// Why `row` repeats an earlier one; empty where it does not, and remembered then. `row` has its
  /// point, tile_checksum, shared_memory and ctas; one without them, as cuBLASLt's, repeats
  /// nothing.
  std::string repeated(const Measurement& row);

 private:
  std::map<std::string, std::string> by_run_;  // problem, compiled in, launch and order: its text
};

}  // namespace tilecast
