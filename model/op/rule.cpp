#include "model/op/rule.h"

#include "model/base/words.h"

namespace tilecast {

std::string_view to_text(Refusal refusal) {
  static constexpr Words<Refusal, 14> kRefusals{{{Refusal::kNone, "none"},
                                                 {Refusal::kArchitecture, "architecture"},
                                                 {Refusal::kTensorMemory, "tensor_memory"},
                                                 {Refusal::kSchedule, "schedule"},
                                                 {Refusal::kWgmmaShape, "wgmma_shape"},
                                                 {Refusal::kTmaBox, "tma_box"},
                                                 {Refusal::kRegisters, "registers"},
                                                 {Refusal::kSharedMemory, "shared_memory"},
                                                 {Refusal::kOccupancy, "occupancy"},
                                                 {Refusal::kCluster, "cluster"},
                                                 {Refusal::kSplit, "split"},
                                                 {Refusal::kCompiler, "compiler"},
                                                 {Refusal::kBlock, "block"},
                                                 {Refusal::kAlignment, "alignment"}}};
  return word_of(kRefusals, refusal);
}

}  // namespace tilecast
