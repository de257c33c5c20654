// Result of the kernel that checks groups on the device (check_groups.cu). Compiled by NVRTC and by
// the host code that launches it.
#pragma once

#include "model/base/integers.h"

namespace tilecast {

constexpr i32 kGroupCheckThreads = 256;  // threads of its only CTA
constexpr i32 kNoGroup = 0x7fffffff;

struct GroupFault {
  i32 group;        // first invalid group, or kNoGroup
  i32 given;        // count of that group
  i32 least, most;  // valid range of the count
};

}  // namespace tilecast
