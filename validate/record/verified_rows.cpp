#include "validate/record/verified_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "model/base/error.h"
#include "model/base/text.h"

namespace tilecast {
namespace {

std::string place_of(const MeasurementFile& file, const MeasurementRow& row) {
  return fmt::format("{}:{}", file.name, row.line);
}

template <class IsTaken>
std::vector<VerifiedRow> last_verified(const std::vector<MeasurementFile>& files,
                                       const IsTaken& is_taken) {
  std::vector<VerifiedRow> rows;
  std::map<std::string, std::size_t> places;
  for (const MeasurementFile& file : files) {
    for (const MeasurementRow& row : file.rows) {
      if (!is_taken(file, row) || !is_verified(row.measurement)) {
        continue;
      }
      const auto [place, is_new] = places.try_emplace(key_of(row.measurement.point), rows.size());
      if (is_new) {
        rows.emplace_back(&file, &row);
      } else if (row.measurement.revision >= rows[place->second].measurement().revision) {
        rows[place->second] = {&file, &row};
      }
    }
  }
  return rows;
}

}  // namespace

bool is_verified(const Measurement& measured) {
  return measured.status == Status::kOk && measured.verified && measured.time;
}

std::string VerifiedRow::where() const { return place_of(*file, *row); }

std::vector<VerifiedRow> verified_rows(const std::vector<MeasurementFile>& files) {
  return last_verified(files, [](const MeasurementFile&, const MeasurementRow&) { return true; });
}

std::vector<VerifiedRow> verified_rows(const std::vector<MeasurementFile>& files,
                                       const std::vector<std::string>& gpu_names,
                                       OtherGpus others) {
  return last_verified(files, [&](const MeasurementFile& file, const MeasurementRow& row) {
    const std::string& gpu = row.measurement.context.gpu;
    const bool is_taken = std::ranges::find(gpu_names, gpu) != gpu_names.end();
    if (!is_taken && others == OtherGpus::kRefused) {
      throw ConfigError(fmt::format("{}: gpu: expected a row measured on {}, got '{}'",
                                    place_of(file, row), join(gpu_names, " or "), gpu));
    }
    return is_taken;
  });
}

}  // namespace tilecast
