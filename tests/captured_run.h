// For tests: runs a command in this process and captures its output.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

#include "cli/program.h"
#include "model/base/error.h"
#include "model/base/file.h"
#include "tests/temporary_folder.h"

namespace tilecast {

struct CapturedRun {
  int exit_code;
  std::string out, err;
};

/// Redirects a standard stream to a file during its lifetime.
class StreamCapture {
 public:
  StreamCapture(std::FILE* stream, const std::string& path) : stream_(stream) {
    std::fflush(stream_);
    saved_ = ::dup(::fileno(stream_));
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
    TILECAST_ASSERT(saved_ >= 0 && file >= 0 && ::dup2(file, ::fileno(stream_)) >= 0);
    ::close(file);
  }
  ~StreamCapture() {
    std::fflush(stream_);
    ::dup2(saved_, ::fileno(stream_));
    ::close(saved_);
  }
  StreamCapture(const StreamCapture&) = delete;
  StreamCapture& operator=(const StreamCapture&) = delete;

 private:
  std::FILE* stream_;
  int saved_;
};

/// `add` registers the command that `arguments` begin with.
inline CapturedRun run_captured(void (*add)(Program&), const std::vector<std::string>& arguments) {
  const TemporaryFolder folder;
  CapturedRun run{};
  {
    const StreamCapture out(stdout, (folder / "out").string());
    const StreamCapture err(stderr, (folder / "err").string());
    Program program("tilecast", "");
    add(program);
    std::vector<const char*> argv{"tilecast"};
    for (const std::string& argument : arguments) {
      argv.push_back(argument.c_str());
    }
    run.exit_code = program.run(static_cast<int>(argv.size()), argv.data());
  }
  run.out = read_file(folder / "out");
  run.err = read_file(folder / "err");
  return run;
}

}  // namespace tilecast
