// CTAs that fit on an SM by threads, registers, shared memory and the limit on CTAs, for kernels of
// any op. Checked by: occupancy_test.cpp, and against the device by every
// measured row (column ctas_per_sm).
#pragma once

#include "model/spec/gpu_spec.h"

namespace tilecast {

/// What a CTA takes of an SM.
struct CtaNeeds {
  i32 threads;
  i32 registers;  // of a thread
  Bytes shared_memory;
};

/// As the hardware allocates them, by warp.
i32 allocated_registers(i32 registers_of_thread);
/// Most that a thread can have where `ctas` CTAs of `threads` are to fit.
i32 most_registers(const SmSpec& sm, i32 threads, i32 ctas);
/// By shared memory alone; 0 where it is more than a CTA can ask for.
i32 ctas_by_shared_memory(const SmSpec& sm, Bytes of_cta);
/// By every limit; 0 where not even one fits.
i32 fitting_ctas(const SmSpec& sm, const CtaNeeds& cta);

}  // namespace tilecast
