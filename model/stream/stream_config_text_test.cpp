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

TEST_CASE("Names and abbreviations of memory-bound schedules are unique") {
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
    // Stages need shared memory; additions cannot use runs of bytes; copying warps use the copy
    // engine.
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
  }
}

TEST_CASE("A malformed memory-bound configuration is refused") {
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

TEST_CASE("Shared memory and threads of a memory-bound configuration, by hand") {
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
