#include "validate/record/verified_rows.h"

#include <map>
#include <string>

namespace tilecast {

bool is_verified(const Measurement& measured) {
  return measured.status == Status::kOk && measured.verified && measured.time;
}

std::vector<VerifiedRow> verified_rows(const std::vector<MeasurementFile>& files) {
  std::vector<VerifiedRow> rows;
  std::map<std::string, std::size_t> places;
  for (const MeasurementFile& file : files) {
    for (const MeasurementRow& row : file.rows) {
      if (!is_verified(row.measurement)) {
        continue;
      }
      const auto [place, is_new] = places.try_emplace(key_of(row.measurement.point), rows.size());
      if (is_new) {
        rows.emplace_back();
      }
      rows[place->second] = {&file, &row};
    }
  }
  return rows;
}

}  // namespace tilecast
