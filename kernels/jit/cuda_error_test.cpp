#include "kernels/jit/cuda_error.h"

#include "kernels/jit/device.h"
#include "tests/catch.h"

namespace tilecast {
namespace {

constexpr int kRuntime = 13000;

std::string error_of(cudaError_t error) {
  try {
    TILECAST_CUDA(error);
  } catch (const CudaError& caught) {
    CHECK(caught.error() == error);
    return caught.what();
  }
  return "none";
}

}  // namespace

TEST_CASE("A missing driver, an old one and a missing GPU are distinguished") {
  CHECK(machine_problem(cudaErrorInsufficientDriver, 0, kRuntime) ==
        "no NVIDIA driver is installed");
  CHECK(machine_problem(cudaErrorInsufficientDriver, 12040, kRuntime) ==
        "the NVIDIA driver is too old: it supports CUDA 12.4, this program needs 13.0");
  CHECK(machine_problem(cudaErrorNoDevice, kRuntime, kRuntime) ==
        "no NVIDIA GPU is visible (see CUDA_VISIBLE_DEVICES)");
  CHECK(!machine_problem(cudaErrorInvalidValue, kRuntime, kRuntime).has_value());
  CHECK(!machine_problem(cudaErrorLaunchFailure, 0, kRuntime).has_value());
}

TEST_CASE("A machine without a usable GPU throws DeviceError with exit code 3") {
  try {
    TILECAST_CUDA(cudaErrorNoDevice);
    FAIL("no error");
  } catch (const DeviceError& error) {
    CHECK(error.code() == ExitCode::kNoDevice);
  }
}

TEST_CASE("Any other error names the place, the call and CUDA's reason") {
  const std::string message = error_of(cudaErrorInvalidValue);
  INFO(message);
  CHECK(contains(message, "cuda_error_test.cpp:"));
  CHECK(contains(message, ": error: invalid argument (cudaErrorInvalidValue)"));
  CHECK_NOTHROW([] { TILECAST_CUDA(cudaSuccess); }());
}

TEST_CASE("The device is described or its absence is a DeviceError") {
  int count = 0;
  if (cudaGetDeviceCount(&count) == cudaSuccess && count > 0) {
    CHECK(current_device().sm_count > 0);
  } else {
    CHECK_THROWS_AS(current_device(), DeviceError);
    CHECK_THROWS_AS(require_hopper(), DeviceError);
  }
}

}  // namespace tilecast
