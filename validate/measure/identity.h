// Is each configuration of a run really another kernel than the others? Catches
//   - two configurations whose texts differ in what is compiled in, but whose cubins are equal: one
//     of them ran the other's code (a cache key that leaves something out): wrong;
//   - two texts that differ only in what is chosen at launch and come, on this problem, to the same
//     cubin, the same launch and the same tiles in the same order: the second is the first under
//     another name, and is skipped.
// That a kernel walks another order than its text claims is caught before, by its tile trace
// (timeline/tile_trace.h). Leaves out kernels that differ in code and do the same. Checked by:
// identity_test.cpp.
#pragma once

#include <map>
#include <string>

#include "validate/record/measurement.h"

namespace tilecast {

/// What is not as the text says, and how the row ends.
struct IdentityFault {
  Status status = Status::kOk;
  std::string reason;  // empty where nothing is wrong
};

class IdentityBook {
 public:
  /// `row` has its point, cubin_hash, tile_checksum, shared_memory and ctas. Remembers it where
  /// nothing is wrong. cuBLASLt's rows and rows without a hash are never at fault.
  IdentityFault check(const Measurement& row);

 private:
  struct Known {
    std::string config, compiled_in;
  };
  std::map<std::string, Known> by_cubin_;      // of one dtype and layout
  std::map<std::string, std::string> by_run_;  // problem, cubin, launch and order: its text
};

}  // namespace tilecast
