// The table of model/sim/README.md: the simulator's error of cycles at the measured clock over the
// committed H200 rows, the closed forms' beside it. Runs in the repository root.
#include <fmt/format.h>

#include "model/base/error.h"
#include "model/spec/load_gpu.h"
#include "validate/compare/simulated_error.h"

namespace tilecast {
namespace {

void print_row(const std::string& name, const SimulatedErrors& e) {
  fmt::print("| {} | {} | {:.1f} | {:.1f} | {:.1f} | {:+.1f} | {:.2f} | {:.1f} | {:.2f} |\n", name,
             e.simulated.points, 100 * e.simulated.mape, 100 * e.simulated.median,
             100 * e.simulated.p90, 100 * e.simulated.bias, e.simulated_tau,
             100 * e.closed_form.mape, e.closed_form_tau);
}

void run() {
  std::vector<MeasurementFile> files;
  for (const char* name : {"hopper.csv.gz", "reference_schedules.csv.gz", "ladder/ladder.csv",
                           "laboratory/burst_a.csv.gz"}) {
    files.push_back(read_measurements(std::string("validate/data/h200_sxm/") + name));
  }
  const SimulatedReport report = report_of(simulate_rows(load_gpu("h200_sxm", false).spec, files));
  fmt::print(
      "| rows | points | mean % | median % | 90 % of rows | bias % | order | closed forms: "
      "mean % | order |\n|---|---|---|---|---|---|---|---|---|\n");
  print_row("all", report.all);
  print_row("within 20 % of the best", report.near_best);
  for (const auto& [schedule, errors] : report.by_schedule) {
    print_row(schedule, errors);
  }
}

}  // namespace
}  // namespace tilecast

int main() {
  try {
    tilecast::run();
    return 0;
  } catch (const tilecast::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return static_cast<int>(error.code());
  }
}
