// For tests: runs a command in this process and captures its output.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <functional>
#include <regex>
#include <string>
#include <vector>

#include "cli/program.h"
#include "model/base/error.h"
#include "model/base/file.h"
#include "tests/catch.h"
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

/// `run` implements the command, and verb, that `arguments` start with.
inline CapturedRun run_captured(const std::function<void(const Arguments&)>& run,
                                const std::vector<std::string>& arguments) {
  const TemporaryFolder folder;
  CapturedRun captured{};
  const std::string name =
      arguments[0] == "campaign" ? arguments[0] + " " + arguments[1] : arguments[0];
  {
    const StreamCapture out(stdout, (folder / "out").string());
    const StreamCapture err(stderr, (folder / "err").string());
    std::vector<std::string> words{"tilecast"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words) {
      argv.push_back(word.data());
    }
    captured.exit_code =
        run_program(Host::kData, "", {{name, run}}, static_cast<int>(argv.size()), argv.data());
  }
  captured.out = read_file(folder / "out");
  captured.err = read_file(folder / "err");
  return captured;
}

/// Removes progress lines, which appear after every ten seconds of waiting in this process.
inline std::string without_progress(const std::string& err) {
  static const std::regex progress(R"(tilecast: [^\n]*: \d+ s\n)");
  return std::regex_replace(err, progress, "");
}

/// Checks for this exit code, and one line on standard error that contains `part`.
inline void check_refused(const CapturedRun& run, const std::string& part,
                          ExitCode code = ExitCode::kUsage) {
  CAPTURE(run.err);
  const std::string err = without_progress(run.err);
  CHECK(run.exit_code == static_cast<int>(code));
  CHECK(run.out.empty());
  CHECK(err.starts_with("tilecast: "));
  CHECK(err.find('\n') == err.size() - 1);
  CHECK(contains(err, part));
}

}  // namespace tilecast
