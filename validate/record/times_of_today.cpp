#include "validate/record/times_of_today.h"

#include "kernels/revision.h"

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

}  // namespace

MeasurementFile in_times_of_today(MeasurementFile file) {
  for (MeasurementRow& row : file.rows) {
    take_off_saved(row.measurement);
  }
  return file;
}

}  // namespace tilecast
