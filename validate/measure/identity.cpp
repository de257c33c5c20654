#include "validate/measure/identity.h"

#include <fmt/format.h>

#include "kernels/jit/gemm_kernel.h"
#include "model/base/text.h"
#include "model/tile/any_op.h"
#include "model/tile/kernel_config_text.h"

namespace tilecast {

IdentityFault IdentityBook::check(const Measurement& row) {
  const Point& point = row.point;
  if (row.cubin_hash.empty() || is_cublaslt(point.config) || point.op != Op::kGemm) {
    return {};
  }
  const GemmProblem& problem = point.problem;
  const KernelConfig config = parse_kernel_config(point.config);
  const std::string compiled_in = join(defines_for(config, ProblemKind::of(problem)), " ");
  const auto [known, is_new] =
      by_cubin_.try_emplace(row.cubin_hash, Known{point.config, compiled_in});
  if (known->second.compiled_in != compiled_in) {
    return {Status::kWrong, fmt::format("compiled to the same code as {} ({}), which it is not",
                                        known->second.config, row.cubin_hash)};
  }
  if (row.tile_checksum.empty() || !row.ctas || !row.shared_memory) {
    return {};
  }
  const std::string run =
      fmt::format("{} {} {} {} {} {}", shape_text(problem), row.cubin_hash, row.tile_checksum,
                  *row.ctas, row.shared_memory->value,
                  static_cast<i32>(config.decomposition.reduction));  // chosen at run time
  const auto [same, first] = by_run_.try_emplace(run, point.config);
  if (same->second != point.config) {
    return {Status::kSkipped,
            fmt::format("is {} under another name on this problem: the same code, launch and order "
                        "of tiles",
                        same->second)};
  }
  return {};
}

}  // namespace tilecast
