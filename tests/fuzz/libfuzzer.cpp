// libFuzzer's entry point for the input named by TILECAST_FUZZ_INPUT.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/inputs.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  for (const tilecast::FuzzInput& input : tilecast::fuzz_inputs()) {
    if (input.name == TILECAST_FUZZ_INPUT) {
      input.read({reinterpret_cast<const char*>(data), size});
    }
  }
  return 0;
}
