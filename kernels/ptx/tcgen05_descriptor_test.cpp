#include "kernels/ptx/tcgen05_descriptor.h"

#include "tests/catch.h"

namespace tilecast {
namespace {

using namespace ptx;

TEST_CASE("An instruction descriptor has the bit fields of the PTX ISA") {
  // fp32 accumulators: 1 in bits 4-5. 256 >> 3 = 32 in bits 17-22: 0x400000. 128 >> 4 = 8 in bits
  // 24-28: 0x8000000.
  CHECK(tcgen05_instruction(ElementType::kFp16, 128, 256) == 0x08400010u);
  // bf16: 1 in bits 7-9 and in bits 10-12, 0x80 + 0x400.
  CHECK(tcgen05_instruction(ElementType::kBf16, 128, 256) == 0x08400490u);
  // A pair's 256 rows: 256 >> 4 = 16, still within bits 24-28.
  CHECK(tcgen05_instruction(ElementType::kFp16, 256, 256) == 0x10400010u);
  // 64 >> 3 = 8 at bit 17.
  CHECK(tcgen05_instruction(ElementType::kFp16, 128, 64) == 0x08100010u);
}

TEST_CASE("A shared memory descriptor has the bit fields of the PTX ISA") {
  // Low word: address 0x400 >> 4 in bits 0-13; the leading offset, which is ignored, is 1 at bit
  // 16. High word: eight rows of 128 bytes are 1024, >> 4 = 0x40 in bits 32-45; the constant 1 in
  // bits 46-48 is 0x4000; 128-byte swizzle is 2 in bits 61-63, 0x40000000.
  const SharedOperand a = SharedOperand::swizzled_128(0x400);
  CHECK(a.low == 0x00010040u);
  CHECK(a.high == 0x40004040u);
  CHECK(a.bits() == 0x4000404000010040ull);
  // The next sixteen K elements are 32 bytes further, the next stage of 128 rows 16 KiB.
  CHECK(a.moved(32).low == 0x00010042u);
  CHECK(a.moved(32).high == a.high);
  CHECK(a.moved(16384).low == 0x00010440u);
  // In a cluster, the bits above the 18 of a CTA's shared memory contain its rank.
  CHECK(SharedOperand::swizzled_128(0x01000400).bits() == a.bits());
  // The last addressable location: 0x3FFFF >> 4 fills bits 0-13.
  CHECK(SharedOperand::swizzled_128(0x3FFF0).low == 0x00013FFFu);
}

}  // namespace
}  // namespace tilecast
