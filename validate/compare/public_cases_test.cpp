// Runs in the repository root.
#include "validate/compare/public_cases.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "model/base/file.h"
#include "tests/catch.h"
#include "tests/error_message.h"
#include "tests/seed.h"
#include "tests/temporary_folder.h"

namespace tilecast {
namespace {

constexpr const char* kList = "validate/public_cases.yaml";

TEST_CASE("Predictions are as close to public figures as public_cases.yaml states") {
  // Minimum number of rows per source; each day's run checks other rows. A prediction of a known
  // kernel takes milliseconds, a ranking up to a second.
  constexpr std::size_t kRankings = 24, kKernels = 120;
  const std::vector<PublicSource> sources = load_public_sources(kList);
  CHECK(sources.size() >= 7);
  for (const PublicSource& source : sources) {
    const std::size_t rows = judge_public(source, [] { return false; }).rows;
    REQUIRE(rows > 0);
    const std::size_t sample = source.format.starts_with("flash_attention") ? kKernels : kRankings;
    Turns turns("public cases", static_cast<unsigned>(std::max<std::size_t>(1, rows / sample)));
    const PublicJudgement judged = judge_public(source, [&] { return turns.due(); });
    CAPTURE(source.name, source.gpu, judged.cases.size());
    REQUIRE(judged.error);
    std::printf("%s, %s: %zu rows, mean error %.1f %%\n", source.name.c_str(), source.gpu.c_str(),
                judged.cases.size(), judged.error->mape * 100);
    CHECK(judged.error->mape <= source.limit);
  }
}

TEST_CASE("A gap between kernels is added to the forecast, and bad lists name the line") {
  const TemporaryFolder folder;
  const std::string rows = (folder / "rows.csv").string(), list = (folder / "list.yaml").string();
  write_file(rows, "gpu,m,n,k,median_us\nh200_sxm,512,512,512,5\nh100_sxm,512,512,512,6\n");
  const auto judged = [&](const std::string& more) {
    write_file(list, "sources:\n  - {name: a, gpu: h200_sxm, format: library, claim: c, file: " +
                         rows + ", limit_percent: 10" + more + "}\n");
    return judge_public(load_public_sources(list).front());
  };
  const PublicJudgement without = judged(""), with = judged(", gap_us: 0.5");
  REQUIRE(without.cases.size() == 1);  // the other row belongs to another GPU
  CHECK(without.cases[0].claimed.value == Approx(5e-6));
  CHECK(with.cases[0].predicted.value - without.cases[0].predicted.value == Approx(0.5e-6));
  CHECK(without.error->mape == Approx(std::abs(without.cases[0].predicted.value / 5e-6 - 1)));
  const nlohmann::ordered_json json = public_json({with});
  CHECK(json["sources"][0]["cases"][0]["claimed_us"] == 5);
  CHECK(contains(public_table({with}), "| 512x512x512 bf16"));

  CHECK(contains(ERROR_MESSAGE(judged(", format: other")), "list.yaml:2"));
  write_file(
      list,
      "sources:\n  - {name: a, gpu: h200_sxm, format: b, claim: c, file: f, limit_percent: 1}\n");
  CHECK(contains(ERROR_MESSAGE(load_public_sources(list)),
                 "expected library, xla, published, fused_moe"));
  write_file(rows, "gpu,b,m,n,k,flops\nh200_sxm,2,512,256,512,5e13\n");
  write_file(list, "sources:\n  - {name: a, gpu: h200_sxm, format: xla, claim: c, file: " + rows +
                       ", limit_percent: 10}\n");
  const PublicCase batch = judge_public(load_public_sources(list).front()).cases.at(0);
  CHECK(to_text(batch.problem) == "2*512x256x512 bf16 nn");
  CHECK(batch.claimed.value == Approx(2 * 2 * 512 * 256 * 512 / 5e13));
  write_file(rows, "gpu,m,n,k,median_us\nh200_sxm,512,512,512,-5\n");
  CHECK(contains(ERROR_MESSAGE(judged("")), "rows.csv:2: median_us: expected a number above 0"));
}

}  // namespace
}  // namespace tilecast
