// Fuzz targets: each text input of tilecast as a function of arbitrary bytes. The bytes must be
// read, or rejected with an Error of one line, or written safely into HTML or a shell command.
// Anything else is a finding: a crash, another exception, a text that does not round-trip. Replayed
// over tests/fuzz/corpus in every test run, and run by libFuzzer if clang provides it
// (tests/scripts/fuzz.sh).
#pragma once

#include <span>
#include <string_view>

namespace tilecast {

struct FuzzInput {
  std::string_view name;  // name of its folder in tests/fuzz/corpus
  void (*read)(std::string_view bytes);
};

std::span<const FuzzInput> fuzz_inputs();

}  // namespace tilecast
