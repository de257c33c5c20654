// The committed rows of the memory-bound family against the rates asked of it. Runs in the
// repository root.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "model/base/integers.h"
#include "tests/catch.h"
#include "validate/record/measurement_csv.h"

namespace tilecast {
namespace {

/// TB/s of every configuration by the text before its colon, the median of its rounds; `bytes` read
/// and written in all.
std::map<std::string, double> rates_of(const std::string& file, double bytes) {
  std::map<std::string, std::vector<double>> rates;
  for (const auto& [line, row] :
       read_measurements("validate/data/h200_sxm/stream/rounds/" + file).rows) {
    const std::string& config = row.point.config;
    rates[config.substr(0, config.find(':'))].push_back(bytes / row.time->median.value * 1e-12);
  }
  std::map<std::string, double> medians;
  for (auto& [name, values] : rates) {
    std::sort(values.begin(), values.end());
    medians[name] = values[values.size() / 2];
  }
  return medians;
}

}  // namespace

TEST_CASE("elementwise_add of 32768 x 32768 fp32 beats the reference programs, each its own") {
  // Two matrices read, one written.
  const std::map<std::string, double> rates =
      rates_of("elementwise_add_32768.csv.gz", 3 * 4.0 * (1 << 30));
  // TB/s of the programs, which print 2.60, 3.09, 3.46, 3.56 and 3.59 TiB/s.
  CHECK(rates.at("elementwise_add") > 2.86);
  CHECK(rates.at("elementwise_add_cpasync") > 3.40);
  CHECK(rates.at("elementwise_add_pipelined") > 3.80);
  CHECK(rates.at("elementwise_add_tma") > 3.91);
  CHECK(rates.at("elementwise_add_tma_warp_specialized") > 3.95);
  CHECK(rates.at("elementwise_add_cpasync") > 1.02 * 3.95);  // the best of ours and of theirs
}

TEST_CASE("A copy of 8 GiB is no slower than the runtime's, on two cards") {
  for (const char* file : {"rounds_8_gib.csv.gz", "rounds_8_gib_again.csv.gz"}) {
    const std::map<std::string, double> rates = rates_of(file, 2 * 4.0 * (i64{1} << 31));
    CHECK(rates.at("memcpy_tma") >= rates.at("cudart"));
    CHECK(rates.at("memcpy_cpasync") >= rates.at("cudart"));
  }
}

}  // namespace tilecast
