// A rule that configurations or problems must keep, and the message for those that break it. An op
// has one table of rules: candidates are counted by the kind of the first rule that they break,
// errors print its message, and launches and the library read the same rows.
#pragma once

#include <algorithm>
#include <span>
#include <string_view>
#include <type_traits>

namespace tilecast {

/// Kinds of rules; rejected candidates are counted by them.
enum class Refusal {
  kNone,
  kArchitecture,  // the schedule's instructions are another architecture's
  kSchedule,      // clusters, chunks, stages, warpgroups or wgmmas in flight that it does not take
  kWgmmaShape,    // tile not made of whole wgmmas, or K blocks not of whole swizzle rows
  kTmaBox,        // a bulk copy's box would break the swizzle or the 256-row limit
  kRegisters,     // accumulators do not fit their threads, or the threads an SM
  kSharedMemory,
  kOccupancy,     // the promised CTAs per SM do not fit
  kTensorMemory,  // accumulators of the promised CTAs do not fit
  kCluster,       // CTAs that no cluster has
  kSplit,         // K cannot be split so
  kCompiler,  // known not to compile as intended: spills, serialized wgmma (compiler_rejections.h)
  // The memory-bound family:
  kBlock,      // unsupported block, stages, warps or vector width
  kAlignment,  // the problem's rows or elements do not fit the vectors or the view
};

std::string_view to_text(Refusal refusal);

/// `Case`: all that the rules of a table ask.
template <class Case>
struct Rule {
  bool (*broken)(const Case&);
  const char* sentence;  // {names} stand for values, as of fmt
  Refusal refusal = Refusal::kSchedule;
};

/// The first broken rule, or null.
template <class Case>
const Rule<Case>* first_broken(std::span<const Rule<Case>> rules,
                               const std::type_identity_t<Case>& asked) {
  const auto broken = [&](const Rule<Case>& rule) { return rule.broken(asked); };
  const auto found = std::ranges::find_if(rules, broken);
  return found == rules.end() ? nullptr : &*found;
}

}  // namespace tilecast
