#include "model/stream/stream_rules.h"

#include <string>

#include "model/stream/stream_config_text.h"
#include "model/stream/stream_occupancy.h"
#include "tests/catch.h"
#include "tests/h200.h"

namespace tilecast {

TEST_CASE("A copy by one thread of the copy engine has no computing warps to share") {
  const auto fault = [](const char* text) {
    return stream_config_fault(parse_stream_config(text), ElementType::kFp32);
  };
  CHECK(fault("memcpy_tma:block=1x8192,stages=4,warps=1,ctas=1,order=strided,hint=none") == "");
  CHECK(fault("memcpy_tma:block=1x8192,stages=4,warps=2,ctas=1,order=strided,hint=none") != "");
  // With one CTA per block, only one stage is used.
  CHECK(fault("memcpy_tma:block=1x8192,stages=1,warps=1,ctas=4,order=blocks,hint=none") == "");
  CHECK(fault("memcpy_tma:block=1x8192,stages=2,warps=1,ctas=4,order=blocks,hint=none") != "");
}

TEST_CASE("Only the copy engine's memcpy draws tickets, and bounded CTAs fill the shared memory") {
  const StreamProblem vector{1, 1 << 20, ElementType::kFp32, Op::kMemcpy};
  const auto fault = [&](const std::string& text) {
    return why_not_legal(h200(), vector, parse_stream_config(text));
  };
  CHECK(fault("memcpy_tma:block=1x1024,stages=4,warps=1,ctas=4,order=tickets,hint=none") == "");
  CHECK(fault("memcpy:block=1x1024,warps=8,vector=16,ctas=4,order=tickets,hint=none") != "");
  // 233472 B / 7 are 33353; without the reserved 1 KiB 32329; in units of 128 B 32256. A block of
  // 8192 elements has 32768 B and does not fit; one of 4096 does.
  const auto bounded = [](const std::string& block) {
    return "memcpy_cpasync:block=1x" + block +
           ",warps=8,vector=16,ctas=7,layout=plain,order=bounded,hint=none";
  };
  CHECK(fault(bounded("4096")) == "");
  CHECK(fault(bounded("8192")) != "");
  CHECK(launched_shared_bytes(parse_stream_config(bounded("4096")), ElementType::kFp32,
                              shared_memory_of(h200())) == 32256);
}

TEST_CASE("A block beyond every SM's shared memory is refused before its bytes are counted") {
  const auto config = [](const char* block) {
    return parse_stream_config("memcpy_cpasync:block=1x" + std::string(block) +
                               ",warps=8,vector=16,ctas=1,layout=plain,order=blocks,hint=none");
  };
  // 2^18 elements of 4 B are 1 MiB, or 256 vectors for each thread.
  CHECK(stream_config_fault(config("262144"), ElementType::kFp32) ==
        "at most 64 vectors per thread");
  CHECK(stream_config_fault(config("524288"), ElementType::kFp32) ==
        "blocks of at most 1 MiB, and at most 16 stages");
}

TEST_CASE("A kernel runs on problems of its own op only") {
  const StreamConfig copy = parse_stream_config(
      "memcpy_cpasync:block=1x8192,warps=4,vector=16,ctas=4,layout=plain,order=blocks,hint=none");
  const StreamConfig add = parse_stream_config(
      "elementwise_add:block=32x64,warps=4,vector=4,ctas=4,view=matrix,order=bands,hint=none");
  const StreamProblem vector{1, 4096, ElementType::kFp32, Op::kMemcpy};
  const StreamProblem row{1, 4096, ElementType::kFp32, Op::kElementwiseAdd};
  CHECK(stream_problem_fault(copy, vector) == "");
  CHECK(stream_problem_fault(copy, row) != "");
  CHECK(stream_problem_fault(add, row) == "");
  CHECK(stream_problem_fault(add, vector) != "");
}

TEST_CASE("An impossible memory-bound configuration is refused with the reason") {
  const auto fault = [](const char* text, ElementType dtype) {
    return stream_config_fault(parse_stream_config(text), dtype);
  };
  // 32 x 64 x 4 B = 8 KiB are 16 vectors of 4 bytes for each of 128 threads; the threads of 3 warps
  // do not divide them.
  CHECK(fault("elementwise_add:block=32x64,warps=3,vector=4,ctas=4,view=matrix,order=bands,"
              "hint=none",
              ElementType::kFp32) != "");
  CHECK(fault("elementwise_add:block=32x64,warps=4,vector=2,ctas=4,view=matrix,order=bands,"
              "hint=none",
              ElementType::kFp16) == "");
  CHECK(fault("elementwise_add_cpasync:block=32x64,warps=4,vector=2,ctas=4,layout=plain,"
              "view=matrix,order=bands,hint=none",
              ElementType::kFp16) != "");
  // Three stages of 2 x 32 KiB fit in 227 KiB; four are 256 KiB.
  const std::string ring = ",warps=8,ctas=1,layout=plain,view=matrix,order=bands,hint=none";
  CHECK(fault(("elementwise_add_tma:block=64x128,stages=3" + ring).c_str(), ElementType::kFp32) ==
        "");
  const StreamProblem matrices{512, 512, ElementType::kFp32};
  CHECK(check_legal(h200(), matrices,
                    parse_stream_config("elementwise_add_tma:block=64x128,stages=3" + ring)) ==
        Refusal::kNone);
  CHECK(check_legal(h200(), matrices,
                    parse_stream_config("elementwise_add_tma:block=64x128,stages=4" + ring)) ==
        Refusal::kSharedMemory);
  CHECK(fault(("elementwise_add_tma:block=64x128,stages=1" + ring).c_str(), ElementType::kFp32) !=
        "");
}

TEST_CASE("A flat view needs whole rows of the block, vectors need whole rows of the matrix") {
  StreamConfig config = parse_stream_config(
      "elementwise_add:block=4x256,warps=4,vector=16,ctas=4,view=flat,order=blocks,hint=none");
  CHECK(stream_problem_fault(config, {64, 96, ElementType::kFp32}) == "");  // 6144 = 24 x 256
  CHECK(stream_problem_fault(config, {65, 97, ElementType::kFp32}) != "");  // 6305
  CHECK(viewed(config, {64, 96, ElementType::kFp32}) == StreamProblem{24, 256, ElementType::kFp32});
  config.view = StreamView::kMatrix;
  CHECK(stream_problem_fault(config, {65, 100, ElementType::kFp32}) == "");  // 400 B rows
  CHECK(stream_problem_fault(config, {65, 97, ElementType::kFp32}) != "");   // 388 B rows
  CHECK(stream_problem_fault(config, {1, 97, ElementType::kFp32}) == "");
  CHECK(stream_problem_fault(config, {0, 97, ElementType::kFp32}) != "");
}

}  // namespace tilecast
