#include "model/spec/occupancy.h"

#include <algorithm>

#include "model/base/math.h"

namespace tilecast {
namespace {

constexpr i32 kAllocatedAtOnce = 8;  // allocation granularity of registers per thread, per warp

}  // namespace

i32 allocated_registers(i32 registers_of_thread) {
  return round_up(std::max(registers_of_thread, 1), kAllocatedAtOnce);
}

i32 most_registers(const SmSpec& sm, i32 threads, i32 ctas) {
  const i32 share = sm.registers / (threads * ctas);
  return std::min(share / kAllocatedAtOnce * kAllocatedAtOnce, sm.max_registers_per_thread);
}

i32 ctas_by_shared_memory(const SmSpec& sm, Bytes of_cta) {
  return of_cta > sm.shared_memory_per_cta
             ? 0
             : static_cast<i32>(sm.shared_memory / (of_cta + sm.shared_memory_reserved_per_cta));
}

i32 fitting_ctas(const SmSpec& sm, const CtaNeeds& cta) {
  return std::min({ctas_by_shared_memory(sm, cta.shared_memory),
                   sm.registers / (cta.threads * allocated_registers(cta.registers)),
                   sm.max_threads / cta.threads, sm.max_ctas});
}

}  // namespace tilecast
