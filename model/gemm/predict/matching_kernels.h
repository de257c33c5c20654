// Finds the candidates of a problem that match partial configurations. A compiler asks with
// hundreds of them, so candidates are enumerated once and found by their tile. Checked by:
// rank_matching_test.cpp.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "model/gemm/menu/candidates.h"
#include "model/ops/config_pattern.h"

namespace tilecast {

/// Not for several threads.
class MatchingKernels {
 public:
  MatchingKernels(const GpuSpec& gpu, const GemmProblem& problem, unsigned threads)
      : gpu_(gpu), problem_(problem), threads_(threads) {}

  /// Returns the matching candidates. If there are none, those of the same tile with the pattern's
  /// other parts, such as a number of stages that no candidate has; of dominated tiles
  /// (candidates.h) only if no others match. Throws a ConfigError that names the first part without
  /// a candidate, or why the kernel is not legal. Without any candidate the list is empty.
  CandidateKernels of(const ConfigPattern& pattern);

 private:
  struct Menu {
    const ConfigTexts& text(std::size_t kernel);
    /// Indices of the kernels with the pattern's tile.
    std::vector<std::size_t> of_tile(const ConfigPattern& pattern) const;
    std::vector<KernelConfig> matching(const ConfigPattern& pattern);
    std::vector<KernelConfig> with_parts(const ConfigPattern& pattern) const;

    CandidateKernels candidates;
    std::map<std::array<i32, 3>, std::vector<std::size_t>> by_tile;  // indices of kernels
    std::vector<ConfigTexts> texts;                                  // of kernels, once needed
  };

  Menu& menu(const ConfigPattern& pattern, bool dominated);

  const GpuSpec& gpu_;
  const GemmProblem& problem_;
  unsigned threads_;
  std::map<std::pair<std::vector<AnySchedule>, bool>, Menu> menus_;
};

}  // namespace tilecast
