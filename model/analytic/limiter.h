// What bounds a kernel, and how busy each resource is.
#pragma once

#include <string_view>

namespace tilecast {

/// What the kernel waits for most. kLatency: loads in flight too few, or the warpgroups' own
/// instructions too many, for the size of a K block; kOverhead: launch, prologue, epilogue and tail
/// together outweigh the main loop.
enum class Limiter { kTensor, kSharedMemory, kSmIntake, kL2, kDram, kLatency, kOverhead };

std::string_view to_text(Limiter limiter);
/// Throws ConfigError that lists the known words.
Limiter parse_limiter(std::string_view text);

/// Busy fraction of each resource over the kernel's time, 0 to 1.
struct Shares {
  double tensor, shared_memory, l2, dram;
};

}  // namespace tilecast
