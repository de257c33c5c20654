#include "validate/measure/gemm/identity.h"

#include <fmt/format.h>

#include "kernels/jit/gemm_source.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/gemm/problem/problem_text.h"

namespace tilecast {

std::string IdentityBook::repeated(const Measurement& row) {
  const Point& point = row.point;
  const GemmProblem* const problem = std::get_if<GemmProblem>(&point.problem);
  if (problem == nullptr || row.tile_checksum.empty() || !row.ctas || !row.shared_memory) {
    return "";
  }
  const KernelConfig config = parse_kernel_config(point.config);
  const std::string run = fmt::format(
      "{} {} {} {} {} {}", shape_text(*problem), config_text(config, ProblemKind::of(*problem)),
      row.tile_checksum, *row.ctas, row.shared_memory->value,
      static_cast<i32>(config.decomposition.reduction));  // chosen at run time
  const auto [same, first] = by_run_.try_emplace(run, point.config);
  return same->second == point.config
             ? ""
             : fmt::format(
                   "is identical to {} on this problem: same code, launch and order of tiles",
                   same->second);
}

}  // namespace tilecast
