// One measuring process on a GPU at a time: an advisory lock on a file named by the GPU's UUID, so
// that it holds for all users of the machine and ends with the process, however that ends. Children
// forked while it is held hold it too.
//
// Leaves out: containers that do not share the folder, and programs that are not tilecast.
// Checked by: gpu_lock_test.cpp.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>

namespace tilecast {

class GpuLock {
 public:
  /// `holder` is what another process is told holds the GPU. Waits a little for a process that is
  /// just ending; then throws DeviceError with one line that names the holder, or FileError where
  /// there can be no lock file.
  GpuLock(const std::string& gpu_uuid, const std::string& holder,
          const std::filesystem::path& folder = "/tmp",
          std::chrono::milliseconds patience = std::chrono::seconds(3));
  ~GpuLock();
  GpuLock(const GpuLock&) = delete;
  GpuLock& operator=(const GpuLock&) = delete;

 private:
  int descriptor_ = -1;
};

}  // namespace tilecast
