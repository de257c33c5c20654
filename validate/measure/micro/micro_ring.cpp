#include "validate/measure/micro/micro_ring.h"

#include <algorithm>

#include "kernels/jit/copy_to_device.h"
#include "kernels/jit/tensor_map.h"
#include "model/base/error.h"

namespace tilecast {
namespace {

constexpr u32 kMostSmIds = 1024;

/// One CTA on every SM, or as many as whole clusters have room for.
LaunchShape one_cta_per_sm(const MicroLab& lab, LoadedKernel& kernel, i32 shared_bytes,
                           i32 cluster_size) {
  LaunchShape shape{.ctas = lab.sm_count(),
                    .threads = 32,
                    .shared_memory_bytes = std::max(kWholeSm, shared_bytes),
                    .cluster_size = cluster_size};
  if (cluster_size > 1) {
    kernel.allow_shared_memory(shape.shared_memory_bytes);
    LaunchShape one = shape;
    one.ctas = static_cast<u32>(cluster_size);
    shape.ctas = static_cast<u32>(kernel.resident_clusters(one) * cluster_size);
  }
  return shape;
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

namespace {

/// Calls `use` with a function that runs the ring once and returns a sample of each SM.
template <class Use>
auto with_ring(MicroLab& lab, const RingRun& ring, const Use& use) {
  const DeviceMemory tasks = tasks_on_device(ring.task, ring.groups);
  const char* memory = lab.memory(ring.region * ring.groups);
  LoadedKernel& kernel = lab.kernel("tma_ring");
  const LaunchShape shape =
      one_cta_per_sm(lab, kernel, static_cast<i32>(ring.slots * ring.bytes), ring.cluster_size);
  return use([&] {
    if (ring.before) {
      ring.before();
    }
    return lab.run(kernel, shape, shape.ctas, memory, static_cast<u64>(ring.region), ring.bytes,
                   ring.slots, ring.loads, static_cast<const SmTask*>(tasks.as<SmTask>()),
                   lab.counter());
  });
}

}  // namespace

std::vector<TimedSample> run_ring_by_sm(MicroLab& lab, const RingRun& ring) {
  return with_ring(lab, ring, [](const auto& run) {
    run();
    return run();
  });
}

std::vector<TimedSample> run_ring(MicroLab& lab, const RingRun& ring, int repeats) {
  return with_ring(lab, ring, [&](const auto& run) {
    run();
    return repeated(repeats, [&] { return joined(run()); });
  });
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
  const LaunchShape shape =
      one_cta_per_sm(lab, kernel, static_cast<i32>(run.slots * run.boxes * bytes), 1);
  const auto once = [&] {
    return joined(lab.run(kernel, shape, shape.ctas, map, bytes, run.boxes, run.slots, run.turns,
                          run.range, run.row, static_cast<const SmTask*>(tasks.as<SmTask>()),
                          lab.counter()));
  };
  once();
  return repeated(repeats, once);
}

BackgroundReads::BackgroundReads(MicroLab& lab, const char* memory, u32 active, u32 loads)
    : lab_(lab),
      memory_(memory),
      loads_(loads),
      tasks_(tasks_on_device(
          [active, sms = lab.sm_count()](u32 smid) -> SmTask {
            const bool works = smid < sms && is_one_of(smid, active, sms / active);
            return {works ? 1u : 0u, 0, works ? smid / (sms / active) : 0, active};
          },
          1)),
      counter_(sizeof(u32)),
      samples_(lab.sm_count() * sizeof(TimedSample)) {}

void BackgroundReads::start() {
  LoadedKernel& kernel = lab_.kernel("tma_ring");
  TILECAST_CUDA(cudaMemsetAsync(counter_.as<void>(), 0, sizeof(u32), stream_.get()));
  u64 region = kBackgroundRegion;
  u32 bytes = 8192, slots = 16;
  SmTask* tasks = tasks_.as<SmTask>();
  u32* counter = counter_.as<u32>();
  TimedSample* samples = samples_.as<TimedSample>();
  void* arguments[] = {&memory_, &region, &bytes, &slots, &loads_, &tasks, &counter, &samples};
  const LaunchShape shape{.ctas = lab_.sm_count(), .threads = 32, .shared_memory_bytes = kWholeSm};
  kernel.allow_shared_memory(shape.shared_memory_bytes);
  kernel.launch(shape, arguments, stream_.get());
}

TimedSample BackgroundReads::finish() {
  return joined(copy_to_host(samples_.as<TimedSample>(), lab_.sm_count(), stream_.get()));
}

}  // namespace tilecast
