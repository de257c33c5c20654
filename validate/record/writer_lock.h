// Exclusive write lock on a file, released when the process ends.
//
// Uses open file description locks (F_OFD_SETLK): others can test the lock without taking it, so
// reading a file's state never disturbs a run that is about to append to it. Works between hosts on
// file systems with POSIX locks. Checked by: writer_lock_test.cpp, tests/scripts/fleet.sh.
#pragma once

#include <filesystem>
#include <string_view>

namespace tilecast {

/// Takes the lock through a descriptor open for writing; false if another holder has it. Throws
/// FileError naming `path` if the file system does not support locks.
bool lock_for_writing(int descriptor, const std::filesystem::path& path);

/// Whether any process holds the lock, this one included.
bool is_locked_for_writing(const std::filesystem::path& path);

/// Throws FileError with the system's reason.
[[noreturn]] void fail_file(const std::filesystem::path& path, std::string_view what);

}  // namespace tilecast
