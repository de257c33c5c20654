// Compares simulator and analytic model on committed H200 rows, in cycles at the measured clock.
// Prints both errors by schedule and pins them. Targets, and where they are missed:
// docs/dev/notebook/2026-11.md, The simulator. Runs in the repository root.
#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "model/gemm/config/kernel_config_text.h"
#include "model/gemm/costs/occupancy.h"
#include "model/gemm/form/closed_form.h"
#include "model/gemm/sim/simulate.h"
#include "tests/catch.h"
#include "tests/h200.h"
#include "validate/compare/recorded_error.h"
#include "validate/compare/statistics.h"
#include "validate/record/measurement_csv.h"
#include "validate/record/point_group.h"
#include "validate/record/times_of_today.h"

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
  std::vector<double> simulated, form;  // absolute errors
};

/// Errors by schedule; "all" contains all rows, "near best" the rows within 20 % of their problem's
/// best.
std::map<std::string, Errors> errors_of(const std::vector<Measurement>& rows) {
  BestTimes best;
  for (const Measurement& row : rows) {
    best.note(group_key(row.point), row.time->median);
  }
  std::map<std::string, Errors> errors;
  for (const Measurement& row : rows) {
    const KernelConfig config = parse_kernel_config(row.point.config);
    const Predicted predicted =
        predict(h200(), std::get<GemmProblem>(row.point.problem), config, row.sm_clock.value());
    std::vector<std::string> parts{std::string(to_text(config.schedule)), "all"};
    if (best.is_near(group_key(row.point), row.time->median)) {
      parts.emplace_back("near best");
    }
    for (const std::string& part : parts) {
      errors[part].simulated.push_back(std::abs(predicted.simulated / *row.cycles - 1));
      errors[part].form.push_back(std::abs(predicted.form / *row.cycles - 1));
    }
  }
  return errors;
}

bool is_compared(const Measurement& row) {
  return row.status == Status::kOk && !is_baseline(row.point.config) && row.cycles && row.sm_clock;
}

/// Returns every `each`-th kernel in the files of a folder.
std::vector<Measurement> some_of_folder(const std::string& folder, std::size_t each) {
  std::set<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".gz") {
      files.insert(entry.path());
    }
  }
  std::vector<Measurement> some;
  std::size_t at = 0;
  for (const std::filesystem::path& file : files) {
    for (const MeasurementRow& row : in_times_of_today(read_measurements(file)).rows) {
      if (is_compared(row.measurement) && at++ % each == 0) {
        some.push_back(row.measurement);
      }
    }
  }
  return some;
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

TEST_CASE("Simulated cycles are within the recorded error of the committed rows") {
  std::vector<Measurement> some;
  for (const char* name : {"hopper.csv.gz", "reference_schedules.csv.gz", "ladder/ladder.csv"}) {
    const MeasurementFile file =
        in_times_of_today(read_measurements(std::string("validate/data/h200_sxm/") + name));
    for (std::size_t row = 0; row < file.rows.size(); row += 8) {
      if (is_compared(file.rows[row].measurement)) {
        some.push_back(file.rows[row].measurement);
      }
    }
  }
  const std::map<std::string, Errors> errors = errors_of(some);
  print("every eighth row", errors);
  const Errors& all = errors.at("all");
  CHECK(all.simulated.size() > 200);
  CHECK(mean(all.simulated) < 0.047 + kRecordTolerance);
  CHECK(mean(errors.at("near best").simulated) < 0.034 + kRecordTolerance);
  CHECK(mean(all.simulated) < mean(all.form) + 0.003);  // S14
}

TEST_CASE("Simulated split-K cycles are within their known error") {
  const std::string folder = "validate/data/h200_sxm/splits";
  const std::map<std::string, Errors> errors = errors_of(some_of_folder(folder, 3));
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
