// What the Triton Gluon tutorials print for Blackwell (published.h), as predictions.
//
// Their kernel waits for each K block's MMAs before it issues the next ones (inflight 0 here), runs
// one tile per CTA column by column, or persistent in chunks or bands, or overlapped with C in
// borrowed B stages; eight warps store where they say eight. All of their warps, and not one as
// here, wait for each K block's operands and for its MMAs: eight of them take a little longer to
// wake than four, which is put on who issues. cuBLAS's kernel is unknown.
#pragma once

#include <vector>

#include "model/predict/prediction.h"
#include "model/spec/gpu_spec.h"
#include "validate/compare/published.h"

namespace tilecast {

/// The speeds of GEMMs on this GPU that have a schedule of ours, in their order.
std::vector<PublishedFigure> modelled_gemms(const std::vector<PublishedFigure>& figures,
                                            std::string_view gpu);

/// Relative error of the speed, predicted / published - 1. Under continuous load, as their
/// benchmark runs.
double speed_error(const GpuSpec& gpu, const PublishedFigure& figure, Method method);

}  // namespace tilecast
