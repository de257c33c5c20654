#include "model/analytic/limiter.h"

#include "model/base/words.h"

namespace tilecast {

std::string_view to_text(Limiter limiter) {
  static constexpr Words<Limiter, 7> kLimiters{{{Limiter::kTensor, "tensor"},
                                                {Limiter::kSharedMemory, "shared_memory"},
                                                {Limiter::kSmIntake, "sm_intake"},
                                                {Limiter::kL2, "l2"},
                                                {Limiter::kDram, "dram"},
                                                {Limiter::kLatency, "latency"},
                                                {Limiter::kOverhead, "overhead"}}};
  return word_of(kLimiters, limiter);
}

}  // namespace tilecast
