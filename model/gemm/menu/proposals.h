// Proposes kernels for a problem, filtered by legality: each in its distinct tile orders, and with
// the useful splits of K. Checked by: predict_test.cpp, legality_test.cpp.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/gemm/menu/candidates.h"

namespace tilecast {

/// Options that extend the search beyond one configuration per useful kernel.
struct Breadth {
  bool unprofitable = false;   // include dominated configurations
  bool every_name = false;     // include aliases of other configurations
  bool streams_all = true;     // also propose stream_k, which equals some of its hybrids
  bool splits_equally = true;  // also propose split_k, which equals some of stream_k
};

class Proposals {
 public:
  Proposals(const GpuSpec& gpu, const GemmProblem& asked, OperandOrder operands,
            const Breadth& breadth);

  const Breadth& breadth() const { return breadth_; }
  bool swaps_operands() const { return operands_ == OperandOrder::kSwapped; }
  /// Returns the problem as kernels run it (swapped_operands.h).
  const GemmProblem& problem() const { return problem_; }

  /// Bytes in addition to smem_layout.
  i32 table_bytes() const;
  i32 scale_bytes_of_stage(const Tiling& tiling) const;

  void add_orders(const KernelConfig& config);
  void add_one(const KernelConfig& config);

  CandidateKernels take() { return std::move(candidates_); }

 private:
  void add_rasters(KernelConfig config);
  void add_splits(KernelConfig config);
  void add_paying_splits(const KernelConfig& config, i64 tiles, i64 k_blocks, i64 resident);
  void add_reductions(KernelConfig config, i32 splits, i32 parts);

  bool accepted(const KernelConfig& config);
  void reject(std::string_view reason, const KernelConfig& config);
  KernelConfig of_operands(KernelConfig config) const;
  bool never_pays(const KernelConfig& config) const;

  void add(const KernelConfig& config, std::span<const Raster> rasters);

  const GpuSpec& gpu_;
  const GemmProblem& asked_;
  OperandOrder operands_;
  GemmProblem problem_;  // the problem as run
  Breadth breadth_;
  i64 rows_of_product_;  // rows of the GEMM or of the largest group
  CandidateKernels candidates_;
  // the current kernel's tile orders, normalized and as proposed; members so that their memory is
  // reused
  std::vector<Raster> seen_, orders_;
};

/// Returns the message for a reason in Rejections::rejected.
std::string why_rejected(const GpuSpec& gpu, const GemmProblem& problem, std::string_view reason,
                         const KernelConfig& config);

}  // namespace tilecast
