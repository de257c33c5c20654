#include "validate/measure/micro_ring.h"

#include <algorithm>

#include "model/base/error.h"

namespace tilecast {

std::vector<TimedSample> run_ring(MicroLab& lab, const RingRun& ring, int repeats) {
  constexpr u32 kMostSmIds = 1024;
  std::vector<SmTask> tasks(kMostSmIds);
  for (u32 smid = 0; smid < kMostSmIds; ++smid) {
    tasks[smid] = ring.task(smid);
    TILECAST_ASSERT(tasks[smid].active == 0 || tasks[smid].group < ring.groups);
  }
  const DeviceMemory device_tasks(kMostSmIds * sizeof(SmTask));
  TILECAST_CUDA(cudaMemcpy(device_tasks.as<void>(), tasks.data(), kMostSmIds * sizeof(SmTask),
                           cudaMemcpyHostToDevice));
  const char* memory = lab.memory(ring.region * ring.groups);
  LoadedKernel& kernel = lab.kernel("tma_ring");
  const LaunchShape shape{
      .ctas = lab.sm_count(),
      .threads = 32,
      .shared_memory_bytes = std::max(kWholeSm, static_cast<i32>(ring.slots * ring.bytes)),
      .cluster_size = ring.cluster_size};
  const auto run = [&] {
    const std::vector<TimedSample> sms = lab.run(
        kernel, shape, shape.ctas, memory, static_cast<u64>(ring.region), ring.bytes, ring.slots,
        ring.loads, static_cast<const SmTask*>(device_tasks.as<SmTask>()), lab.counter());
    return joined(sms);
  };
  run();
  return repeated(repeats, run);
}

}  // namespace tilecast
