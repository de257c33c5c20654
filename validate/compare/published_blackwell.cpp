#include "validate/compare/published_blackwell.h"

#include <fmt/format.h>

#include <optional>

#include "model/base/error.h"
#include "model/base/math.h"
#include "model/base/text.h"
#include "model/predict/predict.h"
#include "validate/record/csv_text.h"

namespace tilecast {
namespace {

constexpr std::string_view kColumns =
    "source,gpu,schedule,m,n,k,block_m,block_n,block_k,buffers,warps,group_m,value,unit";
enum Column {
  kGpu = 1,
  kSchedule,
  kM,
  kN,
  kK,
  kBlockM,
  kBlockN,
  kBlockK,
  kBuffers,
  kWarps,
  kGroupM,
  kValue,
  kUnit
};

std::string without_comments(std::string_view csv) {
  std::string text;
  for (const std::string_view line : split(csv, '\n')) {
    // An empty line keeps the count.
    text += (line.starts_with('#') ? std::string() : std::string(line)) + "\n";
  }
  return text;
}

std::optional<Schedule> schedule_of_row(std::string_view text) {
  return text == "pipelined"            ? std::optional(Schedule::kTcgen05Pipelined)
         : text == "persistent"         ? std::optional(Schedule::kTcgen05Persistent)
         : text == "persistent_overlap" ? std::optional(Schedule::kTcgen05PersistentOverlap)
                                        : std::nullopt;
}

class Row {
 public:
  Row(const CsvRecord& record, std::string_view name) : record_(record), name_(name) {}

  std::string_view text(Column column) const { return record_.fields[column]; }
  i64 number(Column column) const {
    const std::optional<i64> value = parse_integer(text(column));
    if (!value || *value < 1) {
      throw ConfigError(fmt::format("{}:{}: '{}': expected a positive whole number", name_,
                                    record_.line, text(column)));
    }
    return *value;
  }
  double value() const {
    const std::optional<double> value = parse_number(text(kValue));
    if (!value || *value <= 0) {
      throw ConfigError(fmt::format("{}:{}: '{}': expected a positive number", name_, record_.line,
                                    text(kValue)));
    }
    return *value;
  }

 private:
  const CsvRecord& record_;
  std::string_view name_;
};

PublishedGemm gemm_of(const Row& row, Schedule schedule, bool k_sweep) {
  PublishedGemm gemm{};
  gemm.problem = {
      {row.number(kM), row.number(kN), row.number(kK)}, ElementType::kFp16, Layout::kTn};
  KernelConfig& config = gemm.config;
  config = fixed_by_schedule(schedule);
  Tiling& t = config.tiling;
  t.block_m = static_cast<i32>(row.number(kBlockM));
  t.block_n = static_cast<i32>(row.number(kBlockN));
  t.block_k = static_cast<i32>(row.number(kBlockK));
  t.stages = static_cast<i32>(row.number(kBuffers));
  t.warpgroups_n = static_cast<i32>(row.number(kWarps)) / kWarpsPerWarpgroup;
  t.c_slots = schedule == Schedule::kTcgen05Persistent ? 2 / t.warpgroups_n : 0;
  const bool grouped = !row.text(kGroupM).empty();
  const i64 tile_rows = ceil_div<i64>(gemm.problem.shape.m, t.block_m);
  config.raster.group = static_cast<i32>(grouped ? row.number(kGroupM) : tile_rows);
  if (!grouped && config.grid == Grid::kResident) {
    config.raster.walk = Walk::kChunked;
  }
  gemm.tflops = row.value();
  gemm.table = k_sweep   ? "K sweep"
               : grouped ? "bands"
                         : std::string(row.text(kSchedule)) + ", buffers and warps";
  return gemm;
}

}  // namespace

std::vector<PublishedGemm> published_blackwell(std::string_view csv, std::string_view name) {
  const CsvText parsed = parse_csv(without_comments(csv), name);
  if (parsed.records.empty() || join(parsed.records[0].fields, ",") != kColumns) {
    throw ConfigError(fmt::format("{}: expected the columns {}", name, kColumns));
  }
  std::vector<PublishedGemm> gemms;
  i64 first_k = 0;
  bool k_sweep = false;  // the last of the tables, and the only one of several K
  for (const CsvRecord& record : parsed.records) {
    if (record.fields.size() != parsed.records[0].fields.size()) {
      throw ConfigError(fmt::format("{}:{}: expected {} fields, not {}", name, record.line,
                                    parsed.records[0].fields.size(), record.fields.size()));
    }
    const Row row(record, name);
    const std::optional<Schedule> schedule = schedule_of_row(row.text(kSchedule));
    if (row.text(kGpu) != "Blackwell" || row.text(kUnit) != "TFLOPS" || !schedule) {
      continue;
    }
    first_k = first_k == 0 ? row.number(kK) : first_k;
    k_sweep = k_sweep || row.number(kK) != first_k;
    gemms.push_back(gemm_of(row, *schedule, k_sweep));
  }
  return gemms;
}

double speed_error(const GpuSpec& gpu, const PublishedGemm& row) {
  return predict_config(gpu, row.problem, row.config, Regime::kSustained, Inputs::kNormal).tflops /
             row.tflops -
         1;
}

}  // namespace tilecast
