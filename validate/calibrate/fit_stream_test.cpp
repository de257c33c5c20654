#include "validate/calibrate/fit_stream.h"

#include "model/stream/stream_closed_form.h"
#include "model/stream/stream_config_text.h"
#include "model/stream/stream_menu.h"
#include "tests/catch.h"
#include "tests/error_message.h"
#include "validate/record/example_measurement.h"

namespace tilecast {
namespace {

/// Synthetic rows of `gpu`, for every `step`th candidate of each problem.
std::vector<MeasurementFile> rows_of(const GpuSpec& gpu, std::size_t step) {
  MeasurementFile file;
  file.name = "made.csv";
  const StreamProblem problems[] = {{1, i64{1} << 30, ElementType::kFp32, Op::kMemcpy},
                                    {1, i64{1} << 22, ElementType::kFp32, Op::kMemcpy},
                                    {16384, 16384, ElementType::kFp32, Op::kElementwiseAdd},
                                    {1024, 1024, ElementType::kFp32, Op::kElementwiseAdd},
                                    {8192, 8192, ElementType::kBf16, Op::kElementwiseAdd}};
  for (const StreamProblem& problem : problems) {
    const std::vector<StreamConfig> legal = enumerate_candidates(gpu, problem, {}).legal;
    for (std::size_t i = 0; i < legal.size(); i += step) {
      const Hertz clock = gpu.clock->max;
      const Cycles cycles = form_at(gpu, problem, legal[i], clock).cycles;
      Measurement m = example_measurement(to_text(legal[i]), time_of(cycles, clock));
      m.context.gpu = gpu.name;
      m.point = {.problem = problem, .config = {}};
      m.point.config = to_text(legal[i]);
      m.cycles = cycles;
      m.sm_clock = clock;
      file.rows.push_back({static_cast<i64>(file.rows.size()) + 2, m});
    }
  }
  return {file};
}

}  // namespace

TEST_CASE("The fit recovers the losses of synthetic rows, and matches the rows") {
  LoadedGpu gpu = load_gpu("h200_sxm", false);
  GpuSpec truth = gpu.spec;
  truth.stream->disorder_loss *= 1.5;
  truth.stream->spread_loss *= 0.6;
  truth.stream->turn = truth.stream->turn * 1.3;
  const StreamFit fit = fit_stream(gpu, rows_of(truth, 601));
  CHECK(fit.rows > 60);
  CHECK(fit.checked > 10);  // bf16 rows
  CHECK(fit.error_before > 0.01);
  CHECK(fit.error_after < 0.003);
  CHECK(gpu.spec.stream->disorder_loss == Approx(truth.stream->disorder_loss).epsilon(0.1));
  CHECK(gpu.spec.stream->spread_loss == Approx(truth.stream->spread_loss).epsilon(0.1));
  CHECK(gpu.spec.stream->turn.value == Approx(truth.stream->turn.value).epsilon(0.1));
  // The rows have no noise, so only the priors cause an error, and the interval is the smallest
  // that a file allows.
  CHECK(gpu.spec.stream->interval < 0.02);
}

TEST_CASE("Too few rows, and rows of another GPU, are errors") {
  LoadedGpu gpu = load_gpu("h200_sxm", false);
  CHECK(contains(ERROR_MESSAGE(fit_stream(gpu, {})), "at least 60"));
  std::vector<MeasurementFile> other = rows_of(gpu.spec, 5000);
  other.front().rows.front().measurement.context.gpu = "h100_sxm";
  CHECK(contains(ERROR_MESSAGE(fit_stream(gpu, other)), "made.csv:2: gpu"));
}

TEST_CASE("An overlay gets its section stream replaced or added, and keeps the rest") {
  const std::string section = "stream:\n  # Made by\n  turn: {value: 2}\n";
  CHECK(with_section("", "h200_sxm", "stream", section) == "name: h200_sxm\n\n" + section);
  const std::string before =
      "# A comment\nname: h200_sxm\n\nstream:\n  # Made by\n  turn: {value: 1}\n  kernel: {value: "
      "3}\n\ntma:\n  issue: {value: 4}\n";
  CHECK(with_section(before, "h200_sxm", "stream", section) ==
        "# A comment\nname: h200_sxm\n\ntma:\n  issue: {value: 4}\n\n" + section);
}

}  // namespace tilecast
