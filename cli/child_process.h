// Runs another program and keeps what it writes to standard output.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tilecast {

struct ChildResult {
  bool started;
  int exit_code;       // 128 + signal where one ended it; 127 where its libraries are missing
  std::string output;  // of both streams, in the order written
};

/// Waits for the program's end. A program that cannot be started is a result, not an exception.
ChildResult run_child(const std::filesystem::path& program,
                      const std::vector<std::string>& arguments);

/// The same, with this program's own streams, so that a user sees what the program says as it runs;
/// `output` stays empty.
ChildResult run_visibly(const std::filesystem::path& program,
                        const std::vector<std::string>& arguments);

}  // namespace tilecast
