// Computes resident CTAs per SM for kernels of any op, as limited by threads, registers, shared
// memory and the maximum number of CTAs. Checked by: occupancy_test.cpp, and by column ctas_per_sm
// of every measurement.
#pragma once

#include "model/spec/gpu_spec.h"

namespace tilecast {

/// Resources of one CTA.
struct CtaNeeds {
  i32 threads;
  i32 registers;  // registers per thread
  Bytes shared_memory;
};

/// Rounds up to the hardware's allocation unit per warp.
i32 allocated_registers(i32 registers_of_thread);
/// Maximum number of registers per thread such that `ctas` CTAs of `threads` threads fit.
i32 most_registers(const SmSpec& sm, i32 threads, i32 ctas);
/// Number of CTAs that shared memory allows; 0 if a CTA needs more than its limit.
i32 ctas_by_shared_memory(const SmSpec& sm, Bytes of_cta);
/// Number of CTAs that all limits allow; 0 if not even one fits.
i32 fitting_ctas(const SmSpec& sm, const CtaNeeds& cta);

}  // namespace tilecast
