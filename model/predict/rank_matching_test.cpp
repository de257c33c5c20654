// Tests partial configurations, and the short form of every candidate.
#include <set>

#include "model/gemm/menu/candidates.h"
#include "model/ops/short_config_text.h"
#include "model/predict/explain.h"
#include "model/spec/load_gpu.h"
#include "model/stream/stream_menu.h"
#include "tests/catch.h"
#include "tests/error_message.h"
#include "tests/gemm_config.h"
#include "tests/h200.h"
#include "tests/seed.h"

namespace tilecast {
namespace {

Ranking matching(const AnyProblem& problem, const std::string& config, std::size_t keep) {
  return rank_matching(h200(), problem, ConfigPattern(config), Regime::kBurst, Inputs::kNormal,
                       keep, {.method = Method::kAnalytic});
}

template <class Config>
void check_short_texts(const std::vector<Config>& configs) {
  REQUIRE(!configs.empty());
  std::set<std::string> texts;
  for (const Config& config : configs) {
    const std::string text = short_text(config);
    if (parse_short_config(text) != AnyConfig(config)) {
      FAIL(text << " is not " << to_text(config));
    }
    texts.insert(text);
  }
  CHECK(texts.size() == configs.size());  // all different
}

TEST_CASE("The short text of every candidate parses back to it", "[short_config]") {
  Turns turns("problems whose candidates are written in short", 4);
  for (const GemmProblem& problem :
       {fp16(4096, 4096, 4096), fp16(16, 4096, 14336), fp16(1000, 2000, 3000), fp16(64, 64, 64)}) {
    if (turns.due()) {
      check_short_texts(enumerate_candidates(h200(), problem, {}).legal);
      check_short_texts(enumerate_candidates(load_gpu("b200", false).spec, problem, {}).legal);
    }
  }
  for (const Op op : {Op::kMemcpy, Op::kElementwiseAdd}) {
    const StreamProblem problem{op == Op::kMemcpy ? 1 : 8192, 8192, ElementType::kFp32, op};
    check_short_texts(enumerate_candidates(h200(), problem, {}).legal);
  }
}

TEST_CASE("Open parts of a configuration take the values of the fastest match", "[pattern]") {
  const GemmProblem problem = fp16(4096, 4096, 4096);
  const Ranking all =
      rank_candidates(h200(), problem, {Schedule::kPingPong}, Regime::kBurst, Inputs::kNormal,
                      kEveryCandidate, {.method = Method::kAnalytic});
  const std::string part = "cluster=2x1";
  const Ranking found = matching(problem, "pp:" + part, kEveryCandidate);
  std::vector<Prediction> expected;
  for (const Prediction& p : all.predictions) {
    if (contains(to_text(p.config), "," + part + ",")) {
      expected.push_back(p);
    }
  }
  REQUIRE(found.predictions.size() == expected.size());
  CHECK(found.predictions.size() < all.predictions.size());
  CHECK(found.candidates == static_cast<int>(expected.size()));
  CHECK(found.predictions.front().config == expected.front().config);
  CHECK(found.predictions.front().time == expected.front().time);
  CHECK(explain_best(h200(), problem, ConfigPattern("pp c2x1"), Regime::kBurst, Inputs::kNormal,
                     {.method = Method::kAnalytic})
            .predicted.config == expected.front().config);
}

TEST_CASE("A list of partial configurations is completed like each alone", "[pattern]") {
  const GemmProblem problem = fp16(512, 2048, 1024);
  std::vector<ConfigPattern> patterns;
  for (const char* text :
       {"ws 128x256", "pp:tile=128x128x64,stages=3", "128x128x64 2x1", "sk", "po 128x128 s2",
        "ws:tile=128x128x64,raster=grouped_n", "128x256x64 s3 n8", "bl 64x64x64"}) {
    patterns.emplace_back(text);
  }
  const std::vector<Ranking::Listed> listed =
      completed(h200(), problem, patterns, Regime::kBurst, Inputs::kNormal, 1);
  REQUIRE(listed.size() == patterns.size());
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    CAPTURE(i, listed[i].why_none);
    const Ranking alone = rank_matching(h200(), problem, patterns[i], Regime::kBurst,
                                        Inputs::kNormal, 1, {.method = Method::kAnalytic});
    CHECK(listed[i].config == alone.predictions.front().config);
  }
}

TEST_CASE("A configuration is not ranked after one that it includes", "[pattern]") {
  const GemmProblem problem = fp16(2048, 4096, 1024);
  // Each later one is narrower than the first of its schedule.
  std::vector<ConfigPattern> patterns;
  for (const char* text :
       {"pp", "pp 128x128", "pp 128x128 c2x1", "pp 128x128 s6", "ws", "ws 128x256", "ws 128x192"}) {
    patterns.emplace_back(text);
  }
  for (const std::size_t most_alone : {patterns.size(), patterns.size() - 1}) {
    const Ranking ranking = rank_configs(h200(), problem, patterns, Regime::kBurst, Inputs::kNormal,
                                         {.most_alone = most_alone});
    std::vector<Seconds> times;
    for (const Ranking::Listed& one : ranking.listed) {
      const auto own = std::ranges::find(ranking.predictions, *one.config, &Prediction::config);
      REQUIRE(own != ranking.predictions.end());
      CHECK((own->method == Method::kSimulated || most_alone < patterns.size()));
      times.push_back(own->time);
    }
    for (std::size_t i = 0; i < patterns.size(); ++i) {
      CAPTURE(most_alone, i);
      CHECK(times[i < 4 ? 0 : 4] <= times[i]);
      CHECK((i == 0 || i > 3 || times[1] <= times[i]));
    }
    if (most_alone == patterns.size()) {
      const Prediction alone =
          rank_matching(h200(), problem, patterns[5], Regime::kBurst, Inputs::kNormal, 1)
              .predictions.front();
      CHECK(times[5].value <= alone.time.value);
    }
  }
}

TEST_CASE("A part that no candidate has is set on those of its tile", "[pattern]") {
  // A candidate's ring is as long as shared memory permits, or one stage shorter: here 4 or 3. Each
  // stage is 48 KiB of 227, so a fifth does not fit.
  const GemmProblem problem = fp16(4096, 4096, 4096);
  for (const char* text : {"ws:tile=128x256x64,stages=2", "ws 128x256x64 s2", "128x256x64 s2"}) {
    const std::string config = to_text(matching(problem, text, 1).predictions.front().config);
    CAPTURE(config);
    CHECK(contains(config, ":tile=128x256x64,stages=2,"));
  }
  CHECK(ERROR_MESSAGE(matching(problem, "ws:tile=128x256x64,stages=5", 1)) ==
        "2 configuration 'ws:tile=128x256x64,stages=5': its stages and C do not fit in shared "
        "memory; needs at most 4 stages");
}

TEST_CASE("A dominated tile can be requested, one outside the search space cannot", "[pattern]") {
  const GemmProblem small = fp16(64, 64, 512);  // a problem for which 128 x 256 is dominated
  CHECK(matching(small, "ws:tile=128x256x64", 1).predictions.size() == 1);
  CHECK(ERROR_MESSAGE(matching(small, "ws:tile=128x264x64", 1))
            .starts_with("2 configuration 'ws:tile=128x264x64': no candidate has tile=128x264x64; "
                         "there is tile="));
}

TEST_CASE("Memory-bound configurations can be partial, too", "[pattern]") {
  const StreamProblem copy{1, i64{1} << 28, ElementType::kFp16, Op::kMemcpy};
  const auto best = [&](const std::string& config) {
    return rank_matching(calibrated_h200(), copy, ConfigPattern(config), Regime::kBurst,
                         Inputs::kNormal, 1)
        .predictions.front();
  };
  const std::string text = to_text(best("mct:stages=4").config);
  CHECK(text.starts_with("memcpy_tma:"));
  CHECK(contains(text, ",stages=4,"));
  CHECK(best(short_text(best("mct").config)).config == best("mct").config);
  CHECK(ERROR_MESSAGE(best("ws")) == "2 schedule warp_specialized computes gemm, not memcpy");
}

}  // namespace
}  // namespace tilecast
