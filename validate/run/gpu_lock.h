// Allows one measuring process per GPU: an advisory lock on a file named by the GPU's UUID. It
// applies to all users of the machine and ends with the process and children forked while it was
// held.
//
// Not covered: containers that do not share the folder, and programs other than tilecast. Checked
// by: gpu_lock_test.cpp.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>

namespace tilecast {

class GpuLock {
 public:
  /// `holder` is shown to other processes as the owner of the lock. Waits briefly for a process
  /// that is just ending, then throws a DeviceError that names the holder, or FileError if the lock
  /// file cannot be created.
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
