// The lock of a file's one writer, which ends with the process that holds it.
//
// An open file description's lock (F_OFD_SETLK): others may ask whether it is held without taking
// it, so that looking at a file never turns away the run that is about to add to it. It holds
// between hosts wherever the file system keeps POSIX locks. Checked by: writer_lock_test.cpp,
// tests/scripts/fleet.sh.
#pragma once

#include <filesystem>

namespace tilecast {

/// Takes the lock through a descriptor that is open for writing; false where another has it. Throws
/// FileError naming `path` where the file system has no locks.
bool lock_for_writing(int descriptor, const std::filesystem::path& path);

/// Whether somebody has the lock, this process included.
bool is_locked_for_writing(const std::filesystem::path& path);

}  // namespace tilecast
