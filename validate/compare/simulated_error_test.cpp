// The simulator on every eighth committed row, each at its measured clock. Runs in the repository
// root. Figures that it must not fall behind; the bars, and where they are missed, stand in
// docs/dev/notebook/2026-11.md, The simulator.
#include "validate/compare/simulated_error.h"

#include "model/spec/load_gpu.h"
#include "tests/catch.h"
#include "validate/compare/recorded_error.h"

namespace tilecast {

TEST_CASE("Simulated cycles stay as near to the committed rows as they are") {
  std::vector<MeasurementFile> files;
  for (const char* name : {"hopper.csv.gz", "reference_schedules.csv.gz", "ladder/ladder.csv"}) {
    MeasurementFile file = read_measurements(std::string("validate/data/h200_sxm/") + name);
    std::vector<MeasurementRow> some;
    for (std::size_t row = 0; row < file.rows.size(); row += 8) {
      some.push_back(std::move(file.rows[row]));
    }
    file.rows = std::move(some);
    files.push_back(std::move(file));
  }
  const SimulatedReport report = report_of(simulate_rows(load_gpu("h200_sxm", false).spec, files));
  CHECK(report.all.simulated.points > 200);
  CHECK(report.all.simulated.mape < 0.047 + kRecordTolerance);
  CHECK(report.near_best.simulated.mape < 0.034 + kRecordTolerance);
  CHECK(report.all.simulated.mape < report.all.closed_form.mape + 0.003);  // S14
}

}  // namespace tilecast
