// The kernels that are proposed for a problem, sifted by legality: each in the orders of tiles that
// differ, and with the splits of K that can pay.
// Checked by: predict_test.cpp, legality_test.cpp.
#pragma once

#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "model/predict/candidates.h"

namespace tilecast {

class Proposals {
 public:
  /// `all`: those too that never pay.
  Proposals(const GpuSpec& gpu, const GemmProblem& asked, OperandOrder operands, bool all);

  bool swaps_operands() const { return operands_ == OperandOrder::kSwapped; }
  /// As the kernels run it.
  const GemmProblem& problem() const { return problem_; }

  /// Beside what smem_layout lays out.
  i32 table_bytes() const;
  i32 scale_bytes_of_stage(const Tiling& tiling) const;

  void add_orders(const KernelConfig& config);
  void add_one(const KernelConfig& config);

  CandidateKernels take() { return std::move(candidates_); }

 private:
  void add_rasters(KernelConfig config);
  void add_splits(KernelConfig config);
  void add_reductions(KernelConfig config, i32 splits, i32 parts);

  bool accepted(const KernelConfig& config);
  void reject(std::string_view reason, const KernelConfig& config);
  KernelConfig of_operands(KernelConfig config) const;
  bool never_pays(const KernelConfig& config) const;

  void add(const KernelConfig& config, std::span<const Raster> rasters);
  /// A kernel whose orders follow.
  std::vector<Raster>& begin(const KernelConfig& config);
  void end();

  const GpuSpec& gpu_;
  const GemmProblem& asked_;
  OperandOrder operands_;
  GemmProblem problem_;  // as it is run
  bool all_;
  i64 rows_of_product_;  // or of the largest group
  CandidateKernels candidates_;
};

}  // namespace tilecast
