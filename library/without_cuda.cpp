// Stubs for a library that only forecasts.
#include "library/device_plan.h"
#include "library/timed_runs.h"
#include "model/base/error.h"

namespace tilecast {
namespace {

[[noreturn]] void refuse() { throw DeviceError("this libtilecast was built without CUDA"); }

}  // namespace

CurrentGpu current_gpu() { refuse(); }

std::unique_ptr<DevicePlan<tilecast_arguments>> make_device_plan(const GemmRequest&,
                                                                 const KernelConfig&) {
  refuse();
}
std::unique_ptr<DevicePlan<tilecast_attention_arguments>> make_device_plan(const AttentionRequest&,
                                                                           const AttentionConfig&) {
  refuse();
}

std::unique_ptr<TimedRuns> make_timed_runs(const Plan&, const RunWith&, int) { refuse(); }

void wait_for(void*) { refuse(); }

}  // namespace tilecast
