#include "validate/calibrate/calibrate.h"

#include <algorithm>
#include <cmath>

#include "model/base/file.h"
#include "model/predict/predict.h"
#include "model/spec/gpu_fields.h"
#include "tests/catch.h"
#include "tests/error_message.h"
#include "tests/temporary_folder.h"
#include "validate/calibrate/example_rows.h"

namespace tilecast {
namespace {

/// Rows of an H200 whose FLOPs take more energy, and whose kernels take 4 % longer than the
/// analytic model predicts.
std::vector<Measurement> rows_of_another_h200(int problems) {
  GpuSpec truth = load_gpu("h200_sxm", false).spec;
  truth.power->per_flop_normal = truth.power->per_flop_normal * 1.2;
  return example_gemm_rows(truth, 0, problems, 12,
                           [](const GemmProblem&, const KernelConfig&) { return 1.04; });
}

Calibration run(LoadedGpu& gpu, const std::vector<Measurement>& rows) {
  return calibrate(gpu, {file_of(rows)}, {.threads = 2, .simulate = false});
}

/// Numbers of the sections that a fit may change, in basic units.
std::vector<double> numbers(GpuSpec gpu) {
  std::vector<double> values;
  for (const Field& field : fields_of(gpu)) {
    if (field.section != "stream") {
      values.push_back(field.value());
    }
  }
  return values;
}

TEST_CASE("A calibration is read back from its files, and predicts the same") {
  LoadedGpu gpu = load_gpu("h200_sxm", false);
  const std::string original = read_file(gpu.path);
  const GpuSpec prior = gpu.spec;
  const Calibration done = run(gpu, rows_of_another_h200(30));
  CHECK(done.rows >= 300);
  CHECK(done.problems == 30);
  CHECK(done.cycles_error == Approx(1 - 1 / 1.04).epsilon(0.01));
  CHECK(done.learned.analytic.cycles < 0.02);
  std::size_t rows = 0;
  for (const ScheduleResidual& one : done.by_schedule) {
    rows += one.rows;
    CHECK(std::abs(one.bias) <= 1.1 * one.mean_error);
  }
  CHECK(rows == done.rows);

  const TemporaryFolder folder;
  const std::string path = (folder / "mine.yaml").string();
  write_file(path, original);
  write_file(folder / "mine.calibrated.yaml", overlay_text(gpu, gpu, done, "tilecast calibrate"));
  write_file(folder / "mine.learned.yaml", learned_yaml(gpu.spec.name, *gpu.spec.learned));
  write_file(folder / "mine.learned.csv", learned_csv(*gpu.spec.learned));
  const LoadedGpu back = load_gpu(path, true);
  CHECK(back.calibrated);
  REQUIRE(back.spec.learned != nullptr);
  const std::vector<double> fitted = numbers(gpu.spec), read = numbers(back.spec);
  REQUIRE(fitted.size() == read.size());
  for (std::size_t i = 0; i < fitted.size(); ++i) {
    CAPTURE(i);
    CHECK(read[i] == Approx(fitted[i]).epsilon(1e-5));  // numbers are written with six digits
  }
  CHECK(back.spec.power->per_flop_zeros > prior.power->per_flop_zeros);

  for (const Measurement& m : example_gemm_rows(gpu.spec, 40, 2, 4, as_predicted)) {
    const auto predict = [&](const GpuSpec& spec) {
      return predict_config(spec, m.point.problem, parse_kernel_config(m.point.config),
                            m.point.regime, Inputs::kNormal, Method::kAnalytic);
    };
    const Prediction a = predict(gpu.spec), b = predict(back.spec);
    CHECK(b.time / a.time == Approx(1).epsilon(1e-3));
    CHECK(b.interval_low / a.interval_low == Approx(1).epsilon(1e-3));
    CHECK(b.interval_high / a.interval_high == Approx(1).epsilon(1e-3));
  }

  // Every replaced number states its source.
  const auto flop = std::ranges::find(back.constants, "power.per_flop_normal", &Constant::key_path);
  REQUIRE(flop != back.constants.end());
  CHECK(flop->source == Source::kFitted);
  CHECK(flop->standard_error.value() > 0);
  CHECK(contains(flop->ref, "360 rows; prior "));
  // Constants that the rows do not determine, here bf16_flop, are not in the overlay; the table
  // marks them.
  CHECK(!contains(overlay_text(gpu, gpu, done, ""), "bf16_flop"));
  CHECK(contains(to_table(done), "not determined by the data; prior kept"));
  CHECK(!contains(to_table(done), "  simulated "));  // nothing was simulated
}

TEST_CASE("The same rows give the same files, on any number of threads") {
  std::string texts[2];
  const std::vector<Measurement> rows = rows_of_another_h200(25);
  for (const unsigned threads : {1u, 3u}) {
    LoadedGpu gpu = load_gpu("h200_sxm", false);
    const Calibration done =
        calibrate(gpu, {file_of(rows)}, {.threads = threads, .simulate = false});
    texts[threads / 2] = overlay_text(gpu, gpu, done, "") +
                         learned_yaml(gpu.spec.name, *gpu.spec.learned) +
                         learned_csv(*gpu.spec.learned);
  }
  CHECK(texts[0] == texts[1]);
}

// An A100 whose kernels start 500 ns later and that reads L2 at 0.8 of the rate in its file.
TEST_CASE("Constants of cycles are fitted on a GPU that runs kernels with mma.sync alone") {
  LoadedGpu gpu = load_gpu("a100_sxm80", false);
  GpuSpec truth = gpu.spec;
  truth.machine->kernel = truth.machine->kernel + Seconds{500e-9};
  truth.machine->l2_output = truth.machine->l2_output * 0.8;
  truth.clock->max = truth.clock->tensor_plateau = truth.clock->max * 0.95;
  const Calibration done = run(gpu, example_gemm_rows(truth, 0, 40, 12, as_predicted));
  CHECK(gpu.spec.machine->kernel.value == Approx(truth.machine->kernel.value).epsilon(0.1));
  CHECK(gpu.spec.machine->l2_output.value == Approx(truth.machine->l2_output.value).epsilon(0.1));
  CHECK(done.cycles_error < 0.02);  // before the learned correction
  const std::string overlay = overlay_text(gpu, gpu, done, "tilecast calibrate");
  CHECK(contains(overlay, "\nmachine:\n"));
  CHECK(contains(overlay, "\n  kernel: {value: 1"));

  const TemporaryFolder folder;
  write_file(folder / "mine.yaml", read_file(gpu.path));
  write_file(folder / "mine.calibrated.yaml", overlay);
  const LoadedGpu back = load_gpu((folder / "mine.yaml").string(), true);
  CHECK(back.spec.machine->kernel.value == Approx(gpu.spec.machine->kernel.value).epsilon(1e-5));
}

TEST_CASE("Fewer than 300 rows are too few") {
  LoadedGpu gpu = load_gpu("h200_sxm", false);
  std::vector<Measurement> rows = rows_of_another_h200(25);
  REQUIRE(rows.size() == 300);
  rows[7].verified = false;
  CHECK(ERROR_MESSAGE(run(gpu, rows)) ==
        "2 expected at least 300 measured GEMMs, got 299 (excluded rows, such as those of other "
        "operations, unverified or repeated: 1)");
  CHECK(gpu.spec.learned == nullptr);
}

TEST_CASE("Constants can be kept, and the learned correction covers their residuals") {
  LoadedGpu gpu = load_gpu("h200_sxm", false);
  const std::vector<double> before = numbers(gpu.spec);
  const Calibration done = calibrate(gpu, {file_of(rows_of_another_h200(25))},
                                     {.threads = 2, .simulate = false, .fit_constants = false});
  CHECK(numbers(gpu.spec) == before);
  CHECK(done.constants.constants.empty());
  CHECK(done.learned.analytic.cycles < 0.5 * done.learned.analytic.cycles_without);
  CHECK(gpu.spec.learned != nullptr);
}

}  // namespace
}  // namespace tilecast
