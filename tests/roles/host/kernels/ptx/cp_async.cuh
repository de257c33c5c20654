// Stands in for kernels/ptx/cp_async.cuh on the host: no number is computed.
#pragma once

#include "model/base/integers.h"

namespace tilecast::ptx {

template <int kBytes>
void cp_async(u32, const void*, u32) {}
inline void cp_async_arrive(u32) {}

}  // namespace tilecast::ptx
