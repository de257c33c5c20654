#include "validate/record/times_of_today.h"

#include <variant>

#include "kernels/revision.h"
#include "model/gemm/problem/gemm_problem.h"

namespace tilecast {
namespace {

void take_off_saved(Measurement& m) {
  constexpr double kNano = 1e-9;
  const double saved = nanoseconds_saved(m.point.config, m.revision) * kNano;
  if (saved == 0 || !m.time || !m.cycles || m.time->median.value <= saved) {
    return;
  }
  const double left = 1 - saved / m.time->median.value;
  for (Seconds* time : {&m.time->median, &m.time->q1, &m.time->q3}) {
    *time = *time * left;
  }
  m.cycles = *m.cycles * left;
}

/// Whether the kernel stored C by narrower boxes of which each row wrote two sectors in part. Bulk
/// stores need rows that start at 16 bytes.
bool stored_narrow_rows_in_sectors(const Measurement& m) {
  constexpr i64 kSectorBytes = 32;
  const auto* const gemm = std::get_if<GemmProblem>(&m.point.problem);
  const i64 today = current_revision(m.point);
  return gemm != nullptr && m.revision < today && today > kernel_revision(m.point.config, false) &&
         c_row(*gemm) * element_bytes(c_type(*gemm)) % kSectorBytes == kSectorBytes / 2;
}

}  // namespace

MeasurementFile in_times_of_today(MeasurementFile file) {
  file.outdated += std::erase_if(file.rows, [](const MeasurementRow& row) {
    return stored_narrow_rows_in_sectors(row.measurement);
  });
  for (MeasurementRow& row : file.rows) {
    take_off_saved(row.measurement);
  }
  return file;
}

}  // namespace tilecast
