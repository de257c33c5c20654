#include "model/attention/attention_model.h"

#include <algorithm>
#include <cstdio>
#include <random>
#include <vector>

#include "model/attention/attention_text.h"
#include "model/ops/any_op.h"
#include "model/ops/problem_fields.h"
#include "model/predict/explain.h"
#include "model/predict/predict.h"
#include "model/predict/roofline.h"
#include "model/predict/why_extrapolated.h"
#include "model/spec/load_gpu.h"
#include "tests/catch.h"
#include "tests/error_message.h"
#include "tests/h200.h"
#include "tests/seed.h"

namespace tilecast {
namespace {

AnyProblem problem_of(const std::string& shape, const std::string& mask = "full") {
  return problem_of(Op::kAttention, shape, ElementType::kBf16, {{"mask", mask}});
}
Ranking ranked(const AnyProblem& problem, std::size_t keep = 8, Effort effort = {}) {
  return rank_candidates(calibrated_h200(), problem, {}, Regime::kBurst, Inputs::kNormal, keep,
                         std::move(effort));
}

TEST_CASE("A prefill problem has hundreds of legal kernels, and each prediction is possible") {
  const Ranking ranking = ranked(problem_of("4x32:8x4096x4096x128", "causal"), kEveryCandidate);
  CHECK(ranking.candidates >= 300);
  CHECK(std::ranges::is_sorted(ranking.predictions, {}, &Prediction::time));
  for (const Prediction& p : ranking.predictions) {
    CHECK(p.clamped.empty());
    CHECK(p.interval_high > p.time);
  }
  CHECK_FALSE(ranking.predictions.front().extrapolated);
  // These kernels beat the roofline, which charges both GEMMs over half of the scores (causal) at
  // tensor-core peak.
  CHECK(*roofline_time(calibrated_h200(), ranking.problem, ranking.predictions.front().config) <
        ranking.predictions.front().time);
}

TEST_CASE("The choice follows the problem: splits for few long sequences, none for many") {
  const auto first = [](const std::string& shape) {
    return std::get<AttentionConfig>(ranked(problem_of(shape)).predictions.front().config);
  };
  const AttentionConfig few = first("1x32:8x1x65536x128");
  CHECK(few.splits > 8);
  CHECK(few.pack);
  CHECK(first("128x32:8x1x8192x128").splits == 1);
  CHECK(first("8x16x4096x4096x128").splits == 1);
}

TEST_CASE("More than 64 query heads of a KV head are packed too") {
  const auto best = [](const std::string& shape) {
    return ranked(problem_of(shape), 1).predictions.front();
  };
  const Prediction of_64 = best("4x64:1x1x8192x128"), of_65 = best("4x65:1x1x8192x128"),
                   of_128 = best("4x128:1x1x8192x128");
  CHECK(std::get<AttentionConfig>(of_65.config).pack);
  CHECK(std::get<AttentionConfig>(of_128.config).pack);
  CHECK(of_65.time < of_64.time * 1.5);
  CHECK(of_128.time < of_64.time * 1.5);
}

TEST_CASE("Twice the sequences or keys take longer, and fewer KV heads never do") {
  const auto time = [](const std::string& shape, const std::string& mask = "full") {
    return ranked(problem_of(shape, mask), 1).predictions.front().time;
  };
  CHECK(time("16x32:8x1x8192x128") > time("8x32:8x1x8192x128"));
  CHECK(time("8x32:8x1x16384x128") > time("8x32:8x1x8192x128"));
  CHECK(time("2x16x8192x8192x128") > time("2x16x4096x4096x128") * 3.5);
  CHECK(time("8x32:4x1x8192x128") < time("8x32:8x1x8192x128"));
  CHECK(time("2x16x4096x4096x128", "causal") < time("2x16x4096x4096x128") * 0.65);
}

TEST_CASE("No prediction of a random attention problem is impossible") {
  // rank_candidates itself rejects impossible problems, and the analytic model records each time
  // that it clamps.
  std::mt19937_64 random(daily_seed("attention problems"));
  const auto one_of = [&](const std::vector<i32>& values) {
    return values[static_cast<std::size_t>(random() % values.size())];
  };
  for (int i = 0; i < 12; ++i) {
    const i32 kv_heads = one_of({1, 2, 3, 8, 16});
    AttentionProblem p{.batch = one_of({1, 2, 7, 32, 128}),
                       .heads = kv_heads * one_of({1, 2, 4, 5, 8}),
                       .kv_heads = kv_heads,
                       .queries = one_of({1, 2, 63, 128, 500, 2048, 9000}),
                       .keys = one_of({1, 17, 256, 1000, 4096, 20000}),
                       .head_dim = one_of({64, 128, 256}),
                       .dtype = i % 2 == 0 ? ElementType::kBf16 : ElementType::kFp16,
                       .mask = i % 3 == 0 ? AttentionMask::kFull : AttentionMask::kCausal,
                       .layout = i % 5 == 0 ? AttentionLayout::kBshd : AttentionLayout::kBhsd,
                       .lse = i % 7 == 0};
    CAPTURE(to_text(p));
    const Ranking ranking =
        rank_candidates(calibrated_h200(), p, {}, i % 4 == 0 ? Regime::kSustained : Regime::kBurst,
                        Inputs::kNormal, kEveryCandidate);
    for (const Prediction& prediction : ranking.predictions) {
      CAPTURE(to_text(prediction.config));
      CHECK(prediction.clamped.empty());
    }
  }
}

TEST_CASE("A simulated attention kernel is near its closed form") {
  for (const auto& [shape, config] : {std::pair("2x16x2048x2048x128", "ao 128x128 s2 o1 re st k1"),
                                      {"2x16x2048x2048x128", "ap 128x128 s2 o1 re st k1"},
                                      {"2x16x2048x2048x64", "aw 192x112 s2 o1 re st k1"},
                                      {"2x16x2048x2048x256", "ao 128x80 s2 o1 re st k1"},
                                      {"16x32:8x1x8192x128", "aw 64x96 s2 o2 ct st k2 pk"}}) {
    CAPTURE(shape, config);
    const AttentionProblem p = std::get<AttentionProblem>(problem_of(shape));
    const AttentionConfig c = std::get<AttentionConfig>(parse_config(config));
    const SimulatedAttention simulated = simulate_attention(calibrated_h200(), p, c, Hertz{1.6e9});
    CHECK(simulated.cycles / form_at(calibrated_h200(), p, c, Hertz{1.6e9}).cycles ==
          Approx(1).epsilon(0.1));
    CHECK(simulated.dram_read.value == Approx(kv_bytes(p) + query_bytes(p)).epsilon(0.05));
    CHECK(simulated.tensor_share < 1);
  }
}

TEST_CASE("In the simulator too, exponentials twice as fast help only the base kernel") {
  GpuSpec fast = calibrated_h200();
  fast.machine->fused_special *= 2;
  const AttentionProblem p = std::get<AttentionProblem>(problem_of("2x16x2048x2048x128"));
  const auto gain = [&](const char* config) {
    const AttentionConfig c = std::get<AttentionConfig>(parse_config(config));
    return 1 - simulate_attention(fast, p, c, Hertz{1.6e9}).cycles /
                   simulate_attention(calibrated_h200(), p, c, Hertz{1.6e9}).cycles;
  };
  CHECK(gain("as 64x128 s2 o1 ct st k1") > 0.08);
  CHECK(gain("ao 128x128 s3 o1 re st k1") < 0.03);
}

TEST_CASE("A kernel of a ranking is predicted as it is alone, corrected by its neighbours") {
  const AnyProblem problem = problem_of("16x32:8x1x4096x128");
  const Ranking ranking = ranked(problem, 3);
  GpuSpec physics = calibrated_h200();
  physics.attention_learned = nullptr;
  for (const Prediction& p : ranking.predictions) {
    CAPTURE(to_text(p.config));
    const auto alone = [&](const GpuSpec& gpu) {
      return predict_config(gpu, problem, p.config, Regime::kBurst, Inputs::kNormal);
    };
    CHECK(alone(calibrated_h200()).time == p.time);
    CHECK(p.cycles_correction != 1);
    CHECK(alone(physics).cycles * p.cycles_correction / p.cycles == Approx(1).epsilon(0.05));
  }
}

TEST_CASE("Without measured kernels a prediction is extrapolated, with a wide interval") {
  const AnyProblem problem = problem_of("2x16x2048x2048x128");
  const auto predicted = [&](const GpuSpec& gpu) {
    return predict_config(gpu, problem, parse_config("ao 128x128 s2 o1 re st k1"), Regime::kBurst,
                          Inputs::kNormal);
  };
  const Prediction here = predicted(calibrated_h200());
  CHECK_FALSE(here.extrapolated);
  GpuSpec other = calibrated_h200();
  other.attention_learned = nullptr;
  CHECK(predicted(other).extrapolated);
  CHECK(why_extrapolated(other, problem) == "no attention kernel of h200_sxm was measured");
  other.attention.reset();
  const Prediction prior = predicted(other);
  CHECK(prior.extrapolated);
  CHECK(why_extrapolated(other, problem) ==
        "the file of h200_sxm has no section attention: its numbers are priors");
  CHECK(prior.interval_high / prior.time > 1.5 * (here.interval_high / here.time - 1) + 1);
}

TEST_CASE("Attention can be ranked by simulation") {
  const Ranking ranking =
      ranked(problem_of("2x8x1024x1024x128", "causal"), 4, {.method = Method::kSimulated});
  CHECK(ranking.simulated > 0);
  CHECK(ranking.predictions.front().method == Method::kSimulated);
  CHECK(ranking.predictions.size() == 4);
}

TEST_CASE("An explanation lists the costs of softmax, mask, waves, splits and memory") {
  const auto notes = [](const AnyProblem& problem, const char* config) {
    std::string all;
    for (const std::string& note : explain(calibrated_h200(), problem, parse_config(config),
                                           Regime::kBurst, Inputs::kNormal, {})
                                       .notes) {
      all += note + "\n";
    }
    return all;
  };
  const std::string prefill =
      notes(problem_of("4x32:8x4096x4096x128", "causal"), "ao 128x128 s3 o1 re dy k1");
  for (const char* said :
       {"Softmax: ", "is hidden by products", "Mask: ", "waves", "No splits", "DRAM reads"}) {
    CHECK(contains(prefill, said));
  }
  const std::string decode =
      notes(problem_of("1x32:8x1x32768x128"), "aw 64x128 s3 o1 ct st k16 pk");
  CHECK(contains(decode, "16 splits write"));
  CHECK(contains(decode, "without splits takes"));
  CHECK(!contains(decode, "Mask: "));
}

TEST_CASE("Most of a softmax that costs a small part of the time is hidden") {
  // Without softmax both CTAs of an SM save time, so the saving is compared with the softmax of
  // both.
  for (const char* config : {"ao 128x128 s2 o1 re st k1", "as 64x64 s2 o2 ct st k1"}) {
    CAPTURE(config);
    const AnyProblem problem = problem_of("4x32:8x4096x4096x128");
    const std::string note = explain(calibrated_h200(), problem, parse_config(config),
                                     Regime::kBurst, Inputs::kNormal, {})
                                 .notes.front();
    int hidden = 0, saved = 0;
    REQUIRE(std::sscanf(note.c_str(),
                        "Softmax: %d %% of it is hidden by products and loads; without it, "
                        "%d %%",
                        &hidden, &saved) == 2);
    const AttentionForm form =
        form_at(calibrated_h200(), std::get<AttentionProblem>(problem),
                std::get<AttentionConfig>(parse_config(config)), Hertz{1.6e9});
    CHECK(saved > 0);
    CHECK(hidden > 0);
    CHECK(hidden < 100);
    // Shown and hidden parts are the softmax of all warpgroups of an SM.
    CHECK(saved / (1 - hidden / 100.0) ==
          Approx(100 * (form.softmax_of_sm / form.cycles)).epsilon(0.3));
  }
}

TEST_CASE("Problems too large to simulate are refused before they are simulated") {
  const AnyProblem problem = problem_of("64x64x65536x65536x128");
  CHECK(contains(ERROR_MESSAGE(predict_config(calibrated_h200(), problem,
                                              parse_config("ao 128x128 s2 o1 re st k1"),
                                              Regime::kBurst, Inputs::kNormal, Method::kSimulated)),
                 "million are simulated; --method analytic has no limit"));
  CHECK_THROWS_AS(ranked(problem, 1, {.method = Method::kSimulated}), ConfigError);
}

TEST_CASE("An attention configuration without a kernel is refused with the reason") {
  const auto why = [](const char* config, const std::string& shape = "1x8x512x512x128",
                      const std::string& mask = "full") {
    return ERROR_MESSAGE(predict_config(calibrated_h200(), problem_of(shape, mask),
                                        parse_config(config), Regime::kBurst, Inputs::kNormal));
  };
  CHECK(contains(why("ap 64x64 s2 o1 re st k1"), "128 to 192 rows"));
  CHECK(contains(why("ao 128x208 s2 o1 re st k1"), "O, S and P take 220 of the"));
  CHECK(contains(why("aw 128x176 s4 o1 re st k1"), "bytes of shared memory"));
  CHECK(contains(why("aw 128x64 s2 o1 ct dy k1"), "requires grid=resident"));
  CHECK(contains(why("aw 128x64 s2 o1 re lf k1"), "equally long"));
  CHECK(contains(why("aw 128x64 s2 o1 re st k9"), "8 blocks of keys"));
  CHECK(contains(why("aw 128x64 s2 o1 re st k1 pk"), "one query head"));
  CHECK(contains(why("ao 128x64 s1 o1 re st k1"), "supports 2 to 8 stages"));
  CHECK(contains(why("aw 128x72 s2 o1 re st k1"), "in steps of 16"));
  GpuSpec b200 = load_gpu("b200", false).spec;
  CHECK(contains(ERROR_MESSAGE(rank_candidates(b200, problem_of("1x8x512x512x128"), {},
                                               Regime::kBurst, Inputs::kNormal, 1)),
                 "attention kernels run only on Hopper GPUs"));
}

}  // namespace
}  // namespace tilecast
