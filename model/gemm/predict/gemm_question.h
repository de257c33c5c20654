// Input of a GEMM prediction.
#pragma once

#include "model/gemm/problem/gemm_problem.h"
#include "model/rank/question.h"

namespace tilecast {

using GemmQuestion = OpQuestion<GemmProblem>;

}  // namespace tilecast
