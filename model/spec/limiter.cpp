#include "model/spec/limiter.h"

#include <algorithm>
#include <utility>

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

Limiter limiter_of(const Shares& busy, Limiter by_form) {
  constexpr double kMostOfTheTime = 0.7;
  const std::pair<double, Limiter> shares[] = {{busy.tensor, Limiter::kTensor},
                                               {busy.shared_memory, Limiter::kSharedMemory},
                                               {busy.sm_intake, Limiter::kSmIntake},
                                               {busy.l2, Limiter::kL2},
                                               {busy.dram, Limiter::kDram}};
  const auto [share, busiest] = *std::ranges::max_element(shares);
  return share >= kMostOfTheTime ? busiest : by_form;
}

}  // namespace tilecast
