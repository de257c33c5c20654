// Lists all output steps, by kind. A new step is a file and an entry here.
#pragma once

#include "model/gemm/output/amax.h"
#include "model/gemm/output/bias.h"
#include "model/gemm/output/geglu.h"
#include "model/gemm/output/gelu.h"
#include "model/gemm/output/gelu_tanh.h"
#include "model/gemm/output/relu.h"
#include "model/gemm/output/residual.h"
#include "model/gemm/output/scale_c.h"
#include "model/gemm/output/scales.h"
#include "model/gemm/output/silu.h"
#include "model/gemm/output/step_list.h"
#include "model/gemm/output/swiglu.h"

namespace tilecast {

/// Activations are in the order of tilecast_activation (include/tilecast/tilecast.h).
using OutputSteps = StepList<ScaleTensor, ScaleRow, ScaleBlock,          //
                             BiasM, BiasN,                               //
                             Relu, Gelu, GeluTanh, Silu, Swiglu, Geglu,  //
                             Residual,                                   //
                             Amax,                                       //
                             ScaleC>;

/// Returns the number of a step type.
template <class Step>
TILECAST_HD consteval OutputStep step() {
  return {OutputSteps::number_of<Step>()};
}

TILECAST_HD constexpr const StepRow& row_of(OutputStep step) { return OutputSteps::row(step); }

}  // namespace tilecast
