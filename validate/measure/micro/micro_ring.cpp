#include "validate/measure/micro/micro_ring.h"

#include <algorithm>

#include "kernels/jit/copy_to_device.h"
#include "kernels/jit/tensor_map.h"
#include "model/base/error.h"

namespace tilecast {
namespace {

constexpr u32 kMostSmIds = 1024;

LaunchShape one_cta_per_sm(const MicroLab& lab, u32 shared_bytes) {
  return {.ctas = lab.sm_count(),
          .threads = 32,
          .shared_memory_bytes = std::max(kWholeSm, static_cast<i32>(shared_bytes))};
}

/// Calls `use` with a function that runs the ring once and returns one sample per SM.
template <class Use>
auto with_ring(MicroLab& lab, const RingRun& ring, const Use& use) {
  const DeviceMemory tasks = tasks_on_device(ring.task, ring.groups);
  const char* memory = lab.memory(ring.region * ring.groups);
  LoadedKernel& kernel = lab.kernel("tma_ring");
  const LaunchShape shape = one_cta_per_sm(lab, ring.slots * ring.bytes);
  return use([&] {
    return lab.run(kernel, shape, shape.ctas, memory, static_cast<u64>(ring.region), ring.bytes,
                   ring.slots, ring.loads, static_cast<const SmTask*>(tasks.as<SmTask>()),
                   lab.counter());
  });
}

}  // namespace

DeviceMemory tasks_on_device(const TaskOfSm& task, u32 groups) {
  std::vector<SmTask> tasks(kMostSmIds);
  for (u32 smid = 0; smid < kMostSmIds; ++smid) {
    tasks[smid] = task(smid);
    TILECAST_ASSERT(tasks[smid].active == 0 || tasks[smid].group < groups);
  }
  DeviceMemory device(kMostSmIds * sizeof(SmTask));
  copy_to_device(device.as<void>(), std::span<const SmTask>(tasks));
  return device;
}

std::vector<TimedSample> run_ring_by_sm(MicroLab& lab, const RingRun& ring) {
  return with_ring(lab, ring, [](const auto& run) {
    run();
    return run();
  });
}

std::vector<TimedSample> run_ring(MicroLab& lab, const RingRun& ring, int repeats) {
  return with_ring(
      lab, ring, [&](const auto& run) { return repeated(repeats, [&] { return joined(run()); }); });
}

std::vector<TimedSample> run_boxes(MicroLab& lab, const BoxRun& run, int repeats) {
  constexpr i32 kBoxColumns = 64, kRowBytes = 128;
  const DeviceMemory tasks = tasks_on_device(run.task, run.ranges);
  const i64 columns = i64{run.range} * run.ranges;
  const char* memory = lab.memory(static_cast<std::size_t>(columns * run.rows * 2));
  const TensorMap map = make_tensor_map(
      {.pointer = memory, .rows = run.rows, .columns = columns, .dtype = ElementType::kFp16},
      {.columns = kBoxColumns, .rows = run.box_rows, .swizzle_bytes = kRowBytes});
  const u32 bytes = static_cast<u32>(run.box_rows * kRowBytes);
  LoadedKernel& kernel = lab.kernel("tma_box");
  const LaunchShape shape = one_cta_per_sm(lab, run.slots * run.boxes * bytes);
  return repeated(repeats, [&] {
    return joined(lab.run(kernel, shape, shape.ctas, map, bytes, run.boxes, run.slots, run.turns,
                          run.range, run.row, static_cast<const SmTask*>(tasks.as<SmTask>()),
                          lab.counter()));
  });
}

}  // namespace tilecast
