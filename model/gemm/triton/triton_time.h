// Predicts the times of Triton's matmuls analytically (triton_form.h), at the clock that their
// power allows. Checked by: triton_time_test.cpp; python/tests/test_triton_data.py.
#pragma once

#include "model/gemm/predict/gemm_question.h"
#include "model/gemm/triton/triton_form.h"

namespace tilecast {

struct TritonTime {
  Seconds time;   // infinite if the kernel's buffers do not fit in shared memory
  Seconds least;  // lower bound on the time, at the highest clock
};

/// Predicts the time. Throws ConfigError if the GPU has no wgmma.
TritonTime triton_time(const GemmQuestion& question, const TritonKernel& kernel,
                       const TritonCosts& costs);

}  // namespace tilecast
