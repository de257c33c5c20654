#include "model/spec/limiter.h"

#include "model/base/words.h"

namespace tilecast {

namespace {

constexpr Words<Limiter, 10> kLimiters{{{Limiter::kTensor, "tensor"},
                                        {Limiter::kSharedMemory, "shared_memory"},
                                        {Limiter::kSmIntake, "sm_intake"},
                                        {Limiter::kL2, "l2"},
                                        {Limiter::kDram, "dram"},
                                        {Limiter::kLatency, "latency"},
                                        {Limiter::kInstructions, "instructions"},
                                        {Limiter::kEpilogue, "epilogue"},
                                        {Limiter::kReduction, "reduction"},
                                        {Limiter::kLaunch, "launch"}}};

}  // namespace

std::string_view to_text(Limiter limiter) { return word_of(kLimiters, limiter); }

Limiter parse_limiter(std::string_view text) { return value_of(kLimiters, "limiter", text); }

}  // namespace tilecast
