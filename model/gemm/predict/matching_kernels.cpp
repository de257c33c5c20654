#include "model/gemm/predict/matching_kernels.h"

#include <algorithm>

#include "model/base/error.h"
#include "model/gemm/menu/legality.h"

namespace tilecast {

MatchingKernels::Menu& MatchingKernels::menu(const ConfigPattern& pattern, bool dominated) {
  const auto [place, is_new] = menus_.try_emplace({pattern.schedules(), dominated});
  Menu& menu = place->second;
  if (is_new) {
    std::vector<Schedule> own;
    for (const AnySchedule& schedule : pattern.schedules()) {
      own.push_back(std::get<Schedule>(schedule));
    }
    menu.candidates = enumerate_kernels(gpu_, problem_, own, dominated, threads_);
    const std::vector<KernelList::Kernel>& kernels = menu.candidates.legal.kernels;
    menu.texts.resize(kernels.size());
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      menu.by_tile[tile_of(kernels[i].config)].push_back(i);
    }
  }
  return menu;
}

const ConfigTexts& MatchingKernels::Menu::text(std::size_t kernel) {
  ConfigTexts& own = texts[kernel];
  if (own.canonical.empty()) {
    own = ConfigTexts::of(candidates.legal.kernels[kernel].config);
  }
  return own;
}

std::vector<std::size_t> MatchingKernels::Menu::of_tile(const ConfigPattern& pattern) const {
  std::vector<std::size_t> kernels;
  for (const auto& [tile, own] : by_tile) {
    if (pattern.allows(candidates.legal.kernels[own.front()].config.tiling)) {
      kernels.insert(kernels.end(), own.begin(), own.end());
    }
  }
  std::ranges::sort(kernels);
  return kernels;
}

std::vector<KernelConfig> MatchingKernels::Menu::matching(const ConfigPattern& pattern) {
  const KernelList& list = candidates.legal;
  std::vector<KernelConfig> found;
  for (const std::size_t i : of_tile(pattern)) {
    if (!pattern.matches(text(i), true)) {
      continue;
    }
    const KernelList::Kernel& kernel = list.kernels[i];
    for (std::size_t order = kernel.begin; order < kernel.end; ++order) {
      const KernelConfig config = list.candidate(kernel, order);
      if (!pattern.names_order() || pattern.matches(config)) {
        found.push_back(config);
      }
    }
  }
  return found;
}

std::vector<KernelConfig> MatchingKernels::Menu::with_parts(const ConfigPattern& pattern) const {
  std::vector<KernelConfig> found;
  for (const std::size_t i : of_tile(pattern)) {
    KernelConfig config = candidates.legal.kernels[i].config;
    if (pattern.set_on(config) && std::ranges::find(found, config) == found.end()) {
      found.push_back(config);
    }
  }
  std::erase_if(found, [&](const KernelConfig& config) { return !pattern.matches(config); });
  return found;
}

CandidateKernels MatchingKernels::of(const ConfigPattern& pattern) {
  Rejections<KernelConfig> illegal;
  for (const bool dominated : {false, true}) {
    Menu& own = menu(pattern, dominated);
    const Rejections<KernelConfig>& rejections = own.candidates;
    if (own.candidates.legal.kernels.empty()) {
      return own.candidates;
    }
    std::vector<KernelConfig> found = own.matching(pattern);
    if (found.empty()) {
      found = own.with_parts(pattern);
      std::erase_if(found, [&](const KernelConfig& config) {
        const Refusal refusal = check_legal(gpu_, problem_, config);
        if (refusal != Refusal::kNone) {
          illegal.reject(to_text(refusal), config);
        }
        return refusal != Refusal::kNone;
      });
    }
    if (!found.empty()) {
      for (KernelConfig& config : found) {
        config = for_operands(problem_.dtype, config);
      }
      return {rejections, kernels_of(found)};
    }
  }
  if (!illegal.rejected.empty()) {
    const auto most = std::ranges::max_element(illegal.rejected, {},
                                               [](const auto& reason) { return reason.second; });
    throw ConfigError(
        pattern.complaint(why_not_legal(gpu_, problem_, illegal.example.at(most->first))));
  }
  Menu& all = menu(pattern, true);
  for (std::size_t i = 0; i < all.texts.size(); ++i) {
    (void)all.text(i);
  }
  throw ConfigError(pattern.why_none(all.texts));
}

}  // namespace tilecast
