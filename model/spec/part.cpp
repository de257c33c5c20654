#include "model/spec/part.h"

#include "model/base/words.h"

namespace tilecast {

std::string_view to_text(Part part) {
  static constexpr Words<Part, 10> kParts{{{Part::kTensor, "tensor"},
                                           {Part::kOperandReads, "shared_memory"},
                                           {Part::kIntake, "sm_intake"},
                                           {Part::kL2Output, "l2"},
                                           {Part::kDram, "dram"},
                                           {Part::kLatency, "latency"},
                                           {Part::kInstructions, "instructions"},
                                           {Part::kEpilogue, "epilogue"},
                                           {Part::kReduction, "reduction"},
                                           {Part::kLaunch, "launch"}}};
  return word_of(kParts, part);
}

}  // namespace tilecast
