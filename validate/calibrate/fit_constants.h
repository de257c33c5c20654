// Fits the constants of a GPU file that no micro-benchmark measures in isolation.
//
// These are the constants of the clock. They are fitted through the power model in both regimes,
// with each row's predicted bytes and phases and its measured cycles; constants of cycles are
// measured in isolation, except on GPUs that run kernels with mma.sync alone, on which no
// micro-benchmark runs: there some are fitted to the rows' cycles at measured clocks. Priors are
// the GPU file's numbers, with a width by kind of constant (gpu_fields.cpp). If the file's numbers
// were fitted to the same rows before, standard errors count those rows twice; and they hold for
// these cards only. A constant that the rows do not determine keeps its number.
//
// Excludes: memory-bound kernels (fit_stream.h). Checked by: fit_constants_test.cpp (recovers the
// constants of synthetic rows).
#pragma once

#include <vector>

#include "model/clock/phase_clock.h"
#include "model/spec/load_gpu.h"
#include "validate/calibrate/fit_rows.h"
#include "validate/calibrate/parameter_fit.h"

namespace tilecast {

struct ConstantFit {
  std::vector<FittedConstant> constants;
  int evaluations;  // over all rows
};

/// Changes `gpu` to the fitted numbers. Fits nothing where micro-benchmarks measure them.
ConstantFit fit_cycles(LoadedGpu& gpu, const FitRows& rows, unsigned threads);

/// Changes `gpu` to the fitted numbers. Uses simulations of the rows if given; kernels that cannot
/// be simulated have no cycles in them.
ConstantFit fit_clock(LoadedGpu& gpu, const FitRows& rows,
                      const std::vector<KernelActivity>& simulated, unsigned threads);

/// Log ratio of measured to analytic cycles, at the measured clock.
std::vector<double> cycle_residuals(const GpuSpec& gpu, const FitRows& rows, unsigned threads);

/// Activity of a row's kernel, from the analytic model.
KernelActivity activity_of(const GpuSpec& gpu, const FitRow& row);

/// Modelled clock of a row with the given cycles; `simulated` is null for the analytic model.
ClockState row_clock(const GpuSpec& gpu, const FitRow& row, const KernelActivity* simulated,
                     Cycles cycles);

}  // namespace tilecast
