// What users hand to tilecast as text, each as a function that takes any bytes: they are read, or
// refused with an Error of one line; or written into HTML or a shell's line, where they are still
// text. Anything else is a finding: a crash, another exception, a text that does not come back as
// it was printed. Run over tests/fuzz/corpus in every test run (replay), and by libFuzzer where
// clang has it (tests/scripts/fuzz.sh).
#pragma once

#include <span>
#include <string_view>

namespace tilecast {

struct FuzzInput {
  std::string_view name;  // of its folder in tests/fuzz/corpus
  void (*read)(std::string_view bytes);
};

std::span<const FuzzInput> fuzz_inputs();

}  // namespace tilecast
