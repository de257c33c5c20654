// The simulator beside the closed forms on the committed rows of the H200 of kernels that split K,
// cycles at the measured clock. Prints both errors by schedule. Runs in the repository root.
#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "model/analytic/closed_form.h"
#include "model/analytic/occupancy.h"
#include "model/sim/simulate.h"
#include "model/spec/load_gpu.h"
#include "model/tile/kernel_config_text.h"
#include "tests/catch.h"
#include "validate/compare/recorded_error.h"
#include "validate/compare/statistics.h"
#include "validate/record/measurement_csv.h"

namespace tilecast {
namespace {

struct Predicted {
  Cycles simulated, form;
};

Predicted predict(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config,
                  Hertz clock) {
  const Residency residency{resident_ctas(gpu, config), resident_workers(gpu, config)};
  const GemmWork work = gemm_work(gpu, problem, config);
  return {simulate_gemm(gpu, problem, config, residency, clock).cycles,
          closed_form(gpu, problem, config, work, clock).cycles};
}

struct Errors {
  std::vector<double> simulated, form;  // absolute
};

/// Of every `each`-th row, by schedule; "all" has them all.
std::map<std::string, Errors> errors_of(const std::string& folder, std::size_t each) {
  const GpuSpec gpu = load_gpu("h200_sxm", false).spec;
  std::map<std::string, Errors> errors;
  std::size_t at = 0;
  std::set<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".gz") {
      files.insert(entry.path());
    }
  }
  for (const std::filesystem::path& file : files) {
    for (const MeasurementRow& row : read_measurements(file).rows) {
      const Measurement& measured = row.measurement;
      if (measured.status != Status::kOk || is_baseline(measured.point.config) ||
          at++ % each != 0) {
        continue;
      }
      const KernelConfig config = parse_kernel_config(measured.point.config);
      const Predicted predicted = predict(gpu, std::get<GemmProblem>(problem_of(measured.point)),
                                          config, measured.sm_clock.value());
      for (const std::string& of : {std::string(to_text(config.schedule)), std::string("all")}) {
        errors[of].simulated.push_back(std::abs(predicted.simulated / *measured.cycles - 1));
        errors[of].form.push_back(std::abs(predicted.form / *measured.cycles - 1));
      }
    }
  }
  return errors;
}

void print(const std::string& folder, const std::map<std::string, Errors>& errors) {
  fmt::print("{}\n{:36} rows   simulated: mean, median   closed form: mean, median\n", folder, "");
  for (const auto& [schedule, of] : errors) {
    fmt::print("{:36} {:4} {:14.1f} % {:6.1f} % {:16.1f} % {:6.1f} %\n", schedule,
               of.simulated.size(), 100 * mean(of.simulated), 100 * quantile(of.simulated, 0.5),
               100 * mean(of.form), 100 * quantile(of.form, 0.5));
  }
}

}  // namespace

TEST_CASE("Simulated splits of K are as far from the measured cycles as is known, and no farther") {
  const std::string folder = "validate/data/h200_sxm/splits";
  const std::map<std::string, Errors> errors = errors_of(folder, 3);
  print(folder, errors);
  struct Recorded {
    const char* schedule;
    double mean, median;
  };
  for (const Recorded& recorded : {Recorded{"split_k", 0.074, 0.0586},
                                   {"split_k_hybrid", 0.075, 0.045},
                                   {"stream_k", 0.083, 0.056},
                                   {"stream_k_hybrid", 0.072, 0.035}}) {
    CAPTURE(recorded.schedule);
    const std::vector<double>& simulated = errors.at(recorded.schedule).simulated;
    CHECK(mean(simulated) < recorded.mean + kRecordTolerance);
    CHECK(quantile(simulated, 0.5) < recorded.median + kRecordTolerance);
  }
}

}  // namespace tilecast
