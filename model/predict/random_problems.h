// Random GEMMs of every kind that has kernels, for tests and `tilecast-gpu compile --random`:
// types, layouts, epilogues, scales, types of C, batches, groups along M and along K, and sides
// from 1 to 32,768, both odd and aligned.
#pragma once

#include <cstddef>
#include <vector>

#include "model/spec/gpu_spec.h"
#include "model/tile/gemm_problem.h"

namespace tilecast {

/// `count` problems that the GPU can solve (why_not_solvable). The same seed gives the same
/// problems on every machine; a longer list begins with the shorter one.
std::vector<GemmProblem> random_problems(const GpuSpec& gpu, unsigned seed, std::size_t count);

}  // namespace tilecast
