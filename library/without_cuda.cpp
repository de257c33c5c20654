// The library that only forecasts.
#include "library/device_plan.h"
#include "model/base/error.h"

namespace tilecast {
namespace {

[[noreturn]] void refuse() { throw DeviceError("this libtilecast was built without CUDA"); }

}  // namespace

CurrentGpu current_gpu() { refuse(); }

std::unique_ptr<DevicePlan> make_device_plan(const Request&, const KernelConfig&) { refuse(); }

}  // namespace tilecast
