#include "model/stream/stream_config_text.h"

#include <set>
#include <string>

#include "model/base/error.h"
#include "tests/catch.h"

namespace tilecast {
namespace {

const char* const kTexts[] = {
    "memcpy_cpasync:block=1x8192,warps=4,vector=16,ctas=4,layout=plain,order=blocks,hint=none",
    "elementwise_add:block=32x64,warps=4,vector=4,ctas=4,view=matrix,order=bands,hint=none",
    "elementwise_add_cpasync:block=32x64,warps=4,vector=4,ctas=4,layout=swizzled,view=matrix,"
    "order=bands,hint=none",
    "elementwise_add_pipelined:block=32x64,stages=3,warps=4,vector=8,ctas=2,layout=plain,view=flat,"
    "order=strided,hint=none",
    "elementwise_add_tma:block=64x128,stages=3,warps=8,ctas=1,layout=swizzled,view=matrix,"
    "order=chunked,hint=none",
    "elementwise_add_tma_warp_specialized:block=64x128,stages=3,warps=8,ctas=1,layout=plain,"
    "view=matrix,order=bands,hint=evict_first",
    "memcpy:block=1x4096,warps=8,vector=16,ctas=4,order=blocks,hint=loads_evict_first",
    "memcpy_tma:block=1x8192,stages=3,warps=1,ctas=2,order=chunked,hint=stores_evict_first",
};

}  // namespace

TEST_CASE("Every memory-bound schedule has a name and an abbreviation of its own") {
  std::set<std::string> names, abbreviations;
  for (const StreamSchedule schedule : kEveryStreamSchedule) {
    CHECK(parse_stream_schedule(to_text(schedule)) == schedule);
    names.emplace(traits_of(schedule).name);
    abbreviations.emplace(traits_of(schedule).abbreviation);
  }
  CHECK(names.size() == kEveryStreamSchedule.size());
  CHECK(abbreviations.size() == kEveryStreamSchedule.size());
}

TEST_CASE("The traits of a memory-bound schedule do not contradict each other") {
  for (const StreamSchedule schedule : kEveryStreamSchedule) {
    CAPTURE(to_text(schedule));
    const StreamTraits traits = traits_of(schedule);
    // Stages are of shared memory; runs of bytes are nothing that could be added; a warp that
    // copies for others does so by the copy engine.
    CHECK((!traits.chooses_stages || traits.copy != BlockCopy::kPlain));
    CHECK((traits.copy != BlockCopy::kBulk || traits.op == Op::kMemcpy));
    CHECK((traits.copying_warps == 0 || traits.copy == BlockCopy::kTensorMaps));
  }
}

TEST_CASE("The text of a memory-bound configuration parses back to itself") {
  for (const char* text : kTexts) {
    const StreamConfig config = parse_stream_config(text);
    CHECK(to_text(config) == text);
    CHECK(parse_stream_config(to_text(config)) == config);
    CHECK(stream_config_fault(config, ElementType::kFp32) == "");
  }
}

TEST_CASE("A copy by one thread of the copy engine has no computing warps to share") {
  const auto fault = [](const char* text) {
    return stream_config_fault(parse_stream_config(text), ElementType::kFp32);
  };
  CHECK(fault("memcpy_tma:block=1x8192,stages=4,warps=1,ctas=1,order=strided,hint=none") == "");
  CHECK(fault("memcpy_tma:block=1x8192,stages=4,warps=2,ctas=1,order=strided,hint=none") != "");
  // One CTA per block fills one stage.
  CHECK(fault("memcpy_tma:block=1x8192,stages=1,warps=1,ctas=4,order=blocks,hint=none") == "");
  CHECK(fault("memcpy_tma:block=1x8192,stages=2,warps=1,ctas=4,order=blocks,hint=none") != "");
}

TEST_CASE("Only the copy engine's memcpy draws tickets, and bounded CTAs fill the shared memory") {
  const auto fault = [](const std::string& text) {
    return stream_config_fault(parse_stream_config(text), ElementType::kFp32);
  };
  CHECK(fault("memcpy_tma:block=1x1024,stages=4,warps=1,ctas=4,order=tickets,hint=none") == "");
  CHECK(fault("memcpy:block=1x1024,warps=8,vector=16,ctas=4,order=tickets,hint=none") != "");
  // 233472 B / 7 are 33353, less 1 KiB reserved 32329: 32256 in units of 128. A block of 8192
  // elements is 32768 B, too much; one of 4096 fits.
  const auto bounded = [](const std::string& block) {
    return "memcpy_cpasync:block=1x" + block +
           ",warps=8,vector=16,ctas=7,layout=plain,order=bounded,hint=none";
  };
  CHECK(fault(bounded("4096")) == "");
  CHECK(fault(bounded("8192")) != "");
  CHECK(launched_shared_bytes(parse_stream_config(bounded("4096")), ElementType::kFp32) == 32256);
}

TEST_CASE("A kernel runs on problems of its own op only") {
  const StreamConfig copy = parse_stream_config(kTexts[0]);
  const StreamConfig add = parse_stream_config(kTexts[1]);
  const StreamProblem vector{1, 4096, ElementType::kFp32, Op::kMemcpy};
  const StreamProblem row{1, 4096, ElementType::kFp32, Op::kElementwiseAdd};
  CHECK(stream_problem_fault(copy, vector) == "");
  CHECK(stream_problem_fault(copy, row) != "");
  CHECK(stream_problem_fault(add, row) == "");
  CHECK(stream_problem_fault(add, vector) != "");
}

TEST_CASE("A memory-bound configuration with a slip is refused") {
  for (const char* text : {
           "elementwise_add",  // no keys
           "elementwise_sub:block=32x64,warps=4,vector=4,ctas=4,view=matrix,order=bands,hint=none",
           "elementwise_add:block=32,warps=4,vector=4,ctas=4,view=matrix,order=bands,hint=none",
           "elementwise_add:block=32x64,warps=04,vector=4,ctas=4,view=matrix,order=bands,hint=none",
           "elementwise_add:block=32x64,vector=4,warps=4,ctas=4,view=matrix,order=bands,hint=none",
           "elementwise_add:block=32x64,warps=4,vector=4,ctas=4,view=matrix,order=bands",
           "elementwise_add:block=32x64,warps=4,vector=4,ctas=4,view=matrix,order=up,hint=none",
       }) {
    CHECK_THROWS_AS(parse_stream_config(text), ConfigError);
  }
}

TEST_CASE("A configuration that no kernel can have says why") {
  const auto fault = [](const char* text, ElementType dtype) {
    return stream_config_fault(parse_stream_config(text), dtype);
  };
  // 32 x 64 x 4 B = 8 KiB is 16 vectors of 4 bytes for each of 128 threads; with 3 warps it is not
  // whole.
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
  CHECK(fault(("elementwise_add_tma:block=64x128,stages=4" + ring).c_str(), ElementType::kFp32) !=
        "");
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

TEST_CASE("Shared memory and threads of a configuration are what its schedule holds") {
  const StreamConfig ring = parse_stream_config(kTexts[5]);
  // 3 stages x (A + B) x 64 x 128 x 4 B + 3 stages x 3 barriers x 8 B.
  CHECK(stream_shared_bytes(ring, ElementType::kFp32) == 3 * 2 * 32768 + 72);
  CHECK(stream_threads(ring) == (8 + 2) * 32);
  CHECK(stream_shared_bytes(parse_stream_config(kTexts[0]), ElementType::kFp16) == 8192 * 2);
  CHECK(stream_shared_bytes(parse_stream_config(kTexts[1]), ElementType::kFp32) == 0);
  CHECK(box_columns(parse_stream_config(kTexts[4]), ElementType::kFp16) == 64);  // 128-byte rows
  CHECK(stream_bytes({2, 3, ElementType::kFp32}) == 3 * 2 * 3 * 4);
  CHECK(stream_bytes({1, 3, ElementType::kFp16, Op::kMemcpy}) == 2 * 3 * 2);
}

}  // namespace tilecast
