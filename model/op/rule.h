// A rule that configurations or problems must satisfy, and the message for those that break it.
// Each op has one table of rules: candidates are counted by the kind of the first rule that they
// break, errors print its message, and launches and the library use the same rows.
#pragma once

#include <algorithm>
#include <span>
#include <string_view>
#include <type_traits>

namespace tilecast {

/// Kinds of rules; rejected candidates are counted by them.
enum class Refusal {
  kNone,
  kArchitecture,  // the schedule's instructions belong to another architecture
  kSchedule,      // unsupported cluster, chunks, stages, warpgroups or wgmmas in flight
  kWgmmaShape,    // tile not made of whole wgmmas, or K blocks not of whole swizzle rows
  kTmaBox,        // a bulk copy's box would break the swizzle or the 256-row limit
  kRegisters,     // accumulators exceed a thread's registers, or the threads an SM's
  kSharedMemory,
  kOccupancy,     // shared memory or threads of the requested CTAs per SM do not fit
  kTensorMemory,  // accumulators of the requested CTAs do not fit
  kCluster,       // impossible cluster size
  kSplit,         // K cannot be split this way
  kCompiler,  // known not to compile as intended: spills, serialized wgmma (compiler_rejections.h)
  // The next two belong to memory-bound kernels:
  kBlock,      // unsupported block, stages, warps or vector width
  kAlignment,  // the problem's rows or elements do not fit the vectors or the view
};

std::string_view to_text(Refusal refusal);

/// `Case`: the type that a table's rules examine.
template <class Case>
struct Rule {
  bool (*broken)(const Case&);
  const char* sentence;  // {names} are replaced by values, as in fmt
  Refusal refusal = Refusal::kSchedule;
};

/// Returns the first broken rule, or null.
template <class Case>
const Rule<Case>* first_broken(std::span<const Rule<Case>> rules,
                               const std::type_identity_t<Case>& asked) {
  const auto broken = [&](const Rule<Case>& rule) { return rule.broken(asked); };
  const auto found = std::ranges::find_if(rules, broken);
  return found == rules.end() ? nullptr : &*found;
}

}  // namespace tilecast
