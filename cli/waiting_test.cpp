#include "cli/waiting.h"

#include "model/base/file.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"

namespace tilecast {
namespace {

using std::chrono::milliseconds;

/// Returns the output during 100 ms of work.
std::string written(Waiting::On on, milliseconds patience, const std::string& what = "predicting") {
  const TemporaryFolder folder;
  const std::string path = (folder / "out").string();
  std::FILE* file = std::fopen(path.c_str(), "w");
  REQUIRE(file != nullptr);
  {
    const Waiting waiting(what, file, on, patience);
    std::this_thread::sleep_for(milliseconds(100));
  }
  std::fclose(file);
  return read_file(path);
}

TEST_CASE("Long work is shown with its seconds, and erased at its end") {
  const std::string text = written(Waiting::On::kTerminal, milliseconds(1));
  CHECK(text.starts_with("\r\033[Kpredicting: 0 s"));
  CHECK(text.ends_with(" s\r\033[K"));
}

TEST_CASE("Outside a terminal, progress is written in whole lines") {
  const std::string text = written(Waiting::On::kFile, milliseconds(1));
  CHECK(text.starts_with("tilecast: predicting: 0 s\n"));
  CHECK(text.ends_with(" s\n"));
  CHECK(!contains(text, '\r'));
}

TEST_CASE("A progress line counts groups instead of listing them") {
  const std::string text =
      written(Waiting::On::kFile, milliseconds(1), "[100*1,2,3,4,5,6,7,8]x64x64 on h200_sxm");
  CHECK(text.starts_with("tilecast: [107 groups]x64x64 on h200_sxm: 0 s\n"));
}

TEST_CASE("Two waits in a row are shown like one of their length") {
  const milliseconds patience(150);  // each wait takes 100 ms
  const std::string first = written(Waiting::On::kFile, patience);
  CHECK(first + written(Waiting::On::kFile, patience) != "");
}

TEST_CASE("A command does not count the waits of the commands before it") {
  for (int command = 0; command < 8; ++command) {  // 100 ms each, 800 ms in all
    Waiting::begin_command();
    CHECK(written(Waiting::On::kFile, milliseconds(700)).empty());
  }
}

TEST_CASE("Short work is not shown") {
  CHECK(written(Waiting::On::kTerminal, milliseconds(60'000)).empty());
  CHECK(written(Waiting::On::kFile, milliseconds(60'000)).empty());
}

}  // namespace
}  // namespace tilecast
