// The H200 from its GPU file, loaded once per program.
#pragma once

#include "model/spec/load_gpu.h"

namespace tilecast {

inline const GpuSpec& h200() {
  static const GpuSpec gpu = load_gpu("h200_sxm", false).spec;
  return gpu;
}
inline const GpuSpec& calibrated_h200() {
  static const GpuSpec gpu = load_gpu("h200_sxm", true).spec;
  return gpu;
}

}  // namespace tilecast
