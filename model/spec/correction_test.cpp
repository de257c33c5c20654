#include "model/spec/correction.h"

#include <fmt/format.h>

#include "model/base/file.h"
#include "tests/catch.h"
#include "tests/error_message.h"
#include "tests/temporary_folder.h"

namespace tilecast {
namespace {

/// Every number another one.
LinearCorrection linear(double from) {
  LinearCorrection out;
  const auto fill = [&](std::vector<double>& values, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      values.push_back(from += 1);
    }
  };
  fill(out.feature_mean, kCorrectionFeatures.size());
  fill(out.feature_spread, kCorrectionFeatures.size());
  fill(out.weight, correction_term_count());
  fill(out.term_mean, correction_term_count());
  out.constant = from + 1;
  return out;
}

Correction example() {
  const auto method = [](double from) {
    return MethodCorrection{
        linear(from),
        linear(from + 100),
        linear(from + 200),
        {{Regime::kBurst, Schedule::kPingPong, -1.5, 2.25}, {Regime::kBurst, std::nullopt, -1, 1}},
        {{"l2", 1.25}}};
  };
  return {method(0), method(1000)};
}

void check_equal(const LinearCorrection& a, const LinearCorrection& b) {
  CHECK(a.feature_mean == b.feature_mean);
  CHECK(a.feature_spread == b.feature_spread);
  CHECK(a.weight == b.weight);
  CHECK(a.term_mean == b.term_mean);
  CHECK(a.constant == b.constant);
}

/// A correction file, to be damaged.
class CorrectionFile {
 public:
  CorrectionFile() { write_file(path_, text_); }

  Correction load(const std::string& gpu = "g") const { return load_correction(path_, gpu); }
  /// What loading says once the first `from` after `behind` is `to`, the folder left out.
  std::string with(const std::string& behind, const std::string& from, const std::string& to) {
    std::string text = text_;
    const std::size_t at = text.find(from, text.find(behind));
    REQUIRE(at != std::string::npos);
    write_file(path_, text.replace(at, from.size(), to));
    return complaint("g");
  }
  std::string complaint(const std::string& gpu) const {
    std::string message = error_message([&] { load(gpu); });
    const std::size_t at = message.find(path_.string());
    CHECK(message.find('\n') == std::string::npos);
    return at == std::string::npos ? message : message.erase(at, path_.string().size());
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "g.correction.yaml";
  std::string text_ = correction_text("g", example());
};

TEST_CASE("A correction is read back as it was written") {
  const Correction written = example(), read = CorrectionFile().load();
  const std::pair<const MethodCorrection*, const MethodCorrection*> methods[] = {
      {&written.analytic, &read.analytic}, {&written.simulated, &read.simulated}};
  for (const auto& [a, b] : methods) {
    check_equal(a->cycles, b->cycles);
    check_equal(a->clock, b->clock);
    check_equal(a->spread, b->spread);
    REQUIRE(b->quantiles.size() == 2);
    CHECK(b->quantiles[0].regime == Regime::kBurst);
    CHECK(b->quantiles[0].schedule == Schedule::kPingPong);
    CHECK(b->quantiles[0].low == -1.5);
    CHECK(b->quantiles[0].high == 2.25);
    CHECK(!b->quantiles[1].schedule);
    REQUIRE(b->widths.size() == 1);
    CHECK(b->widths[0].limiter == "l2");
    CHECK(b->widths[0].width == 1.25);
  }
}

TEST_CASE("A correction of another GPU, or of other features, is refused at its line") {
  CorrectionFile file;
  // Line 1 is a comment.
  CHECK(file.complaint("h200_sxm") == "2 :2: name: expected h200_sxm");
  CHECK(file.with("features", "dram_share", "dram_part") ==
        "2 :3: features: expected the features of this version of tilecast: calibrate again");
  CHECK(file.with("features", "dram_share, ", "") ==
        "2 :3: features: expected the features of this version of tilecast: calibrate again");
}

TEST_CASE("A number that is missing, or none, is refused at its line and key") {
  CorrectionFile file;
  // Line 4 says analytic, 5 cycles, 6 its constant, 7 feature_mean. There are 26 features.
  CHECK(file.with("feature_mean", "1, ", "") ==
        "2 :7: analytic.cycles.feature_mean: expected 26 numbers, not 25");
  CHECK(file.with("feature_mean", " 2,", " nan,")
            .starts_with("2 :7: analytic.cycles.feature_mean[1]: expected a number"));
  CHECK(file.with("analytic", "    constant", "    constnat")
            .starts_with("2 :6: analytic.cycles.constnat: unknown key"));
  // A feature of no spread would divide by 0.
  CHECK(file.with("feature_spread", "[27", "[0")
            .starts_with("2 :8: analytic.cycles.feature_spread: expected numbers above 0"));
}

TEST_CASE("Quantiles are of regimes and schedules that there are") {
  CorrectionFile file;
  CHECK(file.with("quantiles", "regime: burst", "regime: brust").find("did you mean burst?") !=
        std::string::npos);
  CHECK(file.with("quantiles", "schedule: ping_pong", "schedule: pingpong")
            .find("quantiles[0].schedule: ") != std::string::npos);
  CHECK(file.with("quantiles", "high: 2.25", "high: -2").find("quantiles[0].high: ") !=
        std::string::npos);
  CHECK(file.with("quantiles", "schedule: all", "schedule: ping_pong")
            .ends_with("quantiles[1]: expected one entry for a regime and a schedule"));
}

TEST_CASE("A correction that is not there is a file error") {
  CHECK(error_message([] { load_correction("/none.correction.yaml", "g"); }) ==
        "6 /none.correction.yaml: cannot read: No such file or directory");
}

}  // namespace
}  // namespace tilecast
