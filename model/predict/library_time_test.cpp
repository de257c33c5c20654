#include "model/predict/library_time.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/error.h"
#include "model/base/file.h"
#include "model/base/hash.h"
#include "model/base/text.h"
#include "model/gemm/problem/group_rows.h"
#include "model/ops/problem_fields.h"
#include "model/spec/load_gpu.h"
#include "tests/catch.h"
#include "tests/error_message.h"
#include "tests/temporary_folder.h"

namespace tilecast {
namespace {

constexpr const char* kHeader =
    "shape,dtype,dtype_c,layout,epilogue,accumulate,lda,ldb,ldc,regime,time_us,forecast_us\n";

constexpr const char* kAttentionHeader = "shape,dtype,mask,layout,lse,regime,time_us,forecast_us\n";

GemmProblem square(i64 side, ElementType dtype = ElementType::kBf16) {
  return {{side, side, side}, dtype, Layout::kTn};
}

LibraryRows rows_of(const std::string& lines, Op op = Op::kGemm) {
  const TemporaryFolder folder;
  write_file(folder / "rows.csv", (op == Op::kGemm ? kHeader : kAttentionHeader) + lines);
  return {op, folder / "rows.csv", 132};
}
LibraryTime forecast(const LibraryRows& rows, const GemmProblem& problem, double ours_us,
                     Regime regime = Regime::kBurst, bool own = true) {
  return rows.forecast(problem, regime, Seconds{ours_us * 1e-6}, 132, own);
}
std::string refusal(const std::string& lines) { return ERROR_TEXT(rows_of(lines)); }

TEST_CASE("A measured problem is answered by its measurement, in the other regime by its ratio") {
  const LibraryRows rows = rows_of("4096x4096x4096,bf16,,tn,,,,,,burst,180,150\n");
  const LibraryTime same = forecast(rows, square(4096), 150);
  CHECK(same.measured);
  CHECK(same.time.value == Approx(180e-6));
  const LibraryTime other = forecast(rows, square(4096), 200, Regime::kSustained);
  CHECK_FALSE(other.measured);
  CHECK(other.ratio == Approx(1.2));  // 180 / 150
  CHECK(other.time.value == Approx(240e-6));
  CHECK(other.low < other.time);
  CHECK(other.time < other.high);
}

TEST_CASE("A row of an older forecast, or of another GPU, contributes its ratio") {
  const LibraryRows rows = rows_of("4096x4096x4096,bf16,,tn,,,,,,burst,180,150\n");
  CHECK(forecast(rows, square(4096), 154).measured);        // 2.6 % above the row's forecast
  CHECK_FALSE(forecast(rows, square(4096), 160).measured);  // 6.5 %
  const LibraryTime other = forecast(rows, square(4096), 150, Regime::kBurst, false);
  CHECK_FALSE(other.measured);
  CHECK(other.time.value == Approx(180e-6));
}

TEST_CASE("Similar problems outweigh others, and the interval reflects their spread") {
  const LibraryRows rows = rows_of(
      "4096x4096x4096,bf16,,tn,,,,,,burst,110,100\n"
      "64x4096x4096,bf16,,tn,,,,,,burst,20,10\n"
      "96x4096x4096,bf16,,tn,,,,,,burst,10,10\n");
  const LibraryTime large = forecast(rows, square(4096), 200);
  const LibraryTime small = forecast(rows, {{80, 4096, 4096}, ElementType::kBf16, Layout::kTn}, 10);
  CHECK(large.ratio == Approx(1.1).epsilon(0.01));
  CHECK(small.ratio > 1.2);
  CHECK(small.high / small.time > large.high / large.time);
}

TEST_CASE("Unaligned rows have the ratio of unaligned rows, in any layout") {
  const LibraryRows rows = rows_of(
      "4096x4096x4096,bf16,,tn,,,,,,burst,100,100\n"
      "4100x4100x4104,bf16,,tn,,,,,,burst,300,100\n"
      "4096x4096x4095,bf16,,tn,,,4096,4096,,burst,800,100\n");
  CHECK(forecast(rows, square(4224), 100).ratio == Approx(1).epsilon(0.05));
  // With K = 4100 the rows of A and B are aligned to 8 bytes.
  CHECK(forecast(rows, {{2048, 28672, 4100}, ElementType::kBf16, Layout::kTn}, 100).ratio > 2);
  // With K = 4095 and a pitch of 4096 the row length is aligned to 2 bytes.
  CHECK(forecast(rows, {{4096, 2048, 4095}, ElementType::kBf16, Layout::kTn}, 100).ratio > 4);
}

TEST_CASE("Invalid rows are refused with file, line and column") {
  CHECK(contains(refusal("4096x4096x4096,bf16,,tn,,,,,,burst,no,150\n"),
                 "rows.csv:2: time_us: expected microseconds, got 'no'"));
  CHECK(contains(refusal("4096x4096x4096,bf16\n"), "rows.csv:2: expected the columns"));
  CHECK(contains(refusal(""), "expected measured rows"));
}

/// Errors for the committed data's problems that `judges` accepts, each forecast from the other
/// folds, sorted; and the fraction of measured times inside the interval.
struct HeldOut {
  std::vector<double> errors;
  double covered = 0;
};
HeldOut held_out(Op op, const char* file, const std::function<bool(const AnyProblem&)>& judges) {
  const std::string text = read_text(config_folder() / "gpus" / file);
  const std::vector<std::string_view> lines = split(text, '\n');
  constexpr std::size_t kFolds = 8;
  HeldOut all;
  for (std::size_t fold = 0; fold < kFolds; ++fold) {
    // Both regimes of a problem belong to one fold.
    const auto is_left_out = [&](std::string_view line) {
      const std::size_t end = std::min(line.find(",burst"), line.find(",sustained"));
      return hash_of(line.substr(0, end), kHashSeed) % kFolds == fold;
    };
    std::string kept, left_out;
    for (const std::string_view line : lines) {
      if (!line.empty() && line.front() != '#' && !line.starts_with("shape")) {
        (is_left_out(line) ? left_out : kept) += std::string(line) + "\n";
      }
    }
    const LibraryRows seen = rows_of(kept, op), judged = rows_of(left_out, op);
    for (const LibraryRows::Row& row : judged.rows()) {
      if (judges(row.problem)) {
        const LibraryTime t = seen.forecast(row.problem, row.regime, row.forecast, 132, true);
        all.errors.push_back(std::abs(t.time / row.measured - 1));
        all.covered += t.low <= row.measured && row.measured <= t.high ? 1 : 0;
      }
    }
  }
  REQUIRE(!all.errors.empty());
  all.covered /= static_cast<double>(all.errors.size());
  std::ranges::sort(all.errors);
  return all;
}

// When the limits were set, the errors were 3.00 % (mean) and 2.15 % (median). Unaligned rows use
// other kernels, for which there are few rows.
TEST_CASE("Held-out 16-bit problems of the committed data are forecast within the recorded error") {
  const auto [errors, covered] =
      held_out(Op::kGemm, "h200_sxm.cublaslt.csv", [](const AnyProblem& problem) {
        const auto& p = std::get<GemmProblem>(problem);
        return !is_fp8(p.dtype) && p.batch.products == 1 && p.shape.k % 8 == 0 &&
               p.shape.n % 8 == 0 && p.leading.a % 8 == 0 && p.leading.b % 8 == 0;
      });
  REQUIRE(errors.size() > 700);
  const double mean =
      std::accumulate(errors.begin(), errors.end(), 0.0) / static_cast<double>(errors.size());
  CAPTURE(mean, errors[errors.size() / 2], errors[errors.size() * 9 / 10], covered);
  CHECK(mean < 0.0300);
  CHECK(errors[errors.size() / 2] < 0.0215);
  CHECK(covered > 0.85);
}

// 132 SMs, 32 heads. Four sequences of 4,096 queries: 4,096 tiles of 3 to 34 blocks of time are 574
// blocks an SM; one sequence: 143.5, and a tail of up to 34 matters four times as much.
TEST_CASE("cuDNN distributes the tiles of one causal sequence less evenly than those of four") {
  const LibraryRows rows =
      rows_of("4x32x4096x4096x128,bf16,causal,bshd,no,burst,898,800\n", Op::kAttention);
  const auto ratio = [&](const char* shape, const char* mask) {
    const AnyProblem problem =
        problem_of(Op::kAttention, shape, ElementType::kBf16, {{"mask", mask}, {"layout", "bshd"}});
    return rows.forecast(problem, Regime::kBurst, Seconds{1e-4}, 132, true).ratio;
  };
  const double of_four = ratio("4x32x4096x4096x128", "causal");
  CHECK(ratio("1x32x4096x4096x128", "causal") / of_four > 1.08);
  CHECK(ratio("1x32x4096x4096x128", "causal") / of_four < 1.13);
  CHECK(ratio("64x32x4096x4096x128", "causal") < of_four);
  CHECK(ratio("1x1x4096x64x128", "causal") > 0.5);  // most queries attend to no key
}

// For a few queries and for ragged lengths, cuDNN's kernels are several times slower, and few of
// these problems were measured, so their mean error is not meaningful.
TEST_CASE("cuDNN's times of held-out problems of the committed data are forecast likewise") {
  const auto [errors, covered] =
      held_out(Op::kAttention, "h200_sxm.cudnn.csv", [](const AnyProblem&) { return true; });
  REQUIRE(errors.size() == 81);
  CAPTURE(errors[40], errors[72], covered);
  CHECK(errors[40] < 0.030);
  CHECK(errors[72] < 0.105);
  CHECK(covered > 0.85);
}

TEST_CASE("Library times are forecast on Hopper only, and not for groups") {
  const GpuSpec h200 = load_gpu("h200_sxm", true).spec, b200 = load_gpu("b200", true).spec;
  const Seconds ours{150e-6};
  CHECK(library_time(h200, square(4096), Regime::kBurst, ours, config_folder()).time > Seconds{});
  CHECK_THROWS_AS(library_time(b200, square(4096), Regime::kBurst, ours, config_folder()),
                  ConfigError);
  const GemmProblem groups = in_groups(square(4096), {1024, 0, 3072});
  CHECK_THROWS_AS(library_time(h200, groups, Regime::kBurst, ours, config_folder()), ConfigError);
}

}  // namespace
}  // namespace tilecast
