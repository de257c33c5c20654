// Hands every file of the corpus to its input, as an ordinary test: replay CORPUS. What a fuzzer
// found once stays found, also where there is no fuzzer.
#include <cstdio>
#include <filesystem>

#include "model/base/file.h"
#include "tests/fuzz/inputs.h"

int main(int argc, char** argv) {
  using namespace tilecast;
  if (argc != 2) {
    std::fputs("usage: replay CORPUS\n", stderr);
    return 2;
  }
  for (const FuzzInput& input : fuzz_inputs()) {
    int files = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator(std::filesystem::path(argv[1]) / input.name)) {
      std::printf("%s\n", entry.path().c_str());
      std::fflush(stdout);  // so that a crash says on what
      input.read(read_file(entry.path()));
      ++files;
    }
    if (files == 0) {
      std::fprintf(stderr, "no corpus for %s\n", input.name.data());
      return 1;
    }
  }
  return 0;
}
