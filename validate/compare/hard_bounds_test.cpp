// Hard bounds compared with every committed row of the H200's data set. Runs in the repository
// root.
#include "model/gemm/form/gemm_bounds.h"
#include "model/stream/stream_closed_form.h"

#include <filesystem>

#include "model/gemm/config/kernel_config_text.h"
#include "tests/catch.h"
#include "tests/h200.h"
#include "validate/record/measurement_csv.h"
#include "validate/record/verified_rows.h"

namespace tilecast {
namespace {

TEST_CASE("No committed row of the data set beats a hard bound at the clock it was measured at") {
  std::vector<MeasurementFile> files;
  for (const auto& entry : std::filesystem::directory_iterator("validate/data/h200_sxm/dataset")) {
    if (entry.path().extension() == ".gz" && entry.path().filename() != "counters_full.csv.gz") {
      files.push_back(read_measurements(entry.path()));
    }
  }
  int rows = 0;
  double closest = 0;  // largest ratio of bound to time
  for (const VerifiedRow& row : verified_rows(files)) {
    const Measurement& m = row.measurement();
    if (!m.sm_clock || is_baseline(m.point.config) || m.point.l2_state != L2State::kRotating) {
      continue;
    }
    const HardBounds bounds = hard_bounds(calibrated_h200(), std::get<GemmProblem>(m.point.problem),
                                          parse_kernel_config(m.point.config));
    const double share = bounds.least_time(*m.sm_clock) / m.time->median;
    INFO(to_text(std::get<GemmProblem>(m.point.problem).shape) << " " << m.point.config);
    CHECK(share < 1);
    closest = std::max(closest, share);
    ++rows;
  }
  CHECK(rows > 6000);
  CHECK(closest > 0.98);  // the best kernels come close to the bounds
}

}  // namespace
}  // namespace tilecast
