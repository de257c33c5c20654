// Fits the constants of a GPU file that no micro-benchmark measures alone.
//
// Those of the clock, by the power model with each row's predicted bytes and phases and measured
// cycles, in both regimes; what cycles are made of is measured alone. Priors are the GPU file's
// numbers, as wide as was thought likely by kind of constant (gpu_fields.cpp); where the file's
// numbers were fitted to the same rows before, standard errors count those rows twice, and hold for
// these rows alone: another card's differ by more. A constant that the rows say nothing of keeps
// its number.
//
// Leaves out: memory-bound kernels (fit_stream.h).
// Checked by: fit_constants_test.cpp (constants that made synthetic rows are found again).
#pragma once

#include <vector>

#include "model/clock/phase_clock.h"
#include "model/spec/load_gpu.h"
#include "validate/calibrate/fit_rows.h"
#include "validate/calibrate/parameter_fit.h"

namespace tilecast {

struct ConstantFit {
  std::vector<FittedConstant> constants;
  int evaluations;  // of all rows
};

/// Changes `gpu` to the fitted numbers, with what simulations say of the rows, if there are any; of
/// a kernel that cannot be simulated no cycles.
ConstantFit fit_clock(LoadedGpu& gpu, const FitRows& rows,
                      const std::vector<KernelActivity>& simulated, unsigned threads);

/// Logarithm of measured over closed-form cycles, at the measured clock.
std::vector<double> cycle_residuals(const GpuSpec& gpu, const FitRows& rows, unsigned threads);

/// Of a row by closed form.
KernelActivity activity_of(const GpuSpec& gpu, const FitRow& row);

/// The clock by the model of a row in so many cycles; `simulated`: null for closed forms.
ClockState row_clock(const GpuSpec& gpu, const FitRow& row, const KernelActivity* simulated,
                     Cycles cycles);

}  // namespace tilecast
