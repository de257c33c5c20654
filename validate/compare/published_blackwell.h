// What the Triton Gluon tutorials print for Blackwell, as configurations of ours and predictions.
//
// Their kernel waits for each K block's MMAs before it issues the next ones (inflight 0 here), runs
// one tile per CTA column by column, or persistent in chunks or bands, or overlapped with C in
// borrowed B stages; eight warps store where they say eight. cuBLAS's kernel is unknown.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/spec/gpu_spec.h"
#include "model/tile/gemm_problem.h"
#include "model/tile/kernel_config.h"

namespace tilecast {

struct PublishedGemm {
  std::string table;  // rows that stand beside each other there
  GemmProblem problem;
  KernelConfig config;
  double tflops;
};

/// The GEMM rows of Blackwell that have a schedule of ours, in file order. Throws ConfigError
/// `name:line: what was expected`.
std::vector<PublishedGemm> published_blackwell(std::string_view csv, std::string_view name);

/// Predicted over measured, less one: of speed. Under continuous load, as their benchmark runs.
double speed_error(const GpuSpec& gpu, const PublishedGemm& row);

}  // namespace tilecast
